package uri

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The judges of the operations. Each compares a row with the library and with the slow twin, if there is one.

// setNames are the sets that rows of percent.jsonl name, in addition to components. The strings do not
// include "%".
var setNames = map[string]struct {
	set   Set
	plain string
}{
	"":           {Set{}, ""},
	"unreserved": {Unreserved(), unreserved},
	"sub-delims": {SubDelims(), subDelims},
	"gen-delims": {GenDelims(), genDelims},
	"pchar":      {Pchar(), pchars},
}

// assertAppends requires f to append want, whatever dst is.
func assertAppends(t *testing.T, want string, f func(dst []byte) []byte, message ...any) {
	t.Helper()
	assert.Equal(t, want, appended(t, f), message...)
}

// judgeEncoded judges a row that has data, the bytes to keep, and the encoded result.
func judgeEncoded(t *testing.T, r *row) {
	s, want := r.text(t), r.output(t)
	set, ok := setNames[r.Set]
	if c, isComponent := componentNames[r.Set]; isComponent {
		set.set, set.plain, ok = c.Allowed(), slowSets[c], true
	}
	require.True(t, ok, "set %s", r.Set)
	keep := set.set.Union(NewSet(r.Plus)).Minus(NewSet(r.Minus))
	plain := strings.Map(func(c rune) rune {
		if strings.ContainsRune(r.Minus, c) {
			return -1
		}
		return c
	}, set.plain+r.Plus)

	assert.Equal(t, want, slowEncode(s, plain), "slow twin: %q", s)
	assertAppends(t, want, func(dst []byte) []byte { return AppendEncode(dst, s, keep) }, "%q", s)
	assertAppends(t, want, func(dst []byte) []byte { return AppendEncode(dst, []byte(s), keep) }, "%q", s)
	assert.Equal(t, len(want), EncodedLen(s, keep), "%q", s)
	if !keep.Contains('%') {
		assertDecoded(t, want, s)
	}
}

// judgeDecoded judges a row that has encoded input and the decoded data, or a list of broken inputs. Form is
// the data if the input is a key or value of a form.
func judgeDecoded(t *testing.T, r *row) {
	for _, s := range r.Inputs {
		assertBroken(t, s, named[Error](t, "Error", r.Error))
	}
	if r.Inputs == nil {
		s, want := r.text(t), r.output(t)
		assertDecoded(t, s, want)
		assertFormDecoded(t, s, cmp.Or(r.Form, want))
	}
}

func assertBroken(t *testing.T, s string, why Error) {
	for _, decode := range []func(dst []byte) ([]byte, error){
		func(dst []byte) ([]byte, error) { return AppendDecode(dst, s) },
		func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, s) },
	} {
		_, got := appendedOr(t, decode)
		assert.Equal(t, why, got, "%q", s)
	}
	same, err := DecodeInPlace([]byte(s))
	assert.Equal(t, why, err, "%q", s)
	assert.Equal(t, s, string(same))
	assert.False(t, EqualDecoded(s, s), "%q", s)
	_, whole := slowDecode(s)
	assert.False(t, whole, "slow twin: %q", s)
}

func assertDecoded(t *testing.T, s, want string) {
	slow, whole := slowDecode(s)
	assert.True(t, whole, "slow twin: %q", s)
	assert.Equal(t, want, slow, "slow twin: %q", s)
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendDecode(dst, s) })
	assert.Zero(t, why, "%q", s)
	assert.Equal(t, want, out, "%q", s)
	in, err := DecodeInPlace([]byte(s))
	assert.NoError(t, err, "%q", s)
	assert.Equal(t, want, string(in), "in place: %q", s)
	assert.Equal(t, want, string(AppendDecodeLenient(nil, s)), "lenient: %q", s)
	assert.True(t, EqualDecoded(s, want), "%q", s)
	assert.False(t, EqualDecoded(s, want+"x"), "%q", s)
	if want != "" {
		assert.False(t, EqualDecoded(s, want[1:]), "%q", s)
		assert.False(t, EqualDecoded(s, want[:len(want)-1]), "%q", s)
	}
}

func assertFormDecoded(t *testing.T, s, want string) {
	slow, whole := slowFormDecode(s)
	assert.True(t, whole, "slow twin: %q", s)
	assert.Equal(t, want, slow, "slow twin: %q", s)
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendFormDecode(dst, s) })
	assert.Zero(t, why, "%q", s)
	assert.Equal(t, want, out, "%q", s)
}

