package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/automaton"
	"github.com/seed-56a50ac9/uri/internal/long"
)

// Whatever the library writes must scan back to the components that were meant. The tests in this file check
// this for every function that writes, with the valid inputs of the suites and with pairs of inputs. The
// minimal automaton decides whether the output has the right form, Appendix B says which components it has,
// and the slow twins say which components it should have.

// validTexts calls visit with the valid inputs of the suite for the form, or with a sample of them. Runs of
// hours also use the suite for one extra state.
func validTexts(t *testing.T, form Form, visit func(s string, turn int)) {
	d := automata()[form]
	turn, stride := 0, long.Sample(t, 100, 1)
	for word := range d.Suite(long.Sample(t, 0, 0, 1)) {
		if d.Accept[d.Run(0, word)] {
			if turn++; turn%stride == 0 {
				visit(string(d.AppendText(nil, word, turn)), turn)
			}
		}
	}
}

// characteristic returns a few valid inputs that pass through every state from which some input is accepted.
func characteristic(form Form) (texts []string) {
	d := automata()[form]
	seen := make([]bool, len(d.Next))
	for word := range d.Suite(0) {
		if !d.Accept[d.Run(0, word)] {
			continue
		}
		first := false
		for i := range len(word) + 1 {
			state := d.Run(0, word[:i])
			first = first || !seen[state]
			seen[state] = true
		}
		if first {
			texts = append(texts, string(d.AppendText(nil, word, len(texts))))
		}
	}
	return texts
}

// composed returns valid inputs that combine each kind of path (with dot segments, empty segments and colons)
// with each kind of head and tail. To an automaton, many of these are alike if another component allows the
// same bytes.
func composed(form Form, tokens int) (texts []string) {
	d := automata()[form]
	tails := []string{"", "?", "#", "?a=b&sig=c#d", "?/..#"}
	turn := 0
	for _, head := range []string{
		"", "s:", "S:", "t:", "//", "//h", "//u:p@h:1", "//@", "s://", "s://h", "s://u@h:", "s://u:p@h:1",
		"http://a", "HTTP://%41:80",
	} {
		for n := range tokens + 1 {
			sequences([]string{"/", ".", "..", "a", "b:", "%2e"}, n, func(path string) {
				s := head + path + tails[turn%len(tails)]
				turn++
				if match, _ := d.Match([]byte(s)); match == len(s) {
					texts = append(texts, s)
				}
			})
		}
	}
	return texts
}

// requireMeant requires that the output matches the form and has the meant components.
func requireMeant(t *testing.T, form Form, meant slowURI, written []byte, from ...any) {
	t.Helper()
	if match, _ := automata()[form].Match(written); match != len(written) {
		t.Fatalf("%q, written for %q, does not match %s", written, from, formName(form))
	}
	if found := slowParts(form, string(written)); !found.equal(meant) {
		t.Fatalf("%q, written for %q, does not have the meant components, those of %q", written, from,
			meant.text())
	}
}

// equal reports whether both have the same components: each is absent in both, or the same string in both.
func (u slowURI) equal(w slowURI) bool {
	for _, parts := range [][2]*string{
		{u.scheme, w.scheme},
		{u.userinfo, w.userinfo},
		{u.host, w.host},
		{u.port, w.port},
		{&u.path, &w.path},
		{u.query, w.query},
		{u.fragment, w.fragment},
	} {
		if (parts[0] == nil) != (parts[1] == nil) || orEmpty(parts[0]) != orEmpty(parts[1]) {
			return false
		}
	}
	return u.bare == w.bare || u.host == nil
}

// eachValid runs a test for each form, strict and lenient, with its valid inputs. It cycles through the
// levels.
func eachValid(t *testing.T, test func(t *testing.T, form Form, v *StringView, turn int)) {
	eachForm(t, func(t *testing.T, form Form, _ *automaton.DFA) (texts int) {
		one := func(s string, turn int) {
			levels[turn%len(levels)].use()
			var v StringView
			require.NoError(t, v.Scan(form, s), "%q", s)
			test(t, form, &v, turn)
			texts++
		}
		validTexts(t, form, one)
		for i, s := range composed(form, long.Sample(t, 1, 2)) {
			one(s, i)
		}
		return texts
	})
}

