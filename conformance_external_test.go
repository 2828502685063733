package uri

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// The folder that URI_CORPORA names has some forty thousand rows, generated from the ABNF of RFC 3986 or
// taken from the test suites of other libraries and from published attacks. They are not part of this module.
// By default one row in eight is judged.

var externalFiles = []rowFile{
	{"abnf.jsonl", judgeText},
	{"mutants.jsonl", judgeText},
	{"presence.jsonl", judgeText},
	{"lengths.jsonl", judgeText},
	{"numbers.jsonl", judgeNumber},
	{"scheme.jsonl", judgeText},
	{"ipv4.jsonl", judgeText},
	{"ipv6.jsonl", judgeText},
	{"pct_forms.jsonl", judgeText},
	{"suite_validity.jsonl", judgeText},
	{"suite_components.jsonl", judgeComponents},
	{"attack_vectors.json", judgeAttack},
	{"classes_bitmap.jsonl", judgeBytes},
	{"pct_bitmap.jsonl", judgeBytes},
	{"exhaustive.jsonl", judgeAll},
	{"builder.jsonl", judgeBuilder},
	{"normalize.jsonl", judgeNormalized},
	{"suite_normalize.jsonl", judgeNormalized},
	{"rds.jsonl", judgeDotless},
	{"suite_remove_dot_segments.jsonl", judgeDotless},
	{"resolve.jsonl", judgeResolved},
	{"suite_resolve.jsonl", judgeResolved},
	{"suite_resolve_relative_base_undefined.jsonl", judgeResolvedWithoutScheme},
	{"suite_relativize.jsonl", judgeRelative},
	{"suite_recompose.jsonl", judgeRecomposed},
}

func TestExternalConformance(t *testing.T) {
	const variable = "URI_CORPORA"
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skip("set " + variable + " to a folder of rows to judge them")
	}
	judgeFiles(t, folder, externalFiles, long.Sample(t, 8, 1), false)
}

// judgeNumber judges a row of judgeText that also gives the number of the port.
func judgeNumber(t *testing.T, r *row) {
	judgeText(t, r)
	v, err := Parse(r.text(t))
	require.NoError(t, err)
	n, ok := v.PortNumber()
	assert.Equal(t, r.Value != nil, ok, "%q", v.Text())
	if ok && r.Value != nil {
		assert.Equal(t, *r.Value, n, "%q", v.Text())
	}
}

// judgeComponents judges a row that gives the components.
func judgeComponents(t *testing.T, r *row) {
	assertComponents(t, r.text(t), r.Kind, map[Component]*string{
		Scheme: r.Scheme, Authority: r.Authority, Userinfo: r.Userinfo, Host: r.Host,
		Port: r.Port, Path: r.Path, Query: r.Query, Fragment: r.Fragment,
	}, hostKindNames[r.HostKind])
}

// attackComponents are the names of components in that file. A path after an authority has a name of its own.
var attackComponents = map[string]Component{
	"s": Scheme, "ui": Userinfo, "host": Host, "port": Port, "pa": Path, "pb": Path, "q": Query, "f": Fragment,
}

// judgeAttack judges a row that has a verdict and, if that is good, the components.
func judgeAttack(t *testing.T, r *row) {
	s := r.text(t)
	if r.Verdict == "reject" {
		for _, by := range readers {
			assert.NotZero(t, by.read(t, Reference, s).why, "%s: %q", by.name, s)
		}
		return
	}

	want := make(map[Component]*string)
	kind := NoHost
	for _, c := range attackComponents {
		want[c] = nil
	}
	for name, text := range r.Components {
		if c, ok := attackComponents[name]; ok {
			want[c] = &text
			continue
		}
		switch name { // of the rule that matches the host
		case "reg":
			kind = RegName
		case "v4":
			kind = IPv4
		case "lit":
			if kind = IPv6; text[1]|0x20 == 'v' {
				kind = IPvFuture
			}
		}
	}
	rule, ok := map[string]string{"URI": "URI", "rel": "relative-ref"}[r.Verdict]
	require.True(t, ok, "verdict %s", r.Verdict)
	assertComponents(t, s, rule, want, kind)
}