// judgeFormEncoded judges a row that has data and its encoding as form data.
func judgeFormEncoded(t *testing.T, r *row) {
	s, want := r.text(t), r.output(t)
	assert.Equal(t, want, slowFormEncode(s), "slow twin: %q", s)
	assertAppends(t, want, func(dst []byte) []byte { return AppendFormEncode(dst, s) }, "%q", s)
	assertFormDecoded(t, want, s)
}

// judgeDotless judges a row that has paths and the result of remove_dot_segments for each.
func judgeDotless(t *testing.T, r *row) {
	if r.Paths == nil {
		assertDotless(t, r.text(t), r.Output)
	}
	for path, want := range r.Paths {
		assertDotless(t, path, want)
	}
}

func assertDotless(t *testing.T, path, want string) {
	slow, _ := slowRemoveDotSegments(path)
	assert.Equal(t, want, slow, "slow twin: %q", path)
	assert.Equal(t, want, string(AppendRemoveDotSegments(nil, path)), "%q", path)
	assert.Equal(t, want, string(RemoveDotSegmentsInPlace([]byte(path))), "in place: %q", path)
}

// guarded returns the wanted result, given the literal one: the same, or the guarded one if the literal one
// would scan to other components.
func (r *row) guarded(letter string) string {
	switch {
	case r.Guarded != "":
		return r.Guarded
	case r.Hazard:
		return strings.Replace(letter, "://", ":/.//", 1)
	}
	return letter
}

// stepNames are the steps that rows name, in addition to the constants. The step "pct" changes the escapes
// that it keeps to upper case.
var stepNames = map[string]Step{
	"case":   LowercaseScheme | LowercaseHost | UppercaseEscapes,
	"pct":    DecodeUnreserved | UppercaseEscapes,
	"dots":   RemoveDotSegments,
	"scheme": ShortenAddress | DropEmptyPort | DropDefaultPort | AddRootPath,
}

func stepsOf(t *testing.T, names string) (steps Step) {
	for name := range strings.SplitSeq(names, ",") {
		if step, ok := stepNames[name]; ok {
			steps |= step
		} else {
			steps |= named[Step](t, "Step", name)
		}
	}
	return steps
}

// judgeNormalized judges a row that has inputs, steps, and the normalized results. The row names the steps
// that are needed, except if it has a single step.
func judgeNormalized(t *testing.T, r *row) {
	form, steps := r.form(t), stepsOf(t, r.Steps)
	for s, want := range r.Changes {
		require.NotEqual(t, s, want)
		assertNormalized(t, form, s, steps, want)
	}
	for _, s := range r.Keeps {
		assertNormalized(t, form, s, steps, s)
	}
	if r.Changes != nil || r.Keeps != nil {
		return
	}
	s := r.text(t)
	v := assertNormalized(t, form, s, steps, r.guarded(r.Normalized))
	if r.Needed != nil {
		assert.Equal(t, stepsOf(t, *r.Needed), v.StepsNeeded(steps), "%q, steps %s", s, r.Steps)
	}
}

// assertNormalized requires s to normalize to want, and returns a view of the result.
func assertNormalized(t *testing.T, form Form, s string, steps Step, want string) View {
	slow, needed := slowNormalize(form, s, steps)
	assert.Equal(t, want, slow, "slow twin: %q, steps %b", s, steps)
	v, w := scannedAs(t, form, s)
	normalize := func(dst []byte) []byte { return v.AppendNormalized(dst, steps) }
	assertAppends(t, want, normalize, "%q, steps %b", s, steps)
	assert.Equal(t, want == s, v.IsNormalized(steps), "%q, steps %b", s, steps)
	if want != s && steps&(steps-1) == 0 {
		needed = steps
	}
	assert.Equal(t, needed, v.StepsNeeded(steps), "%q, steps %b", s, steps)
	if form == AuthorityForm {
		form = HostField // it may have lost its port
	}
	again, _ := scannedAs(t, form, want)
	for c := Scheme; c <= Fragment; c++ {
		start, end := again.Span(c)
		component := ""
		if start >= 0 {
			component = want[start:end]
		}
		assert.Equal(t, component, string(v.AppendComponent(nil, c, steps)), "%v of %q, steps %v", c, s, steps)
	}
	assert.True(t, again.IsNormalized(steps), "%q", want)
	assertEquivalent(t, &w, &again, steps, true)
	return v
}

