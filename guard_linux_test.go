package uri

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// guarded returns a page between two pages that fault when they are accessed.
func guarded(t *testing.T) []byte {
	size := syscall.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(pages)) })
	require.NoError(t, syscall.Mprotect(pages[:size], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(pages[2*size:], syscall.PROT_NONE))
	return pages[size : 2*size : 2*size]
}

// TestGuardPages scans inputs that end or begin at the edge of accessible memory, or up to 63 bytes from it,
// at every level. The result must not depend on where the input is, nor on the bytes beside it, which are
// left over from earlier inputs.
func TestGuardPages(t *testing.T) {
	const maxLength = 300
	stride := long.Sample(t, 11, 1)
	random := rand.New(rand.NewSource(3986))
	// taken returns a function that fills its argument with bytes from the alphabet.
	taken := func(alphabet string) func(text []byte) {
		pool := make([]byte, 1<<14)
		for i := range pool {
			pool[i] = alphabet[random.Intn(len(alphabet))]
		}
		return func(text []byte) { copy(text, pool[random.Intn(len(pool)-maxLength):]) }
	}
	// repeated returns a function that fills its argument with a head, a repeated unit, and a tail.
	repeated := func(head, unit, tail string) func(text []byte) {
		body := head + strings.Repeat(unit, maxLength)
		return func(text []byte) {
			copy(text, body)
			copy(text[max(0, len(text)-len(tail)):], tail)
		}
	}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	letters := strings.Repeat(alphas, 2)
	head := taken(letters + "::://@")
	tail := taken(letters + "////??#%41")

	for _, texts := range []struct {
		name string
		fill func(text []byte)
	}{
		{"every byte", taken(string(every))},
		{"every legal", taken(unreserved + subDelims + genDelims + "%")},
		{"plain", taken(letters + decimals + "/////??")},
		{"delimiters", taken(":/?#[]@%09afAFgG \x00\x7F\x80\xFF")},
		{"head", func(text []byte) { head(text); tail(text[len(text)/2:]) }},
		{"web", func(text []byte) { tail(text); copy(text, "http://example.com:80/") }},
		{"sample", repeated(
			"http://user@example.com:8042/over/there?name=ferret#nose/%41%42 http://[2001:db8::1]:80/a/b", " ", "")},
		{"segment", repeated("", "a", "")},
		{"scheme", repeated("", "a", ":")},
		{"host", repeated("a://", "a", "/")},
		{"port", repeated("http://a:", "0", "")},
		{"no port", repeated("http://a:", "0", "a")},
		{"userinfo", repeated("//", ":", "@")},
		{"escapes", repeated("a:", "%41", "")},
		{"broken", repeated("http://a:80/", "a", "%")},
		{"broken later", repeated("/?", "a", "%4")},
		{"fragment", repeated("/", "/", "#")},
		{"two", repeated("#", "?", "#")},
		{"space", repeated("http://a/", "a", " ")},
		{"high", repeated("", "\x80", "\xFF")},
		{"bracket", repeated("a://[::", "1", "]")},
		{"colons", repeated("", ":", "")},
	} {
		t.Run(texts.name, func(t *testing.T) {
			page := guarded(t)
			for i := range page {
				page[i] = every[random.Intn(len(every))]
			}
			var elsewhere [maxLength]byte
			for n := range maxLength + 1 {
				for shift := n % stride; shift < blockSize; shift += stride {
					s := elsewhere[:n]
					texts.fill(s)
					form := Form((n + shift) % int(HostField+1))
					for _, text := range [][]byte{page[shift:][:n], page[len(page)-shift-n:][:n]} {
						copy(text, s)
						requireSame(t, Reference, text, s)
						if form != Reference && (n+shift)%3 == 0 {
							requireSame(t, form, text, s)
						}
						if block := min(n, blockSize); n > 0 {
							requireSameMasks(t, text[:block], s[:block])
							requireSameMasks(t, text[n-block:], s[n-block:])
							requireSameSets(t, text[:block], s[:block])
							requireSameSets(t, text[n-block:], s[n-block:])
						}
					}
				}
			}
		})
	}
}

// TestGuardedReaders calls every exported function that reads bytes, with inputs that end or begin at the
// edge of accessible memory. It requires the same results as for the same input elsewhere.
func TestGuardedReaders(t *testing.T) {
	sparse := long.Sample(t, 20, 301)
	page := guarded(t)
	all := operations()
	buffer := make([]byte, 0, 1<<16)
	read := func(s []byte) string {
		out := buffer
		for form := Reference; form <= HostField; form++ {
			var v View
			out = outcome(out, v.Scan(form, s))
			out = fmt.Append(out, readAll(&v), v.ErrorOffset())
			n, err := v.ScanPrefix(form, s)
			out = fmt.Append(outcome(out, err), readAll(&v), n, Valid(form, s))
			if v.Scan(form, s) != nil {
				_ = v.Scan(form|Lenient, s)
			}
			in := input{text: s, view: v, scans: true}
			for k := range all {
				if all[k].view != nil || form == Reference {
					out = all[k].run(out, &in)
				}
			}
		}
		kept := bytes.Clone(s)
		decoded, err := DecodeInPlace(s)
		out = outcome(append(out, decoded...), err)
		copy(s, kept)
		out = append(out, RemoveDotSegmentsInPlace(s)...)
		copy(s, kept)
		return string(out)
	}

	for _, unit := range []string{
		"http://user:word@example.com:8042/over/there?name=ferret#nose", "http://h/a/../b/./c?sig=1&name=2;x#", "a",
		"%41", "a/", "9", "//[::1]:80/", "//192.0.2.1/", "\xFF ",
		"http://h/a\r\nb b\n\n",
	} {
		for n := 0; n <= 300; n += 1 + n/sparse {
			elsewhere := bytes.Repeat([]byte(unit), 301/len(unit)+1)[:n]
			want := read(slices.Clip(bytes.Clone(elsewhere)))
			for _, level := range levels {
				level.use()
				for _, s := range [][]byte{page[:n:n], page[len(page)-n:]} {
					copy(s, elsewhere)
					require.Equal(t, want, read(s), "level %s, %q", level.name, elsewhere)
				}
			}
		}
	}
}

