//go:build !purego

package uri

import (
	"encoding/binary"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// The kernels behind Scan leave to scanInGo what they cannot decide. If one leaves too much, no result
// changes, but the speed is lost. The tests in this file see what each kernel leaves.

// gaveUp is what a view holds after a kernel has given up.
var gaveUp = offsets{has: 0xFFFF}

// giveUp notes in v that a kernel has given up.
//
//go:noinline
func giveUp(v *view, _ Form) error {
	v.offsets = gaveUp
	return nil
}

// watchKernels replaces scanInGo by giveUp until the test ends, in the memory of this process. The first
// instruction of scanInGo becomes a jump, so nothing else may scan meanwhile. The portable level cannot scan
// either.
func watchKernels(t *testing.T) {
	if emulated() {
		t.Skip("runs if URI_LEVEL is not set: it changes code that an emulator may have translated before")
	}
	from, to := reflect.ValueOf(scanInGo).Pointer(), reflect.ValueOf(giveUp).Pointer()
	jump := binary.LittleEndian.AppendUint32([]byte{0xE9}, uint32(to-from)-5)

	size := uintptr(os.Getpagesize())
	first := from &^ (size - 1)
	last := (from + uintptr(len(jump)) - 1) &^ (size - 1)
	pages := memoryAt(first, int(last+size-first))
	code := pages[from-first:][:len(jump)]
	old := string(code)
	require.NoError(t, syscall.Mprotect(pages, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC))
	t.Cleanup(func() {
		copy(code, old)
		require.NoError(t, syscall.Mprotect(pages, syscall.PROT_READ|syscall.PROT_EXEC))
	})
	copy(code, jump)

	v := view{src: "a:b c"}
	require.NoError(t, scan(&v, Reference), "the jump works")
	require.Equal(t, gaveUp, v.offsets, "the jump works")
}

// A stage is a page for inputs, between pages that fault when they are accessed. In it, an input is beside
// bytes that would matter if they were part of it.
type stage struct{ page []byte }

func newStage(t *testing.T) stage { return stage{guarded(t)} }

var around = strings.Repeat("41:/?#@%", blockSize/8)

// at places s at an offset in the page.
func (p stage) at(i int, s string) string {
	end := i + len(s)
	copy(p.page[max(0, i-blockSize):i], around)
	copy(p.page[end:], around)
	return text(p.page[i:][:copy(p.page[i:], s)])
}

// atStart places s where the page begins, and atEnd where it ends.
func (p stage) atStart(s string) string { return p.at(0, s) }
func (p stage) atEnd(s string) string   { return p.at(len(p.page)-len(s), s) }

// decides reports whether the kernel of the current level decides s. If it does, what it finds must be what
// the state machine finds.
func decides(t *testing.T, form Form, s string) bool {
	v := view{s, stale}
	err := scan(&v, form)
	if v.offsets == gaveUp {
		return false
	}
	var want offsets
	_, wantErr := want.scanBlocks(form&^Lenient, form&Lenient != 0, s)
	requireEqual(t, wantErr, err, "%s %q", formName(form), s)
	requireEqual(t, want, v.offsets, "%s %q", formName(form), s)
	return true
}

// A column of the table of TestKernelDecides is a kernel, or one for input that ends where a page ends.
type column uint8

const (
	with512 column = 1 << iota // AVX-512, wherever the input is
	with2                      // AVX2
	end2                       // AVX2 and the end of a page
	always  = with512 | with2 | end2
	never   = 0
)

// TestKernelDecides lists what the kernels decide, and what they leave to scanInGo.
func TestKernelDecides(t *testing.T) {
	block := strings.Repeat("a", blockSize)
	fill := func(n int, head, tail string) string { return head + strings.Repeat("a", n-len(head+tail)) + tail }
	rows := []struct {
		what  string
		by    column
		forms []Form // Reference if none
		texts []string
	}{
		{"plain input", always, nil, []string{
			"a", "/", "?", "//", "///", "a/b:c", "s:", "s:a", "http://example.com/a?b=c?d", "file:///etc/hosts", "//h",
			fill(63, "/", ""), fill(63, "http://", ""), fill(63, "a", ""), fill(63, "?", "?"),
		}},
		{"plain input of 64 bytes and more", always, nil, []string{
			fill(64, "/", ""), fill(64, "/", "?"), fill(64, "s:", ""), fill(64, "http://", "/"),
			"/" + block, "/" + block + "?", "http://h/" + block + "?q", "s:" + block,
			"/" + block + block, "?" + block + block[:50] + "?" + block,
		}},
		{"unusual bytes", with512 | with2, nil, []string{
			"#", "/#", "a#b", "?#?", "%41", "/a%41", "a@b", "/@", "//u@h", "//@", "//u:p@h/", "//u%41@h%41/#%41",
			fill(63, "/", "#"), fill(63, "/", "%41"), fill(63, "//", "@h"), fill(63, "//u@", ""),
		}},
		{"unusual bytes in input of 64 bytes and more", always, nil, []string{
			fill(64, "/", "#"), fill(64, "/", "%41"), fill(64, "//", "@h/"), fill(64, "http://u:p@h#", ""),
			"/#" + block, "/a" + block + "#", "/" + block + block + "#", "/" + block + "?#?" + block,
			"/%41" + block, "/" + block[2:] + "%41", "/" + block[1:] + "%41", "/" + block + "a%41%41",
			"/" + block + "@a", "//u@h/" + block + "%41",
		}},
		{"unusual bytes in input of 65 bytes", never, nil, []string{
			fill(65, "/#", ""), fill(65, "/", "#"), fill(65, "/%41", ""), fill(65, "/", "%41"), fill(65, "/", "@"),
		}},
		{"ports", always, nil, []string{
			"//ab.c:1", "http://h:8", "http://h:80/", "http://h:12345678?", "s://:123", "//ab:1234/",
			fill(64, "http://h:80/", ""), fill(64, "http://", ":8/"), "http://h:80/" + block, "s://ho:0/" + block,
		}},
		{"ports after userinfo", with512 | with2, nil, []string{"//u@h:123", "//u:p@h:80/", "//u@h:80#"}},
		{"ports that end in the first seven bytes", with512, nil, []string{
			"//h:1", "//h:80/", "//:1234", "//:1/" + block,
		}},
		{"empty ports", with512, nil, []string{"http://h:", "http://h:/", "http://u@h:#", "http://h:/" + block}},
		{"ports of more than eight digits", with512, nil, []string{"//h:123456789/", "//h:123456789/" + block}},
		{"schemes of up to 31 bytes", always, nil, []string{
			fill(32, "", ":"), fill(34, "", "://"), fill(32, "", ":") + block,
		}},
		{"longer schemes", with512 | end2, nil, []string{fill(33, "", ":"), fill(62, "", ":"), fill(63, "", ":")}},
		{"longer schemes in input of 64 bytes and more", with512, nil, []string{
			fill(33, "", ":") + block, fill(62, "", ":") + block, fill(62, "", ":") + "aa",
			fill(63, "", "://") + "/" + block,
		}},
		{"a first path segment that ends in the first block", always, nil, []string{
			fill(64, "", "/"), fill(64, "", "?"), fill(64, "", "#"), fill(66, "", "#aa"),
		}},
		{"a head that does not end in the first block", never, nil, []string{
			block, block + "a", block + "/", block + "?", block + "#a", fill(64, "", ":"), fill(63, "", ":") + "a",
			fill(64, "//", ""), fill(65, "//", "/"), fill(65, "http://", "?"), fill(63, "", ":") + "//h",
			fill(65, "//", "@h/"), fill(65, "//h:", "/"),
		}},
		{"IP-literals", never, nil, []string{
			"//[::1]", "http://[::1]:80/", "//u@[v1.a]/#", "http://[::1]/" + block,
		}},
		{"empty input", never, nil, []string{""}},

		{"bytes that are allowed nowhere", never, nil, []string{
			" ", "a b", "/[", "\x80", "/a\x00", "//h:/:\xFF", "/ " + block, "/" + block + " ",
			"/" + block + block + "\x80",
		}},
		{"faults of the scheme", never, nil, []string{
			":", "1:", "-:", "+a:", ".:", "1a:b", "a_b:c", "a@b:c", "a%41:",
		}},
		{"faults of the authority", never, nil, []string{
			"//u@v@h", "//h:a", "//h:8a", "//h:8:9", "//u@h:8@", "//h:a/" + block,
		}},
		{"broken escapes", never, nil, []string{
			"%", "/%4", "/%4g", "/%g", "/%%41", "/%4z" + block, fill(64, "/", "%"), fill(64, "/", "%4"),
			fill(64, "/", "%") + "z" + block, fill(64, "/", "%4") + "z" + block, "/" + block + "%",
			"/" + block + "a%4",
		}},
		{"two fragments", never, nil, []string{
			"##", "/#a#", "/#" + block + "#", "/" + block + "#a#", "/" + block + "#" + block + "#",
			"/#" + block + block + "#",
		}},

		{"URIs", always, []Form{URI, AbsoluteURI, URI | Lenient}, []string{
			"s:", "s:a", "http://h/", "s:?" + block,
		}},
		{"URIs with a fragment", with512 | with2, []Form{URI, Reference}, []string{"s:#", "http://h/#a"}},
		{"relative references", always, []Form{RelativeRef, RelativeRef | Lenient}, []string{
			"a", "//h/p", "/" + block,
		}},
		{"origin-form", always, []Form{OriginForm, OriginForm | Lenient}, []string{
			"/", "/a?b", "/a:b", "/s://h/?" + block,
		}},
		{"unusual bytes in origin-form", with512 | with2, []Form{OriginForm}, []string{"/%41", "/@?@"}},
		{"origin-form that looks like an authority", never, []Form{OriginForm}, []string{"//", "//h/", "///"}},
		{"what only other forms allow", never, []Form{OriginForm}, []string{"", "a", "?", "*", "s:/", "/#", "//#"}},
		{"a fragment that the form forbids", never, []Form{AbsoluteURI, OriginForm}, []string{
			"s:#", "/#", "/#" + block,
		}},
		{"a scheme that the form forbids", never, []Form{RelativeRef, OriginForm}, []string{
			"s:", "s:a", "s:/" + block,
		}},
		{"a scheme that the form needs", never, []Form{URI, AbsoluteURI}, []string{"a", "//h", "/", "/" + block}},
		{"what only a lenient scan allows", never, []Form{Reference | Lenient}, []string{
			"/ ", "/%", "/##", "/\xFF" + block,
		}},

		{"hosts", with512 | with2, []Form{HostField, HostField | Lenient}, []string{
			"h", "example.com", fill(63, "", ""),
		}},
		{"hosts and ports", with512 | with2, []Form{HostField, AuthorityForm, AuthorityForm | Lenient}, []string{
			"host.a:1", "host:443", "a:12345678", ":1234567", fill(63, "", ":80"),
		}},
		{"hosts and other ports", with512, []Form{HostField, AuthorityForm}, []string{
			":", "h:", "h:80", "h:123456789", ":1", ":" + strings.Repeat("0", 62),
		}},
		{"other hosts", never, []Form{HostField, AuthorityForm}, []string{
			"", "[::1]:80", "%41:80", block + ":80", fill(64, "", ":80"), "u@h:80",
			"h:80/", "/h:80", "h:80#", "h:8a", "h:80?",
		}},
		{"a port that the form needs", never, []Form{AuthorityForm}, []string{"h", "example.com"}},
		{"asterisk-form", never, []Form{AsteriskForm}, []string{"*", "**", "h:80", ""}},
	}

	watchKernels(t)
	place := newStage(t)
	lastBlock := len(place.page) - blockSize
	for _, row := range rows {
		for _, s := range row.texts {
			for _, form := range append(row.forms, Reference)[:max(1, len(row.forms))] {
				for _, level := range levels {
					level.use()
					check := func(by column, i int) {
						assert.Equal(t, row.by&by != 0, decides(t, form, place.at(i, s)),
							"%s: %s, %s %q at offset %d of the page", level.name, row.what, formName(form), s, i)
					}
					elsewhere := [...]column{0, with2, with512}[best]
					atEnd := [...]column{0, end2, with512}[best]
					check(elsewhere, 0)
					check(atEnd, len(place.page)-len(s))
					if len(s) < blockSize {
						check(elsewhere, lastBlock)
						check(atEnd, lastBlock+1)
					}
				}
			}
		}
	}
}

// unusualBytes are those for which the kernels go over to their other code.
const unusualBytes = "#@%"

// meant reports whether the kernel of the set is meant to decide s.
func meant(set instructions, atEnd bool, form Form, s string) bool {
	n := len(s)
	unusual := strings.ContainsAny(s, unusualBytes)
	form &^= Lenient
	common, host := Reference, form >= AuthorityForm
	switch {
	case host && (form == AsteriskForm || n >= blockSize || unusual || set == avx2 && atEnd):
		return false
	case host:
		common = HostField
	case form == OriginForm && (n == 0 || s[0] != '/'):
		return false
	}
	var o offsets
	_, err := o.scanBlocks(common, false, s)
	if err != nil || !formRules[form].fits(&o) || n == 0 || strings.Contains(s, "[") {
		return false
	}

	scheme, authority, port := o.bit(Scheme) != 0, o.bit(Authority) != 0, o.bit(Port) != 0
	if n >= blockSize {
		var headEnds bool // in the first block
		switch {
		case authority:
			headEnds = o.pathStart < blockSize
		case scheme:
			headEnds = o.pathStart < blockSize-1
		default:
			headEnds = strings.ContainsAny(s[:blockSize], "/?#")
		}
		if !headEnds || n == blockSize+1 && unusual {
			return false
		}
	}
	if set == avx512 {
		return true
	}
	digits := o.pathStart - o.hostEnd - 1
	if port && (digits < 1 || digits > 8 || o.pathStart < 8) {
		return false
	}
	if n < blockSize && atEnd {
		return !unusual
	}
	return !scheme || o.schemeEnd < 32
}

// TestKernelDecidesAll requires of each kernel that it decides neither less nor more than it is meant to: the
// bundled lines, the rows of the other tests, and references with parts of all lengths.
func TestKernelDecidesAll(t *testing.T) {
	var texts []string
	for _, c := range append(corpora(t), corpus{"invalid", readLines(t, "testdata/invalid.txt")}) {
		for _, line := range c.lines {
			if len(line) < os.Getpagesize() {
				texts = append(texts, string(line))
			}
		}
	}
	for _, row := range scanRows {
		texts = append(texts, row.in)
	}
	for b := range 256 {
		for _, around := range [][2]string{
			{"", ""},
			{"", ":"},
			{"a", ":"},
			{"", "://h"},
			{"//", ""},
			{"//h:", "/a"},
			{"//u@h:", ""},
			{"/", ""},
			{"?", ""},
			{"#", ""},
			{"//", "@h"},
			{"/%", "0"},
			{"/%0", ""},
			{"//h/", "/%41"},
		} {
			s, block := around[0]+string([]byte{byte(b)})+around[1], strings.Repeat("/", blockSize)
			texts = append(texts, s, s+block, block+s, block+s+block)
		}
	}
	for n := range 3*blockSize + 10 {
		for _, unit := range []string{"a", "0", "/", "?", ":", "@", "%41", "."} {
			filler := strings.Repeat(unit, n/len(unit)+1)[:n]
			for _, around := range [][2]string{
				{"", ""},
				{"/", ""},
				{"//", ""},
				{"//", "/"},
				{"http://", "?q#f"},
				{"//u@", ":80/p"},
				{"//", "@h"},
				{"//u:", "@h/"},
				{"", ":"},
				{"", ":/pp"},
				{"", ":80"},
				{"h:", ""},
				{"", ":///p"},
				{"a", "://h:80/p"},
				{"s:", ""},
				{"http://h:", "/"},
				{"//h:", ""},
				{"/", "?"},
				{"/", "#"},
				{"/", "%41"},
				{"/#", ""},
				{"/#", "?"},
				{"?", "#"},
				{"/", "%4"},
				{"/%", ""},
				{"#", "#"},
				{"/", "@"},
				{"/?", "?"},
				{"a", "/"},
				{"", "#"},
				{"http://u@h:8", "/"},
			} {
				texts = append(texts, around[0]+filler+around[1])
			}
		}
	}

	watchKernels(t)
	place := newStage(t)
	inputs := 0
	for _, level := range levels[1:] {
		level.use()
		for _, s := range texts {
			for _, form := range []Form{
				Reference, URI, AbsoluteURI | Lenient, RelativeRef, OriginForm, AuthorityForm, HostField | Lenient,
			} {
				want := [...]bool{meant(best, false, form, s), meant(best, true, form, s)}
				got := [...]bool{decides(t, form, place.atStart(s)), decides(t, form, place.atEnd(s))}
				if want != got {
					t.Fatalf("level %s, %s %q: decides %v, is meant to decide %v (elsewhere, at the end of a page)",
						level.name, formName(form), s, got, want)
				}
				inputs++
			}
		}
	}
	t.Log(inputs, "inputs, each at two places")
}

// TestKernelDecidesLong shows that the kernels leave to scanInGo only what may have offsets beyond 1<<31. The
// sample decides 64 MiB.
func TestKernelDecidesLong(t *testing.T) {
	const limit = 1<<31 - blockSize
	longest := long.Sample(t, 64<<20, 64<<20, limit)
	memory := tiled(t, limit+1, 'a')
	memory[0] = '/'
	watchKernels(t)
	for _, level := range levels[1:] {
		level.use()
		assert.True(t, decides(t, Reference, text(memory[:longest])), "level %s", level.name)
		assert.False(t, decides(t, Reference, text(memory)), "level %s", level.name)
	}
}