// TestWrittenAsGiven writes each view in three ways: whole, with a Builder of the view, and with a Builder of
// its components as data.
func TestWrittenAsGiven(t *testing.T) {
	eachValid(t, func(t *testing.T, form Form, v *StringView, _ int) {
		s := v.Text()
		out, err := v.AppendText([]byte("before "))
		require.NoError(t, err)
		require.Equal(t, "before "+s, string(out))

		// The output must be a reference. There is none if the input is valid only leniently, or if its path would
		// be read as an authority.
		meant := slowParts(form, s)
		meant.bare = false
		unwritable := form&Lenient != 0 && !Valid(form&^Lenient, s)
		b := v.Builder()
		if out, err = b.Append(nil); err != nil {
			require.True(t, unwritable || form&^Lenient == OriginForm && strings.HasPrefix(s, "//"), "%q: %v", s, err)
		} else {
			require.False(t, unwritable, "%q", s)
			requireMeant(t, Reference, meant, out, s)
		}

		b = dataOf(meant)
		if out, err = b.Append(nil); err != nil {
			require.True(t, err == ErrPath && meant.host == nil && strings.HasPrefix(s, "//"), "%q: %v", s, err)
			return
		}
		match, _ := automata()[Reference].Match(out)
		require.Equal(t, len(out), match, "%q of the data of %q", out, s)
		found := slowParts(Reference, string(out))
		found.escaped(decodedOrSame)
		meant.escaped(decodedOrSame)
		require.True(t, found.equal(meant), "%q of the data of %q", out, s)
		require.Equal(t, strings.Count(v.Path(), "/"), strings.Count(slowParts(Reference, string(out)).path, "/"),
			"%q, %q", out, s)
	})
}

// dataOf returns a Builder of the decoded components, with the path divided into its segments.
func dataOf(u slowURI) Builder {
	part := func(s *string) Part { return Data(decodedOrSame(orEmpty(s))) }
	b := Builder{
		Scheme: part(u.scheme), Userinfo: part(u.userinfo), Host: part(u.host), Port: part(u.port),
		Query: part(u.query), Fragment: part(u.fragment),
		HasAuthority: u.host != nil, HasUserinfo: u.userinfo != nil, HasPort: u.port != nil,
		HasQuery: u.query != nil, HasFragment: u.fragment != nil,
	}
	if u.path != "" {
		for segment := range strings.SplitSeq(u.path, "/") {
			b.Path = append(b.Path, part(&segment))
		}
	}
	return b
}

// decodedOrSame returns s decoded, or s itself if it contains a broken escape.
func decodedOrSame(s string) string {
	if decoded, whole := slowDecode(s); whole {
		return decoded
	}
	return s
}

// TestNormalizedAsMeant normalizes by single steps and by several at once.
func TestNormalizedAsMeant(t *testing.T) {
	sets := []Step{
		SchemeBased, SyntaxBased, SchemeBased &^ DecodeUnreserved,
		RemoveDotSegments | DecodeUnreserved, LowercaseHost | ShortenAddress,
	}
	for step := LowercaseScheme; step <= SortParams; step <<= 1 {
		sets = append(sets, step)
	}
	perText := long.Sample(t, 1, 4, len(sets))
	eachValid(t, func(t *testing.T, form Form, v *StringView, turn int) {
		for i := range perText {
			steps := sets[(turn*perText+i)%len(sets)]
			before := slowParts(form, v.Text())
			meant := before
			for _, step := range slowSteps {
				if steps&step.step != 0 {
					step.do(&meant, steps)
				}
			}
			form := form
			if form&^Lenient == AuthorityForm && meant.port == nil {
				form += HostField - AuthorityForm // without a port it has the form of a Host field
			}
			out := v.AppendNormalized(nil, steps)
			requireMeant(t, form, meant, out, v.Text(), steps)

			// In any case, no scheme or authority appears or disappears, and normalizing twice changes nothing more.
			after := slowParts(form, string(out))
			require.Equal(t, before.scheme == nil, after.scheme == nil, "%q, %q", v.Text(), out)
			require.Equal(t, before.host == nil, after.host == nil, "%q, %q", v.Text(), out)
			require.Equal(t, before.userinfo == nil, after.userinfo == nil, "%q, %q", v.Text(), out)
			var again View
			require.NoError(t, again.Scan(form, out))
			require.True(t, again.IsNormalized(steps), "%q, %q", v.Text(), out)
			require.Equal(t, string(out), string(again.AppendNormalized(nil, steps)), "%q", v.Text())
		}
	})
}

