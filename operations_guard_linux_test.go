package uri

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowGlance is glance as its clues are told.
func slowGlance(s string, head int) (found clues) {
	if strings.ContainsAny(s[:head], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		found |= clueUpper
	}
	if strings.Contains(s, "/.") {
		found |= clueDot
	}
	if strings.Contains(s[head:], "//") {
		found |= clueSlash
	}
	return found
}

// TestOperationGuardPages has texts that end and texts that begin where memory does, or up to 63 bytes from there. At every
// level the operations find in them what they find elsewhere, whatever bytes stand beside them.
func TestOperationGuardPages(t *testing.T) {
	const maxLength = 200
	random := rand.New(rand.NewSource(3986))
	page := guarded(t)
	for _, alphabet := range []string{
		"a", "abcdefghijklmnop/.", "a/", "ab@[Z`z/", "%4aA2Ee/.", "/.A", "abcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,;=",
	} {
		taken := func(b []byte) {
			for i := range b {
				b[i] = alphabet[random.Intn(len(alphabet))]
			}
		}
		for i := range page {
			page[i] = "/.AZ%@[ \x80"[random.Intn(9)]
		}
		for n := range maxLength + 1 {
			for shift := range blockSize {
				s := make([]byte, n)
				taken(s)
				elsewhere := string(s)
				for _, at := range [][]byte{page[shift:][:n], page[len(page)-shift-n:][:n]} {
					copy(at, s)
					for _, level := range levels {
						level.use()
						for _, head := range []int{0, n, random.Intn(n + 1)} {
							requireEqual(t, slowGlance(elsewhere, head), glance(text(at), head), "level %s, %q, head %d", level.name, elsewhere, head)
						}
						if shift%9 == 0 {
							requireSameOperations(t, at, elsewhere)
						}
					}
				}
			}
		}
	}
}

// requireSameOperations requires of the operations that they make of s what they make of it elsewhere.
func requireSameOperations(t *testing.T, s []byte, elsewhere string) {
	requireEqual(t, string(AppendEncode(nil, elsewhere, Path.Set())), string(AppendEncode(nil, s, Path.Set())))
	requireEqual(t, EncodedLen(elsewhere, Set{}), EncodedLen(s, Set{}))
	decoded, err := AppendDecode(nil, s)
	again, errAgain := AppendDecode(nil, elsewhere)
	requireEqual(t, errAgain, err)
	requireEqual(t, string(again), string(decoded))
	requireEqual(t, string(AppendRedacted(nil, elsewhere, nil)), string(AppendRedacted(nil, s, nil)))
	requireEqual(t, string(AppendRemoveDotSegments(nil, elsewhere)), string(AppendRemoveDotSegments(nil, s)))

	var v View
	var w StringView
	err = v.Scan(Reference|Lenient, s)
	requireEqual(t, w.Scan(Reference|Lenient, elsewhere), err)
	requireEqual(t, w.Traits(), v.Traits(), "%q", elsewhere)
	requireEqual(t, w.StepsNeeded(SchemeBased), v.StepsNeeded(SchemeBased), "%q", elsewhere)
	requireEqual(t, w.Hash(1, SchemeBased), v.Hash(1, SchemeBased), "%q", elsewhere)
	require.True(t, Equivalent(&v, &w, SchemeBased), "%q", elsewhere)
	requireEqual(t, string(w.AppendNormalized(nil, SchemeBased)), string(v.AppendNormalized(nil, SchemeBased)), "%q", elsewhere)
}

// appendOperations appends what the functions that take a text return for s.
func appendOperations(out, s []byte) []byte {
	note := func(text []byte, err error) { out = fmt.Appendf(out, "%s %v\n", text, err) }
	keys := []string{text(s), "name"}
	note(AppendDecode(nil, s))
	note(AppendFormDecode(nil, s))
	note(AppendEncode(nil, s, Pchar()), nil)
	note(AppendEncode(nil, s, NewSet(text(s))), nil)
	note(AppendFormEncode(nil, s), nil)
	note(AppendRemoveDotSegments(nil, s), nil)
	note(AppendRedacted(nil, s, nil), nil)
	note(AppendRedacted(nil, s, keys), nil)
	out = fmt.Appendln(out, EncodedLen(s, Unreserved()), EqualDecoded(s, s), EqualDecoded(s, "a"), EqualDecoded("a", s),
		RequestForm("GET", s), RequestForm(s, s), RequestForm(s, "*"))

	var before [512]byte
	kept := before[:copy(before[:], s)]
	note(DecodeInPlace(s))
	copy(s, kept)
	note(RemoveDotSegmentsInPlace(s), nil)
	copy(s, kept)
	return out
}

// appendViewOperations appends what the operations return for a view of s by the form.
func appendViewOperations(out []byte, v *View, form Form, s []byte) []byte {
	note := func(text []byte, err error) { out = fmt.Appendf(out, "%s %v\n", text, err) }
	var w StringView
	var host View
	out = fmt.Appendln(out, w.Scan(Reference|Lenient, text(s)), host.Scan(HostField, s))
	for _, steps := range []Step{SchemeBased, RemoveDotSegments | LowercaseHost} {
		note(v.AppendNormalized(nil, steps), nil)
		out = fmt.Appendln(out, v.IsNormalized(steps), v.StepsNeeded(steps), v.Hash(1, steps), Equivalent(v, &w, steps))
	}
	note(AppendResolved(nil, v, &w, 0))
	note(AppendResolved(nil, &w, v, RejectAboveRoot))
	note(AppendRelative(nil, v, &w))
	note(AppendRelative(nil, &w, v))
	note(AppendTargetURI(nil, "http", form, v, &host))
	note(AppendTargetURI(nil, text(s), form, v, &host))
	out = fmt.Appendln(out, HostAgrees(v, &host), v.Traits())
	note(v.AppendRedacted(nil, []string{text(s), "name"}), nil)
	note(v.AppendWithoutParams(nil, func(p Param) bool { return p.Is("name") || p.Is(text(s)) }), nil)
	p, ok := v.Param(text(s))
	out = fmt.Appendln(out, p, ok)
	for p := range v.Params() {
		note(p.Key, nil)
	}
	for p := range v.ParamsBy(';') {
		note(p.Value, nil)
	}
	for segment := range v.SegmentsBackward() {
		note(segment, nil)
	}
	for _, part := range [][]byte{v.LastSegment(), v.Extension(), v.RequestTarget(), v.WithoutFragment()} {
		note(part, nil)
	}
	return out
}
