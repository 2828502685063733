package uri

import (
	"math/rand"
	"strings"
	"syscall"
	"testing"

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
	const maxLength = 200
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
