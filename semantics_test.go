package uri

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/automaton"
	"github.com/seed-56a50ac9/uri/internal/long"
)

// Everything that is written scans back to the components that were meant. The tests of this file require
// that of all that writes, over the texts of the suites that are valid and over pairs of texts: the minimal
// automaton judges that what is written is of its form, Appendix B says which components it has, and the slow
// twins which it should have.

// validTexts calls the function with the suite's texts that are of the form, or a sample of them; in hours
// with those of the suite for one extra state.
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

// characteristic returns a few texts of the form that go through each state from which any text is accepted.
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

// composed returns texts of the form in which each kind of path, with dot segments, empty segments and
// colons, meets each kind of head and of tail. To an automaton many of these are alike, where another
// component has the same bytes.
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

// requireMeant requires that a text that was written is of the form, and has the components that are meant.
func requireMeant(t *testing.T, form Form, meant slowURI, written []byte, from ...any) {
	t.Helper()
	if match, _ := automata()[form].Match(written); match != len(written) {
		t.Fatalf("%q, written for %q, is not of the form %s", written, from, formName(form))
	}
	if found := slowParts(form, string(written)); !found.equal(meant) {
		t.Fatalf("%q, written for %q, has other components than are meant, those of %q", written, from,
			meant.text())
	}
}

// equal reports whether both have the same components, absent or with the same text.
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

// eachValid runs a test for each form, strict and lenient, on its valid texts. The levels take turns.
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

// TestWrittenAsGiven writes what a view has: whole, by a Builder of the view and by a Builder of its
// components as data.
func TestWrittenAsGiven(t *testing.T) {
	eachValid(t, func(t *testing.T, form Form, v *StringView, _ int) {
		s := v.Text()
		out, err := v.AppendText([]byte("before "))
		require.NoError(t, err)
		require.Equal(t, "before "+s, string(out))

		// A reference it can be written as; but what is valid only leniently is none, nor is a path that would be
		// an authority.
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

// dataOf returns a Builder of the decoded components, the path divided into its segments.
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

// decodedOrSame is s decoded, or s where an escape in it is broken.
func decodedOrSame(s string) string {
	if decoded, whole := slowDecode(s); whole {
		return decoded
	}
	return s
}

// TestNormalizedAsMeant normalizes by single steps, and by many.
func TestNormalizedAsMeant(t *testing.T) {
	sets := []Step{SchemeBased, SyntaxBased, SchemeBased &^ DecodeUnreserved,
		RemoveDotSegments | DecodeUnreserved, LowercaseHost | ShortenAddress}
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
					step.do(&meant)
				}
			}
			form := form
			if form&^Lenient == AuthorityForm && meant.port == nil {
				form += HostField - AuthorityForm // which it then is
			}
			out := v.AppendNormalized(nil, steps)
			requireMeant(t, form, meant, out, v.Text(), steps)

			// Whatever is meant, neither scheme nor authority come or go, and once is enough.
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

// TestLessAsMeant takes out secrets, of all parameters as well, and parameters. All else is as it was.
func TestLessAsMeant(t *testing.T) {
	eachValid(t, func(t *testing.T, form Form, v *StringView, turn int) {
		s := v.Text()
		keys := []string{}
		for _, param := range slowParams(v.Query(), "&") {
			keys = append(keys, decodedOrSame(param[0]))
		}
		for _, keys := range [][]string{nil, keys} {
			meant := slowParts(form, s)
			meant.redact(keys)
			out := v.AppendRedacted(nil, keys)
			requireMeant(t, form, meant, out, s, keys)
			if userinfo := v.Userinfo(); userinfo != "" {
				require.Equal(t, "REDACTED:REDACTED", orEmpty(slowParts(form, string(out)).userinfo), "%q", s)
			}
			if form&^Lenient == Reference {
				require.Equal(t, string(out), string(AppendRedacted(nil, s, keys)), "%q", s)
			}
		}

		meant := slowParts(form, s)
		meant.dropParams(func(param []string) bool { return len(param[0])%3 == turn%3 })
		out := appendWithoutParams(v, nil, func(p ParamOf[string]) bool { return len(p.Key)%3 == turn%3 })
		requireMeant(t, form, meant, out, s)
	})
}

// TestPairs takes each of many references with each: it resolves one against the other, makes the reference
// back, and gives a Builder the head of the one and the tail of the other. Then it takes each text of the
// suite with another one of the many.
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

// requirePair resolves a reference against a base, and makes one from it to the reference if that is a URI.
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
			t.Fatalf("%q, for %q from %q, is no reference", relative, ref.Text(), base.Text())
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

		// Whatever is meant, the authority is that of the reference or that of the base, as a whole: userinfo is of
		// the same one as the host. A reference with a scheme of its own has nothing of the base's.
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

// requireGrafted builds a reference with the scheme and the authority of one and all else of another. The
// Builder must refuse what would have other components, and nothing else.
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

// TestTargetURIAsMeant puts targets of each form to Host fields.
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

			// RFC 9112 section 3.3: from the target what it has, the rest from elsewhere.
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