// TestLessAsMeant removes secrets, including all parameters, and then some parameters. The rest must not
// change.
func TestLessAsMeant(t *testing.T) {
	eachValid(t, func(t *testing.T, form Form, v *StringView, turn int) {
		s := v.Text()
		keys := []string{}
		for _, param := range slowParams(v.Query(), "&") {
			keys = append(keys, decodedOrSame(param[0]))
		}
		for _, keys := range [][]string{nil, keys} {
			require.Equal(t, slowRedact(s, keys), string(AppendRedacted(nil, s, keys)), "%q", s)
		}

		meant := slowParts(form, s)
		meant.dropParams(func(param []string) bool { return len(param[0])%3 == turn%3 })
		out := appendWithoutParams(v, nil, func(p ParamOf[string]) bool { return len(p.Key)%3 == turn%3 })
		requireMeant(t, form, meant, out, s)
	})
}

// TestPairs pairs each of many references with each other one. It resolves one against the other, makes a
// relative reference back, and gives a Builder the head of one and the tail of the other. Then it pairs each
// input of the suite with one of the many references.
func TestPairs(t *testing.T) {
	texts := append(composed(Reference, long.Sample(t, 1, 2, 3)), characteristic(Reference)...)
	many := make([]StringView, len(texts))
	for i, s := range texts {
		require.NoError(t, many[i].Scan(Reference, s))
	}
	pairs := 0
	for i := range many {
		for k := range many {
			levels[pairs%len(levels)].use()
			requirePair(t, Reference, &many[i], &many[k])
			requireGrafted(t, &many[i], &many[k])
			pairs++
		}
	}
	for _, form := range []Form{Reference, Reference | Lenient} {
		validTexts(t, form, func(s string, turn int) {
			levels[turn%len(levels)].use()
			var v StringView
			require.NoError(t, v.Scan(form, s))
			requirePair(t, form, &v, &many[turn%len(many)])
			requirePair(t, form, &many[turn%len(many)], &v)
			pairs += 2
		})
	}
	t.Log(pairs, "pairs")
}

// requirePair resolves ref against base. If ref is a URI, it also makes a relative reference from base to
// ref.
func requirePair(t *testing.T, form Form, base, ref *StringView) {
	t.Helper()
	var buffer [256]byte
	from, to := slowParts(form, base.Text()), slowParts(form, ref.Text())
	relative, whyNot := AppendRelative(buffer[:0], base, ref)
	if from.scheme == nil || to.scheme == nil {
		require.True(t, whyNot == ErrScheme, "%q from %q", ref.Text(), base.Text())
	} else {
		require.NoError(t, whyNot)
		want, _ := slowResolve(from, to, true)
		if match, _ := automata()[form].Match(relative); match != len(relative) {
			t.Fatalf("%q, for %q from %q, is not a reference", relative, ref.Text(), base.Text())
		}
		parts := slowParts(form, string(relative))
		if back, _ := slowResolve(from, parts, true); !back.equal(want) {
			t.Fatalf("%q, for %q from %q, leads to %q", relative, ref.Text(), base.Text(), back.text())
		}
		if parts.host != nil && parts.authority() != to.authority() {
			t.Fatalf("%q, for %q from %q, has another authority", relative, ref.Text(), base.Text())
		}
	}

	for options := range ResolveOption(4) {
		out, err := AppendResolved(buffer[:0], base, ref, options)
		meant, above := slowResolve(from, to, options&BackwardCompatible == 0)
		switch {
		case from.scheme == nil:
			require.True(t, err == ErrScheme && len(out) == 0, "%q, %q: %v", base.Text(), ref.Text(), err)
			continue
		case above && options&RejectAboveRoot != 0:
			require.True(t, err == ErrPath && len(out) == 0, "%q, %q: %v", base.Text(), ref.Text(), err)
			continue
		case err != nil:
			t.Fatalf("%q, %q: %v", base.Text(), ref.Text(), err)
		}
		requireMeant(t, URI|form&Lenient, meant, out, base.Text(), ref.Text(), options)

		// In any case, the whole authority comes from the reference or from the base: userinfo and host are never
		// mixed. A reference with its own scheme takes nothing from the base.
		of := from
		if to.host != nil || to.scheme != nil &&
			(options&BackwardCompatible == 0 || !strings.EqualFold(*to.scheme, *from.scheme)) {
			of = to
		}
		found := slowParts(URI, string(out))
		if (found.host == nil) != (of.host == nil) || found.authority() != of.authority() {
			t.Fatalf("%q, of %q and %q, has another authority", out, base.Text(), ref.Text())
		}
	}
}

