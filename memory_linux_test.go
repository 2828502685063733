package uri

import (
	"errors"
	"math"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// addressSpace returns n zero bytes that take no memory until they are written.
func addressSpace(t *testing.T, n uint64) []byte {
	if n > math.MaxInt {
		t.Skipf("runs if %d bytes can be addressed", n)
	}
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.MunmapPtr(base, uintptr(n))) })
	return unsafe.Slice((*byte)(base), int(n))
}

// tiled returns n bytes of address space that repeatedly show the same 1 MiB of memory, filled with the byte.
// Writing to a page copies it, and the change is visible only there.
func tiled(t *testing.T, n uint64, of byte) []byte {
	const tile = 1 << 20
	fd, err := unix.MemfdCreate("tile", unix.MFD_CLOEXEC)
	require.NoError(t, err)
	file := os.NewFile(uintptr(fd), "tile")
	defer file.Close()
	content := make([]byte, tile)
	for i := range content {
		content[i] = of
	}
	_, err = file.Write(content)
	require.NoError(t, err)

	const private = unix.MAP_PRIVATE | unix.MAP_NORESERVE
	size := uintptr((n + tile - 1) / tile * tile)
	base, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_NONE, private|unix.MAP_ANON)
	if errors.Is(err, unix.ENOMEM) {
		t.Skipf("runs if %d bytes of address space are available", n)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.MunmapPtr(base, size)) })
	for at := uintptr(0); at < size; at += tile {
		_, err = unix.MmapPtr(fd, 0, unsafe.Add(base, at), tile, unix.PROT_READ|unix.PROT_WRITE,
			private|unix.MAP_FIXED)
		require.NoError(t, err)
	}
	return unsafe.Slice((*byte)(base), int(n))
}

// TestLongest scans the longest possible input: 4 GiB - 2 bytes, or 2 GiB - 1 bytes on 32 bits. It has a
// head, digits, and a tail. The sample uses 64 MiB. In the rows, a negative offset counts from the end, and
// so does 0 at the end of a component.
func TestLongest(t *testing.T) {
	longest := long.Sample(t, 64<<20, maxLen)
	if emulated() {
		longest = 1 << 20
	}
	text := tiled(t, uint64(longest), '1')
	run := long.Sample(t, levels[len(levels)-1:], levels[len(levels)-1:], levels)
	rows := []struct {
		head, tail string
		want       map[Component][2]int // nil if there is a fault
		at         int
		slow       bool // read byte by byte
	}{
		{
			"a:/", "?#",
			map[Component][2]int{Scheme: {0, 1}, Path: {2, -2}, Query: {-1, -1}, Fragment: {longest, 0}},
			-1, false,
		},
		{"//", "@", map[Component][2]int{
			Authority: {2, 0}, Userinfo: {2, -1}, User: {2, -1}, Host: {longest, 0}, Path: {longest, 0},
		}, -1, false},
		{"/?", "%", nil, longest, false},
		{"a://u:p@", ":8/", map[Component][2]int{
			Scheme: {0, 1}, Authority: {4, -1}, Userinfo: {4, 7}, User: {4, 5}, Password: {6, 7}, Host: {8, -3},
			Port: {-2, -1}, Path: {-1, 0},
		}, -1, false},
		{"?", "#", map[Component][2]int{Path: {0, 0}, Query: {1, -1}, Fragment: {longest, 0}}, -1, false},
		{"#", "%41", map[Component][2]int{Path: {0, 0}, Fragment: {1, 0}}, -1, false},
		{"/", " ", nil, longest - 1, false},
		{"", ":", nil, longest - 1, false},
		{"a", ":", map[Component][2]int{Scheme: {0, -1}, Path: {longest, 0}}, -1, true},
		{
			"//h:", "",
			map[Component][2]int{Authority: {2, 0}, Host: {2, 3}, Port: {4, 0}, Path: {longest, 0}},
			-1,
			true,
		},
		{"//[v1.", "]:", map[Component][2]int{
			Authority: {2, 0}, Host: {2, -1}, Port: {longest, 0},
			Path: {longest, 0},
		}, -1, true},
		{"//h:", "x", nil, longest, true}, // it may be userinfo
	}
	for _, row := range rows {
		if row.slow && long.Time(t) < long.Hours {
			continue
		}
		s := text
		head, tail := s[:len(row.head)], s[len(s)-len(row.tail):]
		copy(head, row.head)
		copy(tail, row.tail)
		for _, level := range run {
			level.use()
			var v View
			err := v.Scan(Reference, s)
			assert.Equal(t, row.at, v.ErrorOffset(), "level %s, %q to %q: %v", level.name, row.head, row.tail, err)
			if row.want == nil {
				assert.Error(t, err)
				continue
			}
			for c, got := range spansOf(&v) {
				want, ok := row.want[Component(c)]
				switch {
				case !ok:
					want = [2]int{-1, -1}
				case Component(c) == Path && want == [2]int{}: // empty, at the start
				default:
					for i := range want {
						if want[i] < 0 || i == 1 && want[i] == 0 {
							want[i] += len(s)
						}
					}
				}
				assert.Equal(t, want, got, "level %s, %q to %q: component %d", level.name, row.head, row.tail, c)
			}
		}
		for i := range head {
			head[i] = '1'
		}
		for i := range tail {
			tail[i] = '1'
		}
	}
}