// judgeEquivalent judges a row that has pairs of inputs, steps, and whether each pair is the same after the
// steps.
func judgeEquivalent(t *testing.T, r *row) {
	form, steps := r.form(t), stepsOf(t, r.Steps)
	require.NotEmpty(t, r.Pairs)
	for _, pair := range r.Pairs {
		a, _ := slowNormalize(form, pair[0], steps)
		b, _ := slowNormalize(form, pair[1], steps)
		assert.Equal(t, r.Equivalent, a == b, "slow twin: %q, steps %s", pair, r.Steps)
		va, wa := scannedAs(t, form, pair[0])
		vb, wb := scannedAs(t, form, pair[1])
		assertEquivalent(t, &wa, &vb, steps, r.Equivalent)
		assertEquivalent(t, &wb, &va, steps, r.Equivalent)
	}
}

func assertEquivalent(t *testing.T, a *StringView, b *View, steps Step, want bool) {
	assert.Equal(t, want, Equivalent(a, b, steps), "%q, %q, steps %b", a, b, steps)
	assert.Equal(t, want, a.Hash(7, steps) == b.Hash(7, steps), "hashes of %q, %q, steps %b", a, b, steps)
}

// judgeResolvedBy judges a row that has a base, options, and references with their targets, or one reference
// and its target or the reason why there is none.
func judgeResolvedBy(t *testing.T, r *row) {
	options := named[ResolveOption](t, "ResolveOption", r.Options)
	for ref, target := range r.Targets {
		assertResolved(t, r.Base, ref, target, options, 0)
	}
	if r.Targets == nil {
		assertResolved(t, r.Base, r.Ref, r.Target, options, named[Error](t, "Error", r.Error))
	}
}

func assertResolved(t *testing.T, base, ref, want string, options ResolveOption, why Error) {
	strict := options&BackwardCompatible == 0
	slow, above := slowResolve(slowParts(Reference, base), slowParts(Reference, ref), strict)
	switch why {
	case 0:
		assert.Equal(t, want, slow.text(), "slow twin: %q, %q", base, ref)
	case ErrPath:
		assert.True(t, above, "slow twin: %q, %q", base, ref)
	}
	vb, wb := scannedAs(t, Reference, base)
	vr, wr := scannedAs(t, Reference, ref)
	out, err := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendResolved(dst, &wb, &vr, options) })
	assert.Equal(t, why, err, "%q, %q", base, ref)
	assert.Equal(t, want, out, "%q, %q", base, ref)
	again, _ := AppendResolved(nil, &vb, &wr, options)
	assert.Equal(t, want, string(again), "%q, %q", base, ref)
}

// judgeShortest judges a row that has a base, and targets with the shortest references to each, or one target
// with those references or the reason why there are none. The references lead to the target without its dot
// segments.
func judgeShortest(t *testing.T, r *row) {
	for target, shortest := range r.References {
		assertShortest(t, r.Base, target, target, shortest, 0)
	}
	if r.References == nil {
		normalized := cmp.Or(r.Normalized, r.Target)
		assertShortest(t, r.Base, r.Target, normalized, r.Shortest, named[Error](t, "Error", r.Error))
	}
}

func assertShortest(t *testing.T, base, target, normalized string, shortest []string, why Error) {
	vb, _ := scannedAs(t, Reference, base)
	_, wt := scannedAs(t, Reference, target)
	out, err := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendRelative(dst, &vb, &wt) })
	assert.Equal(t, why, err, "%q, %q", base, target)
	if why != 0 {
		return
	}
	assert.Contains(t, shortest, out, "%q, %q", base, target)
	for _, ref := range shortest {
		assert.Len(t, ref, len(out))
		assertResolved(t, base, ref, normalized, 0, 0)
	}
	assertNoneShorter(t, base, normalized, out)
}

// assertNoneShorter requires that no reference shorter than got leads to the target.
func assertNoneShorter(t *testing.T, base, target, got string) {
	for _, shorter := range shorterReferences(got, base, target) {
		if slowValid(Reference, shorter) {
			back, _ := slowResolve(slowParts(Reference, base), slowParts(Reference, shorter), true)
			assert.NotEqual(t, target, back.text(), "%q, %q: %q, not %q", base, target, shorter, got)
		}
	}
}

