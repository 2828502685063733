package uri

import (
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

// TestGuardPages scans texts that end and texts that begin where memory does, at every level.
func TestGuardPages(t *testing.T) {
	page := guarded(t)
	const lines = "http://user@example.com:8042/over/there?name=ferret#nose/%41%42 http://[2001:db8::1]:80/a/b"
	for _, level := range levels {
		level.use()
		for n := range 201 {
			for shift := range 65 {
				for _, text := range [][]byte{page[shift : shift+n], page[len(page)-shift-n : len(page)-shift]} {
					copy(text, lines)
					var v View
					_, err := v.ScanPrefix(Reference, text)
					require.NoError(t, err)
					for i := range text {
						text[i] = 'a'
					}
					require.True(t, Valid(Reference, text))
					if n > 9 {
						copy(text, "http://a:")
						for i := range text[9:] {
							text[9+i] = '0'
						}
						require.True(t, Valid(URI, text))
						text[n-1] = '%'
						require.Error(t, v.Scan(URI, text))
					}
				}
			}
		}
	}
}