// TestTooLong scans input of more than MaxLen bytes, none of which may be read.
func TestTooLong(t *testing.T) {
	zeros := addressSpace(t, MaxLen+9)
	var v View
	require.Equal(t, ErrPath, v.Scan(Reference, zeros[:maxLen]))
	require.Equal(t, 0, v.ErrorOffset())
	for n := uint64(MaxLen + 1); n <= uint64(len(zeros)); n++ {
		for form := Reference; form <= HostField; form++ {
			require.Equal(t, ErrTooLong, v.Scan(form, zeros[:n]))
			require.Equal(t, maxLen, v.ErrorOffset())
			require.Empty(t, v.Text())
			require.False(t, Valid(form, zeros[:n]))
		}
		allocates(t, "too long", func() { used += len(v.Scan(Reference, zeros[:n]).Error()) })
	}

	copy(zeros, "http://h/p")
	n, err := v.ScanPrefix(Reference, zeros)
	require.NoError(t, err)
	require.Equal(t, 10, n)
}

// TestLongestPrefix scans input of more than MaxLen bytes for prefixes of about MaxLen bytes.
func TestLongestPrefix(t *testing.T) {
	if math.MaxInt < MaxLen+1 {
		t.Skip("runs on 64 bits: nothing is too long on 32")
	}
	if long.Time(t) == long.Seconds || emulated() {
		t.Skip("runs with URI_LONG=1 and without URI_LEVEL: it reads 4 GiB")
	}
	text := tiled(t, 4<<30+7, '1')
	text[0] = '/'
	var v View
	_, err := v.ScanPrefix(OriginForm, text)
	assert.Equal(t, ErrTooLong, err)
	for _, end := range []int{maxLen - 1, maxLen - blockSize} {
		text[end] = ' '
		n, err := v.ScanPrefix(OriginForm, text)
		assert.NoError(t, err)
		assert.Equal(t, end, n)
		assert.Equal(t, text[:end:end], v.Path()[:end:end])
	}
}

// TestLongBuffer appends to a buffer that already holds more bytes than a URI can have. Only what is appended
// counts.
func TestLongBuffer(t *testing.T) {
	dst := addressSpace(t, 4<<30+7)
	dst = dst[:len(dst)-4]
	base, _ := views(t, "a:/b")
	ref, _ := views(t, "c")
	for name, test := range map[string]struct {
		want string
		run  func() ([]byte, error)
	}{
		"Append":         {"/a", func() ([]byte, error) { return (&Builder{PathText: Data("/a")}).Append(dst) }},
		"AppendResolved": {"a:/c", func() ([]byte, error) { return AppendResolved(dst, &base, &ref, 0) }},
		"AppendRelative": {"", func() ([]byte, error) { return AppendRelative(dst, &base, &base) }},
	} {
		out, err := test.run()
		require.NoError(t, err, name)
		require.Equal(t, test.want, string(out[len(dst):]), name)
	}
}

// TestLongResults writes results that are longer than MaxLen.
func TestLongResults(t *testing.T) {
	var host StringView
	require.NoError(t, host.Scan(HostField, "h"))
	var target View
	target.src = text(addressSpace(t, MaxLen))
	out, err := AppendTargetURI(nil, "http", OriginForm, &target, &host)
	require.Equal(t, ErrTooLong, err)
	require.Empty(t, out)

	if long.Time(t) < long.Hours || emulated() {
		t.Skip("the rest runs with URI_LONG=2 and without URI_LEVEL: it writes 4 GiB")
	}
	text := tiled(t, MaxLen/2+10, '1')
	dst := addressSpace(t, MaxLen+1<<20)[:0]
	var base, ref View
	require.NoError(t, ref.Scan(Reference, text[len("s://"):]))
	copy(text, "s://")
	require.NoError(t, base.Scan(Reference, text))
	out, err = AppendResolved(dst, &base, &ref, 0)
	require.Equal(t, ErrTooLong, err)
	require.Empty(t, out)

	b := Builder{Query: Raw(ref.Text()), Fragment: Raw(ref.Text())}
	out, err = b.Append(dst)
	require.Equal(t, ErrTooLong, err)
	require.Empty(t, out)
}
