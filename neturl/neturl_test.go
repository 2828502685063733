package neturl

import (
	"bufio"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri"
)

func TestFrom(t *testing.T) {
	for _, s := range []string{
		"", "/", "a", "a/b?c#d", "?", "?a%20b", "#a%2Fb", "//h", "//h/a%2Fb/../c", "http://h", "http://h/",
		"http://h/?", "//@h",
		"http://u@h/", "http://u:p@h:80/", "http://u:@h/", "http://h:/", "http://[::1]:80/a", "http://127.0.0.1/",
		"mailto:a@b", "urn:a:b?c#d", "x:", "x:/a", "x:///a", "file:///etc/hosts", "/a%7eb", "/%41",
		"/a!$&'()*+,;=:@b",
		"HTTP://H/", "x:/.//a", "/.//a",
	} {
		v, err := uri.Parse(s)
		require.NoError(t, err)
		u, err := From(&v)
		require.NoError(t, err, "%q", s)
		assert.Equal(t, s, u.String())
	}
	for _, s := range []string{"http://h/#", "//%41", "//u%41@h"} {
		v, err := uri.Parse([]byte(s))
		require.NoError(t, err)
		_, err = From(&v)
		assert.Equal(t, uri.ErrForm, err, "%q", s)
	}
	v, err := uri.Parse("http://h h/")
	require.Error(t, err)
	_, err = From(&v)
	assert.ErrorIs(t, err, uri.ErrHost)
}

// TestBundled converts the bundled lines: all but a few can be written by net/url, byte for byte.
func TestBundled(t *testing.T) {
	file, err := os.Open("../testdata/uris.txt")
	require.NoError(t, err)
	defer file.Close()
	lines, refused := 0, 0
	for scanner := bufio.NewScanner(file); scanner.Scan(); lines++ {
		v, err := uri.Parse(scanner.Text())
		require.NoError(t, err)
		u, err := From(&v)
		if err != nil {
			refused++
			t.Log("refused:", v.Text())
			continue
		}
		assert.Equal(t, v.Text(), u.String())
	}
	t.Logf("%d of %d lines refused", refused, lines)
	assert.Less(t, refused*10, lines)
}
