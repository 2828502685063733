package uri

import (
	"net/netip"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each promise of the README is a test of this file, or names the file that has it.

func TestSizes(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(View{}), uintptr(64))
	assert.LessOrEqual(t, unsafe.Sizeof(StringView{}), uintptr(64))
	assert.EqualValues(t, 1, unsafe.Sizeof(ErrScheme))
}

var used int // keeps results from being optimised away

// allocates runs f often, and requires that it never allocates.
func allocates(t *testing.T, what string, f func()) {
	t.Helper()
	assert.Zero(t, testing.AllocsPerRun(20, f), what)
}

func TestNoAllocations(t *testing.T) {
	reasons := map[Error]bool{}
	for _, row := range scanRows {
		b := []byte(row.in)
		var v View
		var w StringView
		allocates(t, row.in, func() {
			if err := v.Scan(row.form, b); err != nil {
				used += v.ErrorOffset()
				reasons[err.(Error)] = true
			}
			if err := w.Scan(row.form, row.in); err != nil {
				used++
			}
			n, _ := v.ScanPrefix(row.form, b)
			m, _ := w.ScanPrefix(row.form, row.in)
			x, _ := Parse(b)
			used += n + m + len(x.Text())
			if Valid(row.form, b) && Valid(row.form, row.in) {
				used++
			}
		})
	}
	for e := ErrScheme; e < ErrTooLong; e++ {
		assert.True(t, reasons[e], "a row fails with %v", e)
	}

	v, err := Parse([]byte("foo://user:word@192.0.2.1:8042/over//there?name=ferret#nose"))
	require.NoError(t, err)
	w, err := Parse("//[2001:db8::1]/over/there")
	require.NoError(t, err)
	buffer := make([]byte, 0, 1000)
	allocates(t, "accessors", func() {
		for c := Scheme; c <= Fragment; c++ {
			i, j := v.Span(c)
			used += i + j
			if v.Has(c) {
				used++
			}
		}
		used += len(v.Text()) + len(v.Scheme()) + len(v.Authority()) + len(v.Userinfo()) + len(v.User()) + len(v.Password()) +
			len(v.Host()) + len(v.Port()) + len(v.Path()) + len(v.Query()) + len(v.Fragment()) + len(w.Host()) + len(w.String())
		number, _ := v.PortNumber()
		used += int(number) + int(v.HostKind()) + v.Addr().BitLen() + w.Addr().BitLen()
		if v.IsRelative() || v.HasPort() {
			used++
		}
		for segment := range v.Segments() {
			used += len(segment)
		}
		for segment := range w.Segments() {
			used += len(segment)
		}
		out, _ := v.AppendText(buffer)
		out, _ = AppendAddr(out, w.Addr())
		used += len(out)
	})

	addr := netip.MustParseAddr("2001:db8::1")
	name := []byte("a b")
	path := []Part{Data(""), Data(name), Raw("%2F")}
	allocates(t, "Builder", func() {
		b := Builder{Scheme: Data("https"), Host: Data("exämple"), Path: path, Query: Data(name), HasFragment: true}
		out, err := b.Append(buffer)
		used += len(out)
		b = v.Builder()
		b.Host, b.Port = Data(name), Decimal(8080)
		out, err2 := b.Append(buffer)
		used += len(out)
		b = Builder{Addr: addr, Port: Data("80"), PathText: Data("/x")}
		out, err3 := b.Append(buffer)
		used += len(out)
		if err != nil || err2 != nil || err3 != nil {
			panic("not written")
		}
		b = Builder{Host: Raw("a b")}
		_, err = b.Append(buffer)
		if err == nil {
			panic("written")
		}
	})
}

// TestInlining asks the compiler.
func TestInlining(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	require.NoError(t, err, string(out))
	inlined := regexp.MustCompile(`can inline (\S+)`).FindAllStringSubmatch(string(out), -1)
	names := map[string]bool{}
	for _, m := range inlined {
		names[strings.NewReplacer("[go.shape.[]uint8]", "", "[[]uint8]", "").Replace(m[1])] = true
	}
	for _, method := range []string{
		"Text", "Scheme", "Authority", "Userinfo", "Host", "Port", "Path", "Query", "Fragment",
		"Has", "IsRelative", "HasPort", "ErrorOffset", "PortNumber", "Segments",
	} {
		assert.True(t, names["(*ViewOf)."+method], method)
	}
	for _, function := range []string{"classify", "rule.has", "text", "as", "Raw"} {
		found := names[function]
		for name := range names {
			found = found || strings.HasPrefix(name, function+"[")
		}
		assert.True(t, found, function)
	}
}

// TestNoEscape gives what stands on the stack: had it to move to the heap, that would be an allocation. A view keeps its
// input, so what is scanned into one is where the compiler puts what a *View may point to.
func TestNoEscape(t *testing.T) {
	allocates(t, "a line on the stack", func() {
		var line, buffer [100]byte
		n := copy(line[:], "http://user@[::1]:80/a/b?c#d")
		if !Valid(Reference, line[:n]) || Valid(URI, line[:]) {
			panic("misread")
		}
		b := Builder{Scheme: Data(line[:4]), Host: Raw(line[12:17]), PathText: Data(line[20:24])}
		out, err := b.Append(buffer[:0])
		if err != nil {
			panic("not written")
		}
		used += len(out)
	})
}

// TestConcurrentReaders is for the race detector.
func TestConcurrentReaders(t *testing.T) {
	v, err := Parse([]byte("foo://user@example.com:8042/over/there?name=ferret#nose"))
	require.NoError(t, err)
	var readers sync.WaitGroup
	for range 8 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for range 100 {
				assert.Equal(t, "example.com", string(v.Host()))
				var own View
				assert.NoError(t, own.Scan(URI, v.Text()))
				b := own.Builder()
				out, err := b.Append(nil)
				assert.NoError(t, err)
				assert.Equal(t, v.String(), string(out))
			}
		}()
	}
	readers.Wait()
}

// TestErrorsAreValues compares and unwraps as any Go error.
func TestErrorsAreValues(t *testing.T) {
	_, err := Parse("http://h h/")
	assert.True(t, err == ErrHost)
	var reason Error
	require.ErrorAs(t, err, &reason)
	assert.Equal(t, ErrHost, reason)
	assert.NotContains(t, err.Error(), "h h")
}