// assertComponents requires s to match the rule with these components; nil is absent.
func assertComponents(t *testing.T, s, rule string, want map[Component]*string, kind HostKind) {
	form, _ := formOf(rule)
	other := map[Form]Form{URI: RelativeRef, RelativeRef: URI}[form]
	for _, by := range readers {
		assert.NotZero(t, by.read(t, other, s).why, "%s: %q is a %s", by.name, s, rule)
		for _, form := range []Form{Reference, form} {
			got := by.read(t, form, s)
			if !assert.Zero(t, got.why, "%s: %s %q", by.name, rule, s) {
				continue
			}
			for c, want := range want {
				var found *string
				if span := got.spans[c]; span[0] >= 0 {
					part := s[span[0]:span[1]]
					found = &part
				}
				assert.Equal(t, want, found, "%s: component %d of %q", by.name, c, s)
			}
			assert.Equal(t, kind, got.host, "%s: %q", by.name, s)
		}
	}
}

// judgeBytes judges a row that has an input with a gap, and one bit for each of the 256 bytes that could fill
// it.
func judgeBytes(t *testing.T, r *row) {
	bits := unhex(t, r.ValidBits)
	require.Len(t, bits, 256/8)
	for c := range 256 {
		want := bits[c/8]>>(c%8)&1 != 0
		s := r.Before + string([]byte{byte(c)}) + r.After
		for _, by := range readers {
			assert.Equal(t, want, by.read(t, Reference, s).why == 0, "%s: %q", by.name, s)
		}
	}
}

// judgeAll judges the row of digests over all inputs, up to some length, of an alphabet that has one byte of
// each class. One digest covers the verdicts, with "1" or "0" per input; the other covers the components,
// with one line per valid input. Shorter inputs come first; inputs of the same length are in the order of the
// alphabet.
func judgeAll(t *testing.T, r *row) {
	alphabet := unhex(t, r.Alphabet)
	for _, by := range readers {
		verdicts, spans := sha256.New(), sha256.New()
		digest := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
		texts := []string{""}
		for length, want := range r.PerLength[:len(r.PerLength)-long.Sample(t, 1, 0)] {
			require.Len(t, texts, want.Strings)
			valid := 0
			for _, s := range texts {
				got := by.read(t, Reference, s)
				if got.why != 0 {
					verdicts.Write([]byte("0"))
					continue
				}
				verdicts.Write([]byte("1"))
				valid++
				fmt.Fprint(spans, s)
				for _, c := range []Component{Scheme, Authority, Userinfo, Host, Port, Path, Query, Fragment} {
					part := "-"
					if span := got.spans[c]; span[0] >= 0 {
						part = s[span[0]:span[1]]
					}
					fmt.Fprint(spans, "|"+part)
				}
				fmt.Fprintln(spans)
			}
			assert.Equal(t, want.Valid, valid, "%s: number of valid texts of length %d", by.name, length)
			assert.Equal(t, want.Verdicts, digest(verdicts), "%s: verdicts up to length %d", by.name, length)
			assert.Equal(t, want.Spans, digest(spans), "%s: components up to length %d", by.name, length)

			longer := make([]string, 0, len(texts)*len(alphabet))
			for _, s := range texts {
				for _, c := range alphabet {
					longer = append(longer, s+string([]byte{c}))
				}
			}
			texts = longer
		}
	}
}

// judgeBuilder judges a row that has components and the output of a Builder that gets them raw.
func judgeBuilder(t *testing.T, r *row) {
	var b Builder
	b.give(&elements{
		Scheme: r.Scheme, Userinfo: r.Userinfo, Host: r.Host, Port: r.Port,
		PathText: r.Path, Query: r.Query, Fragment: r.Fragment,
	}, Raw[string])
	out, err := b.Append(nil)
	switch {
	case r.Scheme != nil && *r.Scheme == "":
		// No valid URI has it, but this is how a Builder represents a relative reference.
		assert.NoError(t, err)
		assert.Regexp(t, "^//", string(out))
	case r.Text == nil:
		assert.Error(t, err, "%q", out)
	default:
		assert.NoError(t, err, "%q", *r.Text)
		assert.Equal(t, *r.Text, string(out))
	}
}

// No row of the operations is an exception. If following the RFC literally gives a result that would scan to
// other components, the library gives the guarded result, which a row has as "guarded" (13 rows of
// suite_normalize and suite_resolve, 48 of resolve) or marks as a hazard (3 of normalize). The policies of
// suite_normalize (44 rows) are those of this library: dot segments of a relative reference are removed if
// its path begins with "/", and kept otherwise.

// judgeResolved judges a row that has a base, a reference and the target.
func judgeResolved(t *testing.T, r *row) {
	var options ResolveOption
	if !r.Strict {
		options = BackwardCompatible
	}
	assertResolved(t, r.Base, r.Ref, r.guarded(r.Target), options, 0)
}