// requireGrafted builds a reference with the scheme and authority of head and the rest of tail. The Builder
// must refuse what would have other components, and nothing else.
func requireGrafted(t *testing.T, head, tail *StringView) {
	t.Helper()
	meant, rest := slowParts(Reference, head.Text()), slowParts(Reference, tail.Text())
	meant.path, meant.query, meant.fragment = rest.path, rest.query, rest.fragment
	b, other := head.Builder(), tail.Builder()
	b.PathText, b.Query, b.Fragment, b.HasQuery, b.HasFragment = other.PathText, other.Query, other.Fragment,
		other.HasQuery, other.HasFragment
	var buffer [256]byte
	out, err := b.Append(buffer[:0])
	if err == nil {
		requireMeant(t, Reference, meant, out, head.Text(), tail.Text())
		return
	}
	s := meant.text()
	match, _ := automata()[Reference].Match([]byte(s))
	if err != ErrPath || match == len(s) && slowParts(Reference, s).equal(meant) {
		t.Fatalf("%v for %q, of %q and %q", err, s, head.Text(), tail.Text())
	}
}

// TestTargetURIAsMeant combines targets of each form with Host fields.
func TestTargetURIAsMeant(t *testing.T) {
	fields := characteristic(HostField)
	hosts := make([]StringView, len(fields))
	for i, s := range fields {
		require.NoError(t, hosts[i].Scan(HostField, s))
	}
	schemes := []string{"http", "HTTPS", "s", "", "1"}
	stride := long.Sample(t, 7, 1)
	for _, form := range []Form{AbsoluteURI, OriginForm, AuthorityForm, AsteriskForm, HostField} {
		pair := func(s string, turn int) {
			levels[turn%len(levels)].use()
			var target StringView
			require.NoError(t, target.Scan(form, s))
			host, scheme := &hosts[turn%len(hosts)], schemes[turn%len(schemes)]
			out, err := AppendTargetURI(nil, scheme, form, &target, host)

			// RFC 9112 section 3.3: the target URI takes from the target what that has, and the rest from elsewhere.
			of, field := slowParts(form, s), slowParts(HostField, host.Text())
			meant := of
			switch form {
			case OriginForm:
				meant.scheme, meant.host, meant.port = &scheme, field.host, field.port
			case AuthorityForm:
				meant.scheme, meant.bare = &scheme, false
			case AsteriskForm:
				meant = slowURI{scheme: &scheme, host: field.host, port: field.port}
			}
			if _, why := slowTargetURI(scheme, form, s, host.Text()); why != 0 {
				require.True(t, err == why && len(out) == 0, "%q, %q: %v, not %v", s, host.Text(), err, why)
				return
			}
			require.NoError(t, err, "%q, %q", s, host.Text())
			requireMeant(t, URI, meant, out, s, host.Text())
		}
		for i, s := range append(composed(form, 1), characteristic(form)...) {
			for k := 0; k < len(hosts)*len(schemes); k += stride {
				pair(s, i*len(hosts)*len(schemes)+k)
			}
		}
		validTexts(t, form, pair)
	}
}