// judgeBuilt judges a row that has elements as data, raw or of another kind, and the result or the reason why
// there is none.
func judgeBuilt(t *testing.T, r *row) {
	var b Builder
	b.give(r.Data, Data[string])
	b.give(r.Raw, Raw[string])
	if r.Address != "" {
		b.Addr = netip.MustParseAddr(r.Address)
	}
	if r.Number != nil {
		b.Port = Decimal(*r.Number)
	}
	out, why := appendedOr(t, b.Append)
	assert.Equal(t, named[Error](t, "Error", r.Error), why, "%+v", r)
	if r.Error != "" {
		return
	}
	require.NotNil(t, r.Text)
	assert.Equal(t, *r.Text, out)

	// RFC 3986 section 5.3: the result has the given elements, with data encoded.
	require.True(t, slowValid(Reference, *r.Text), "%q", *r.Text)
	u := slowParts(Reference, *r.Text)
	assert.Equal(t, u.scheme == nil, b.IsRelative(), "%q", *r.Text)
	for _, given := range []*elements{r.Data, r.Raw} {
		if given == nil {
			continue
		}
		for _, element := range []struct{ given, written *string }{
			{given.Userinfo, u.userinfo},
			{given.Host, u.host},
			{given.Port, u.port},
			{given.PathText, &u.path},
			{given.Query, u.query},
			{given.Fragment, u.fragment},
		} {
			ofAuthority := element.given == given.Userinfo || element.given == given.Port
			if element.given == nil || u.host == nil && ofAuthority {
				continue // without a host there is no authority
			}
			if assert.NotNil(t, element.written, "%q has %q", *r.Text, *element.given) {
				written := *element.written
				if given == r.Data {
					written, _ = slowDecode(written)
				}
				assert.Equal(t, *element.given, written, "%q", *r.Text)
			}
		}
	}
}

// give sets the elements, as Parts made by the given function. An element in the row is present, even if it
// is empty.
func (b *Builder) give(e *elements, of func(string) Part) {
	if e == nil {
		return
	}
	set := func(text *string, part *Part, has *bool) {
		if text != nil {
			*part, *has = of(*text), true
		}
	}
	var always bool
	set(e.Scheme, &b.Scheme, &always)
	set(e.Userinfo, &b.Userinfo, &b.HasUserinfo)
	set(e.Host, &b.Host, &b.HasAuthority)
	set(e.Port, &b.Port, &b.HasPort)
	set(e.PathText, &b.PathText, &always)
	set(e.Query, &b.Query, &b.HasQuery)
	set(e.Fragment, &b.Fragment, &b.HasFragment)
	for _, segment := range e.Path {
		b.Path = append(b.Path, of(segment))
	}
}

// judgeAddress judges a row that has an address and its form as host of a URI, or the reason why it has none.
func judgeAddress(t *testing.T, r *row) {
	addr, err := netip.ParseAddr(r.Address)
	if r.Address != "" {
		require.NoError(t, err)
	}
	out, why := appendedOr(t, func(dst []byte) ([]byte, error) { return AppendAddr(dst, addr) })
	assert.Equal(t, named[Error](t, "Error", r.Error), why, "%q", r.Address)
	assert.Equal(t, r.Output, out, "%q", r.Address)
}

// judgeParams judges a row that has an input and the parameters of its query, separated by "&" or another
// separator.
func judgeParams(t *testing.T, r *row) {
	v, w := scannedAs(t, r.form(t), r.text(t))
	separator := "&"
	if r.By != "" {
		separator = r.By
	}
	slow := slowParams(orEmpty(slowParts(r.form(t), r.text(t)).query), separator)
	assert.Equal(t, r.Params, slow, "slow twin: %q", r.Input)
	assert.Equal(t, r.Params, paramsOf(&v, separator[0]), "%q", r.Input)
	assert.Equal(t, r.Params, paramsOf(&w, separator[0]), "%q", r.Input)
	if separator == "&" {
		var all [][]string
		for p := range v.Params() {
			all = append(all, split(p))
		}
		assert.Equal(t, r.Params, all, "%q", r.Input)
	}
}

func paramsOf[T Text](v *ViewOf[T], separator byte) (all [][]string) {
	for p := range v.ParamsBy(separator) {
		all = append(all, split(p))
	}
	return all
}

// split returns the key of a parameter and, if it has one, its value.
func split[T Text](p ParamOf[T]) []string {
	if !p.HasValue {
		return []string{string(p.Key)}
	}
	return []string{string(p.Key), string(p.Value)}
}