// judgeResolvedWithoutScheme judges a row whose base is a relative reference. This library returns an error,
// because a base must be a URI (RFC 3986 section 5.1). The result of the pseudocode is the same as with a
// scheme added to the base and removed from the result.
func judgeResolvedWithoutScheme(t *testing.T, r *row) {
	assertResolved(t, r.Base, r.Ref, "", 0, ErrScheme)
	slow, _ := slowResolve(slowParts(Reference, r.Base), slowParts(Reference, r.Ref), true)
	assert.Equal(t, r.Literal, slow.text(), "slow twin: %q, %q", r.Base, r.Ref)
	want := r.Literal
	if slowParts(Reference, r.Ref).scheme == nil {
		want = "x:" + want
	}
	assertResolved(t, "x:"+r.Base, r.Ref, want, 0, 0)
}

// judgeRelative judges a row that has a base, a target, and references to it. The library may find another
// reference if that is shorter, but all of them must resolve to the same target. A row whose base or target
// has no scheme has no reference; the library returns an error.
func judgeRelative(t *testing.T, r *row) {
	vb, wb := scannedAs(t, Reference, r.Base)
	vt, wt := scannedAs(t, Reference, r.Target)
	out, err := AppendRelative(nil, &wb, &vt)
	if vb.IsRelative() || wt.IsRelative() {
		require.Empty(t, r.Refs)
		assert.Equal(t, ErrScheme, err, "%q, %q", r.Base, r.Target)
		return
	}
	assert.NoError(t, err, "%q, %q", r.Base, r.Target)
	got := string(out)
	for _, ref := range append(r.Refs, got) {
		assertResolved(t, r.Base, ref, r.Target, 0, 0)
		assert.LessOrEqual(t, len(got), len(ref), "%q, %q: %q, not %q", r.Base, r.Target, ref, got)
	}
	assertNoneShorter(t, r.Base, r.Target, got)
}

// judgeRecomposed judges a row that has data and the URI composed of it. A single empty segment is the root.
// There is an authority if any of its data is not empty. An IPv6 address has no brackets in the data and is
// lower-case in the URI. The result is the form of RFC 5952 except in one row: "::1.2.3.4" is kept, which a
// Builder does if it is given as text; given as Addr, it becomes "::102:304".
func judgeRecomposed(t *testing.T, r *row) {
	raw := r.RawComponents
	require.NotNil(t, raw)
	scheme, userinfo := orEmpty(raw.Scheme), orEmpty(raw.Userinfo)
	host, port := orEmpty(raw.Host), orEmpty(raw.Port)
	var u slowURI
	b := Builder{
		Scheme: Data(scheme), Userinfo: Data(userinfo), Host: Data(host), Port: Data(port),
		HasAuthority: host+userinfo+port != "", HasQuery: raw.Query != nil, HasFragment: raw.Fragment != nil,
	}
	part := func(data string, c Component, to **string) {
		encoded := slowEncode(data, slowSets[c])
		*to = &encoded
		out := string(AppendEncode(nil, data, c.Allowed()))
		assert.Equal(t, encoded, out, "%q as component %d", data, c)
	}
	if scheme != "" {
		part(scheme, Scheme, &u.scheme)
	}
	if b.HasAuthority {
		part(host, Host, &u.host)
		if addr, err := netip.ParseAddr(host); err == nil && addr.Is6() {
			*u.host = "[" + strings.ToLower(host) + "]"
			if strings.Contains(host, ".") {
				b.Host = Raw(*u.host)
			} else {
				b.Host, b.Addr = Part{}, addr
			}
		}
		if userinfo != "" {
			part(userinfo, Userinfo, &u.userinfo)
		}
		if port != "" {
			part(port, Port, &u.port)
		}
	}
	for i, segment := range raw.Path {
		b.Path = append(b.Path, Data(segment))
		if i > 0 || len(raw.Path) == 1 && segment == "" {
			u.path += "/"
		}
		u.path += slowEncode(segment, pchars)
	}
	if raw.Query != nil {
		b.Query = Data(*raw.Query)
		part(*raw.Query, Query, &u.query)
	}
	if raw.Fragment != nil {
		b.Fragment = Data(*raw.Fragment)
		part(*raw.Fragment, Fragment, &u.fragment)
	}
	want, ok := r.Their.(string)
	require.True(t, ok)
	out, err := b.Append(nil)
	assert.NoError(t, err, "%q", want)
	assert.Equal(t, want, string(out))
	assert.Equal(t, want, u.text(), "slow twin")
}
