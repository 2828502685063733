package uri

import (
	"bytes"
	"fmt"
	"math/rand"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// guarded returns a page with one before and one after it that fault when they are touched.
func guarded(t *testing.T) []byte {
	size := syscall.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(pages)) })
	require.NoError(t, syscall.Mprotect(pages[:size], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(pages[2*size:], syscall.PROT_NONE))
	return pages[size : 2*size : 2*size]
}

// TestGuardPages scans texts that end and texts that begin where memory does, or up to 63 bytes from there, at every level.
// What a level finds must not turn on where the text stands, nor on the bytes beside it, which are what the texts before
// have left there.
func TestGuardPages(t *testing.T) {
	const maxLength = 300
	random := rand.New(rand.NewSource(3986))
	// taken returns a function that fills a text with bytes from the alphabet.
	taken := func(alphabet string) func(text []byte) {
		pool := make([]byte, 1<<14)
		for i := range pool {
			pool[i] = alphabet[random.Intn(len(alphabet))]
		}
		return func(text []byte) { copy(text, pool[random.Intn(len(pool)-maxLength):]) }
	}
	// repeated returns one that fills a text with a head, a unit over and over, and a tail.
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
		{"sample", repeated("http://user@example.com:8042/over/there?name=ferret#nose/%41%42 http://[2001:db8::1]:80/a/b", " ", "")},
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
				for shift := range blockSize {
					s := elsewhere[:n]
					texts.fill(s)
					form := Form((n + shift) % int(HostField+1))
					for _, text := range [][]byte{page[shift:][:n], page[len(page)-shift-n:][:n]} {
						copy(text, s)
						requireSame(t, Reference, text, s)
						if form != Reference && (n+shift)%3 == 0 {
							requireSame(t, form, text, s)
						}
						requireSameMasks(t, text[:min(n, blockSize)], s[:min(n, blockSize)])
						if n > blockSize {
							requireSameMasks(t, text[n-blockSize:], s[n-blockSize:])
						}
					}
				}
			}
		})
	}
}

// TestGuardedReaders calls every exported function that reads bytes, on texts that end and texts that begin where memory does,
// and requires what it returns for the same text elsewhere.
func TestGuardedReaders(t *testing.T) {
	page := guarded(t)
	addr := netip.MustParseAddr("2001:db8::1")
	var buffer [8 * 1024]byte
	read := func(s []byte) string {
		out := buffer[:0]
		note := func(text []byte, err error) {
			if out = append(append(out, text...), '\n'); err != nil {
				out = append(out, err.Error()...)
			}
		}
		for form := Reference; form <= HostField; form++ {
			var v View
			note(nil, v.Scan(form, s))
			out = fmt.Append(out, readAll(&v), v.ErrorOffset())
			n, err := v.ScanPrefix(form, s)
			out = fmt.Append(out, readAll(&v), n)
			note(nil, err)
			if Valid(form, s) {
				out = append(out, '+')
			}
			for segment := range v.Segments() {
				note(segment, nil)
			}
			b := v.Builder()
			note(b.Append(nil))
			note(v.AppendText(nil))
			note(v.MarshalText())
			note([]byte(v.String()), nil)
			note(AppendAddr(nil, v.Addr()))
			if v.Scan(form, s) != nil {
				_ = v.Scan(form|Lenient, s)
			}
			out = appendViewOperations(out, &v, form, s)
		}
		out = appendOperations(out, s)
		v, err := Parse(s)
		note(v.Text(), err)
		err = v.UnmarshalText(s)
		note(v.Text(), err)
		for _, part := range []Part{Data(s), Raw(s)} {
			for _, b := range []Builder{
				{Scheme: part},
				{Userinfo: part, Host: part},
				{Host: Data("h"), Port: part},
				{Addr: addr, Path: []Part{Data(""), part}},
				{PathText: part},
				{Query: part},
				{Fragment: part},
			} {
				note(b.Append(nil))
				note(nil, map[bool]error{true: ErrScheme}[b.IsRelative()])
			}
		}
		return string(out)
	}

	for _, unit := range []string{
		"http://user:word@example.com:8042/over/there?name=ferret#nose", "http://h/a/../b/./c?sig=1&name=2;x#", "a", "%41", "a/", "9", "//[::1]:80/", "//192.0.2.1/", "\xFF ",
	} {
		for n := range 301 {
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

// TestGuardCanary shows that the guard pages would tell: a scan of a text with one byte in such a page ends the process, at
// every level and on both sides.
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
	if os.Getenv("URI_LEVEL") != "" {
		t.Skip("runs where URI_LEVEL is not set: an emulated process cannot start another one")
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