// judgeParam judges a row that has an input, a key, and the first parameter with that key, if there is one.
func judgeParam(t *testing.T, r *row) {
	v, w := scannedAs(t, r.form(t), r.text(t))
	slow := slowParams(orEmpty(slowParts(r.form(t), r.text(t)).query), "&")
	i := slices.IndexFunc(slow, func(param []string) bool { return slowIs(param[0], r.Key) })
	assert.Equal(t, r.Param != nil, i >= 0, "slow twin: %q in %q", r.Key, r.Input)
	p, ok := v.Param(r.Key)
	q, _ := w.Param(r.Key)
	assert.Equal(t, r.Param != nil, ok, "%q in %q", r.Key, r.Input)
	if ok && i >= 0 {
		assert.Equal(t, r.Param, slow[i], "slow twin: %q in %q", r.Key, r.Input)
		assert.Equal(t, r.Param, split(p), "%q in %q", r.Key, r.Input)
		assert.Equal(t, r.Param, split(q), "%q in %q", r.Key, r.Input)
		assert.True(t, p.KeyIs(r.Key), "%q in %q", r.Key, r.Input)
		assert.True(t, p.KeyHasPrefix(r.Key[:len(r.Key)/2]), "%q in %q", r.Key, r.Input)
		assert.True(t, p.KeyHasPrefix(r.Key), "%q in %q", r.Key, r.Input)
		assert.False(t, p.KeyHasPrefix(r.Key+"x"), "%q in %q", r.Key, r.Input)
	}
}

// judgeWithout judges a row that has a key, and inputs without the parameters with that key.
func judgeWithout(t *testing.T, r *row) {
	require.NotZero(t, len(r.Changes)+len(r.Keeps))
	for s, want := range r.Changes {
		assertWithout(t, s, r.Key, want)
	}
	for _, s := range r.Keeps {
		assertWithout(t, s, r.Key, s)
	}
}

func assertWithout(t *testing.T, s, key, want string) {
	slow := slowWithoutParams(Reference, s, func(param []string) bool { return slowIs(param[0], key) })
	assert.Equal(t, want, slow, "slow twin: %q without %q", s, key)
	v, w := scannedAs(t, Reference, s)
	assertAppends(t, want, func(dst []byte) []byte {
		return appendWithoutParams(&v, dst, func(p Param) bool { return p.KeyIs(key) })
	}, "%q without %q", s, key)
	assertAppends(t, want, func(dst []byte) []byte {
		return appendWithoutParams(&w, dst, func(p ParamOf[string]) bool { return p.KeyIs(key) })
	}, "%q without %q", s, key)
}

// judgeRedacted judges a row that has an input, valid or not, the secret keys, and the input without secrets,
// or a row that has keys which are secret by default, and others.
func judgeRedacted(t *testing.T, r *row) {
	for i, keys := range [][]string{r.Secret, r.Public} {
		for _, key := range keys {
			assert.Equal(t, i == 0, IsSecretKey(key), key)
			assert.Equal(t, i == 0, slowSecretKey(slowDecodeAll(key)), "slow twin: %s", key)
		}
	}
	s := r.text(t)
	b := []byte(s)
	assertAppends(t, r.Output, func(dst []byte) []byte { return AppendRedacted(dst, s, r.Keys) }, "%q", s)
	assertAppends(t, r.Output, func(dst []byte) []byte { return AppendRedacted(dst, b, r.Keys) }, "%q", s)
	assert.Equal(t, r.Output, slowRedact(s, r.Keys), "slow twin: %q", s)
	ofStrings, ofBytes := RedactorOf[string]{Keys: r.Keys}, Redactor{Keys: r.Keys}
	assertAppends(t, r.Output, func(dst []byte) []byte { return ofStrings.Append(dst, s) }, "%q", s)
	assertAppends(t, r.Output, func(dst []byte) []byte { return ofBytes.Append(dst, b) }, "%q", s)
}

// judgeTraits judges a row that has inputs and the traits of each.
func judgeTraits(t *testing.T, r *row) {
	form, want := r.form(t), named[Trait](t, "Trait", r.Traits)
	for _, s := range r.Inputs {
		assert.Equal(t, want, slowTraits(form, s), "slow twin: %q", s)
		for _, level := range levels {
			level.use()
			v, w := scannedAs(t, form, s)
			assert.Equal(t, want, v.Traits(), "level %s: %q: %b, not %b", level.name, s, v.Traits(), want)
			assert.Equal(t, want, w.Traits(), "level %s: %q", level.name, s)
		}
	}
}