// TestGuardCanary shows that the guard pages work: scanning an input that has one byte in a guard page ends
// the process, at every level and on both sides.
func TestGuardCanary(t *testing.T) {
	const variable = "URI_CANARY"
	if place := os.Getenv(variable); place != "" {
		page := guarded(t)
		for i := range page {
			page[i] = 'a'
		}
		name, side, _ := strings.Cut(place, " ")
		levels[slices.IndexFunc(levels, func(l level) bool { return l.name == name })].use()
		start := map[string]int{"before": -1, "within": 0, "after": len(page) - blockSize + 1}[side]
		s := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(page)), start)), blockSize)
		var v View
		require.NoError(t, v.Scan(Reference, s))
		return
	}
	if emulated() {
		t.Skip("runs if URI_LEVEL is not set: an emulated process cannot start another one")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, level := range levels {
		for _, side := range []string{"before", "within", "after"} {
			t.Run(level.name+" "+side, func(t *testing.T) {
				canary := exec.Command(self, "-test.run", "^TestGuardCanary$")
				canary.Env = append(os.Environ(), variable+"="+level.name+" "+side)
				out, err := canary.CombinedOutput()
				if side == "within" {
					require.NoError(t, err, string(out))
					return
				}
				require.Error(t, err)
				require.Contains(t, string(out), "unexpected fault address")
			})
		}
	}
}

// slowGlance finds the clues by their definitions.
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

// slowOdd is isOdd by its definition.
func slowOdd(s string) bool {
	return strings.ContainsAny(s, ";$") || strings.Contains(s, "./") || strings.Contains(s, "--")
}

// TestOperationGuardPages has inputs that end or begin at the edge of accessible memory, or up to 63 bytes
// from it. At every level, the operations must give the same results as elsewhere, whatever the bytes beside
// the input.
func TestOperationGuardPages(t *testing.T) {
	const maxLength = 200
	stride := long.Sample(t, 7, 1)
	random := rand.New(rand.NewSource(3986))
	page := guarded(t)
	for _, alphabet := range []string{
		"a", "abcdefghijklmnop/.", "a/", "ab@[Z`z/", "%4aA2Ee/.", "/.A",
		"abcdefghijklmnopqr/st.uvwxyz-", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz;", "/-.",
		"abcdefghijklmnopqrstuvwxyz0123456789-_~!$&'()*+,;=",
		"\n", "ab\n", "abcdefghijklmnopqrstuvwxyz0123456789\r\n",
	} {
		taken := func(b []byte) {
			for i := range b {
				b[i] = alphabet[random.Intn(len(alphabet))]
			}
		}
		for i := range page {
			page[i] = "/.AZ%@[ \x80\n"[random.Intn(10)]
		}
		for n := range maxLength + 1 {
			for shift := n % stride; shift < blockSize; shift += stride {
				s := make([]byte, n)
				taken(s)
				elsewhere := string(s)
				for _, at := range [][]byte{page[shift:][:n], page[len(page)-shift-n:][:n]} {
					copy(at, s)
					for _, level := range levels {
						level.use()
						for _, head := range []int{0, n, random.Intn(n + 1)} {
							requireEqual(t, slowGlance(elsewhere, head), glance(text(at), head),
								"level %s, %q, head %d", level.name, elsewhere, head)
						}
						if odd := slowOdd(elsewhere); odd || !strings.ContainsAny(elsewhere, ".-") {
							requireEqual(t, odd, isOdd(text(at)), "level %s, %q", level.name, elsewhere)
						}
						requireNewlines(t, at, elsewhere)
						if shift%9 == 0 {
							requireSameOperations(t, at, elsewhere)
						}
					}
				}
			}
		}
	}
}

// requireSameOperations requires the operations to give the same results for s as for the same input
// elsewhere.
func requireSameOperations(t *testing.T, s []byte, elsewhere string) {
	keep := Path.Allowed()
	requireEqual(t, string(AppendEncode(nil, elsewhere, keep)), string(AppendEncode(nil, s, keep)))
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
	requireEqual(t, err == nil, Equivalent(&v, &w, SchemeBased), "%q", elsewhere)
	requireEqual(t, string(w.AppendNormalized(nil, SchemeBased)), string(v.AppendNormalized(nil, SchemeBased)),
		"%q", elsewhere)
}