// judgeRequestForm judges a row that has pairs of a method and a target, and the form that the targets must
// match.
func judgeRequestForm(t *testing.T, r *row) {
	form, ok := formOf(r.Form)
	require.True(t, ok, "form %s", r.Form)
	require.NotEmpty(t, r.Pairs)
	for _, pair := range r.Pairs {
		method, target := pair[0], pair[1]
		assert.Equal(t, form, slowRequestForm(method, target), "slow twin: %s %s", method, target)
		assert.Equal(t, form, RequestForm(method, []byte(target)), "%s %s", method, target)
	}
}

// judgeTargetURI judges a row that has the scheme of a connection, a target and its form, a Host field, and
// the target URI or the reason why there is none.
func judgeTargetURI(t *testing.T, r *row) {
	form, why := r.form(t), named[Error](t, "Error", r.Error)
	text, slowWhy := slowTargetURI(orEmpty(r.Scheme), form, r.Target, r.HostField)
	assert.Equal(t, orEmpty(r.Text), text, "slow twin: %s %q, %q", r.Rule, r.Target, r.HostField)
	assert.Equal(t, why, slowWhy, "slow twin: %s %q, %q", r.Rule, r.Target, r.HostField)
	v, _ := scannedAs(t, form, r.Target)
	_, h := scannedAs(t, HostField, r.HostField)
	out, got := appendedOr(t, func(dst []byte) ([]byte, error) {
		return AppendTargetURI(dst, orEmpty(r.Scheme), form, &v, &h)
	})
	assert.Equal(t, orEmpty(r.Text), out, "%s %q, %q", r.Rule, r.Target, r.HostField)
	assert.Equal(t, why, got, "%s %q, %q", r.Rule, r.Target, r.HostField)
}

// judgeCheckTarget judges a row that has a method, pairs of a target and a Host field, and the reason to
// reject them, if there is one.
func judgeCheckTarget(t *testing.T, r *row) {
	want := named[Error](t, "Error", r.Error)
	require.NotEmpty(t, r.Pairs)
	for _, pair := range r.Pairs {
		target, field := pair[0], pair[1]
		slow := slowCheckTarget(r.Method, target, field)
		assert.Equal(t, want, slow, "slow twin: %s %q, %q", r.Method, target, field)
		got, _ := CheckTarget(r.Method, []byte(target), field).(Error)
		assert.Equal(t, want, got, "%s %q, %q", r.Method, target, field)
	}
}

// judgeHostAgrees judges a row that has pairs of a target in absolute-form and a Host field, and whether each
// pair agrees.
func judgeHostAgrees(t *testing.T, r *row) {
	require.NotEmpty(t, r.Pairs)
	for _, pair := range r.Pairs {
		target, field := pair[0], pair[1]
		assert.Equal(t, r.Agrees, slowHostAgrees(AbsoluteURI, target, field), "slow twin: %q, %q", target, field)
		v, w := scannedAs(t, AbsoluteURI, target)
		vh, wh := scannedAs(t, HostField, field)
		assert.Equal(t, r.Agrees, HostAgrees(&v, &wh), "%q, %q", target, field)
		assert.Equal(t, r.Agrees, HostAgrees(&w, &vh), "%q, %q", target, field)
	}
}

// judgeLines judges a row that has a block, its lines and the rest.
func judgeLines(t *testing.T, r *row) {
	lines, rest := slowLines(r.Input, r.AtEOF)
	assert.Equal(t, r.at(), lines, "slow twin: %q", r.Input)
	assert.Equal(t, r.Rest, rest, "slow twin: %q", r.Input)
	for _, level := range levels {
		level.use()
		lines, rest = linesOf(t, r.form(t), r.Input, r.AtEOF)
		assert.Equal(t, r.at(), lines, "%q", r.Input)
		assert.Equal(t, r.Rest, rest, "%q", r.Input)
	}
}

// judgeFound judges a row that has running text and the URIs in it.
func judgeFound(t *testing.T, r *row) {
	form := URI
	if r.Rule != "" {
		form = r.form(t)
	} else if r.Lenient {
		form |= Lenient
	}
	s := r.text(t)
	assert.Equal(t, r.at(), slowFind(form, s, r.Schemes), "slow twin: %q", s)
	for _, level := range levels {
		level.use()
		assert.Equal(t, r.at(), found(t, form, s, r.Schemes), "%q", s)
		assert.Equal(t, r.at(), found(t, form, []byte(s), r.Schemes), "bytes %q", s)
	}
}
