package uri

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each promise of the README is a test in this file, or in the file that the README names.

func TestSizes(t *testing.T) {
	assert.LessOrEqual(t, unsafe.Sizeof(View{}), uintptr(64))
	assert.LessOrEqual(t, unsafe.Sizeof(StringView{}), uintptr(64))
	assert.EqualValues(t, 1, unsafe.Sizeof(ErrScheme))
}

var used int // keeps results from being optimised away

// allocates runs f many times and requires that it never allocates.
func allocates(t *testing.T, what string, f func()) {
	t.Helper()
	assert.Zero(t, testing.AllocsPerRun(20, f), what)
}

// scanAll scans s with every function that scans.
func scanAll[T Text](v *ViewOf[T], form Form, s T) (why Error) {
	if err := v.Scan(form, s); err != nil {
		why = err.(Error)
		used += v.ErrorOffset() + len(why.Error())
	}
	n, err := v.ScanPrefix(form, s)
	if err != nil || n > 0 || Valid(form, s) {
		used++
	}
	w, _ := Parse(s)
	used += len(w.Text())
	return why
}

// readAll calls every accessor.
func readAll[T Text](v *ViewOf[T]) (n int) {
	for c := Scheme; c <= Fragment; c++ {
		if v.Has(c) {
			i, j := v.Span(c)
			n += i + j
		}
		n += len(v.Component(c))
	}
	n += len(v.Text()) + len(v.Scheme()) + len(v.Authority()) + len(v.Userinfo()) + len(v.User()) +
		len(v.Password()) + len(v.Host()) + len(v.Port()) + len(v.Path()) + len(v.Query()) + len(v.Fragment())
	number, _ := v.PortNumber()
	n += int(number) + int(v.HostKind()) + v.Addr().BitLen() + v.ErrorOffset()
	if v.IsRelative() || v.HasPort() {
		n++
	}
	return n
}

func TestNoAllocations(t *testing.T) {
	var reasons [HostField + 1]map[Error]bool
	for form := range reasons {
		form := Form(form)
		reasons[form] = map[Error]bool{}
		for _, row := range scanRows {
			for _, s := range []string{row.in, "x:" + row.in} { // rows without a scheme also test the forms with one
				b := []byte(s)
				var v View
				var w StringView
				var why Error
				allocates(t, s, func() { why = max(scanAll(&v, form, b), scanAll(&w, form, s)) })
				reasons[form][why] = true
			}
		}
	}
	// The rows have inputs of every form, with each fault that is possible in it.
	for form, want := range [...][]Error{
		Reference: {
			ErrScheme, ErrUserinfo, ErrHost, ErrIPLiteral, ErrPort, ErrPath, ErrQuery, ErrFragment, ErrPercent,
		},
		URI: {
			ErrScheme, ErrUserinfo, ErrHost, ErrIPLiteral, ErrPort, ErrPath, ErrQuery, ErrFragment, ErrPercent,
		},
		AbsoluteURI: {
			ErrScheme, ErrUserinfo, ErrHost, ErrIPLiteral, ErrPort, ErrPath, ErrQuery, ErrPercent, ErrForm,
		},
		RelativeRef: {
			ErrScheme, ErrUserinfo, ErrHost, ErrIPLiteral, ErrPort, ErrPath, ErrQuery, ErrFragment, ErrPercent,
			ErrForm,
		},
		OriginForm:    {ErrPath, ErrQuery, ErrPercent, ErrForm},
		AuthorityForm: {ErrHost, ErrIPLiteral, ErrPort, ErrPercent, ErrForm},
		AsteriskForm:  {ErrForm},
		HostField:     {ErrHost, ErrIPLiteral, ErrPort, ErrPercent, ErrForm},
	} {
		all := map[Error]bool{0: true}
		for _, e := range want {
			all[e] = true
		}
		assert.Equal(t, all, reasons[form], "form %d", form)
	}
	buffer := make([]byte, 0, 1000)
	for _, s := range []string{
		"", "foo://user:word@192.0.2.1:8042/over//there?name=ferret#nose", "//[2001:db8::1]:/over/there",
		"//[v1.a]", "urn:a:b",
	} {
		v, err := Parse([]byte(s))
		require.NoError(t, err)
		w, err := Parse(s)
		require.NoError(t, err)
		allocates(t, s, func() {
			used += readAll(&v) + readAll(&w) + len(w.String())
			for segment := range v.Segments() {
				used += len(segment)
			}
			for segment := range w.Segments() {
				used += len(segment)
			}
			out, _ := v.AppendText(buffer)
			out, _ = w.AppendText(out)
			out, _ = AppendAddr(out, v.Addr())
			used += len(out)
		})
	}
}

func TestBuilderAllocations(t *testing.T) {
	buffer := make([]byte, 0, 1000)
	v, err := Parse([]byte("foo://user:word@192.0.2.1:8042/over//there?name=ferret#nose"))
	require.NoError(t, err)
	addr := netip.MustParseAddr("2001:db8::1")
	name := []byte("a b")
	path := []Part{Data(""), Data(name), Raw("%2F")}
	allocates(t, "data, of strings and of bytes", func() {
		b := Builder{
			Scheme: Data("https"), Host: Data("exämple"), Path: path, Query: Data(name), HasFragment: true,
		}
		out, err := b.Append(buffer)
		if err != nil || b.IsRelative() {
			panic(err)
		}
		used += len(out)
	})
	allocates(t, "a view, with another host and port", func() {
		b := v.Builder()
		b.Host, b.Port = Data(name), Decimal(8080)
		out, err := b.Append(buffer)
		if err != nil {
			panic(err)
		}
		used += len(out)
	})
	allocates(t, "an address", func() {
		b := Builder{Addr: addr, Port: Data("80"), PathText: Data("/x")}
		out, err := b.Append(buffer)
		if err != nil {
			panic(err)
		}
		used += len(out)
	})

	reasons := map[Error]bool{}
	for _, b := range []Builder{
		{Scheme: Raw("1")},
		{Host: Raw("h"), Userinfo: Raw("@")},
		{Host: Raw("h h")},
		{Host: Raw("[")},
		{Addr: netip.MustParseAddr("fe80::1%eth0")},
		{Host: Raw("h"), Port: Raw("x")},
		{PathText: Data("//")},
		{Query: Raw("#")},
		{Fragment: Raw("#")},
		{Query: Raw("%")},
	} {
		allocates(t, "failure", func() {
			out, err := b.Append(buffer)
			reasons[err.(Error)] = true
			used += len(out)
		})
	}
	for e := ErrScheme; e <= ErrPercent; e++ {
		assert.True(t, reasons[e], "%v", e)
	}
}

// TestNoEscape passes values on the stack: if one had to move to the heap, that would be an allocation. A
// View keeps the input that it scans, so the input may move to the heap because of that, but a View itself
// does not.
func TestNoEscape(t *testing.T) {
	kept := []byte("http://user@[::1]:80/a/b?c#d")
	allocates(t, "on the stack", func() {
		var line, buffer [100]byte
		n := copy(line[:], kept)
		if !Valid(Reference, line[:n]) || Valid(URI, line[:]) {
			panic("misread")
		}
		b := Builder{Scheme: Data(line[:4]), Host: Raw(line[12:17]), PathText: Data(line[20:24])}
		out, err := b.Append(buffer[:0])
		if err != nil {
			panic("not written")
		}
		used += len(out)

		var v View
		if v.Scan(URI, kept) != nil {
			panic("misread")
		}
		b = v.Builder()
		if out, err = b.Append(buffer[:0]); err != nil {
			panic("not written")
		}
		used += len(out) + readAll(&v)
	})
}

// TestConcurrentUse calls every exported function from several goroutines at once, all reading the same
// inputs. Shared memory shows in the results if two goroutines use it at the same time, and the race detector
// finds it in any case: while the goroutines run, none waits for another, which would hide a race.
func TestConcurrentUse(t *testing.T) {
	inputs := append(someInputs(), newInput([]byte("x:"+strings.Repeat("/a/../%41b", longPath/8))))
	shared := sharedOperations(&inputs[0].view)
	for _, level := range levels {
		var own [goroutines][]operation
		for g := range own {
			own[g] = append(operations(), shared...)
		}
		for i := range own[0] {
			t.Run(level.name+"/"+own[0][i].name, func(t *testing.T) {
				level.use()
				var ops [goroutines]*operation
				for g := range ops {
					ops[g] = &own[g][i]
				}
				runConcurrently(t, &ops, inputs)
			})
		}
	}
}

// goroutines is the number of goroutines that run each operation of TestConcurrentUse at once.
const goroutines = 4

// runConcurrently runs the same operation in several goroutines, each with its own copy of the operation.
func runConcurrently(t *testing.T, ops *[goroutines]*operation, inputs []input) {
	const rounds = 8
	want := make([]string, len(inputs))
	for i := range inputs {
		want[i] = string(ops[0].run(nil, &inputs[i]))
	}
	var wrong [goroutines]struct{ input, result []byte }
	start := make(chan struct{})
	var running sync.WaitGroup
	for g, op := range ops {
		running.Add(1)
		go func() {
			defer running.Done()
			dst := make([]byte, 0, 1<<12)
			<-start
			for n := range rounds * len(inputs) {
				i := (n + g) % len(inputs) // the goroutines read different inputs at the same time
				in := &inputs[i]
				if len(in.text) > longPath && n >= len(inputs) {
					continue
				}
				if dst = op.run(dst[:0], in); string(dst) != want[i] {
					wrong[g].input, wrong[g].result = in.text, dst
					return
				}
			}
		}()
	}
	close(start)
	running.Wait()
	for _, w := range wrong {
		assert.Nil(t, w.input, "the result is %q", w.result)
	}
}

// sharedOperations returns operations on a builder and on sequences that all goroutines use.
func sharedOperations(v *View) []operation {
	b := v.Builder()
	b.PathText, b.Path = Part{}, []Part{Data(""), Data("a b"), Raw("%2F")}
	segments, backward, params := v.Segments(), v.SegmentsBackward(), v.Params()
	return []operation{
		{name: "one Builder", text: func(dst, _ []byte) []byte { return outcome(b.Append(dst)) }},
		{name: "one sequence", text: func(dst, _ []byte) []byte {
			for segment := range segments {
				dst = append(dst, segment...)
			}
			for segment := range backward {
				dst = append(dst, segment...)
			}
			for p := range params {
				dst = appendParam(dst, p)
			}
			return dst
		}},
	}
}

// TestErrorsAreValues compares and unwraps errors like any Go error. The size of an error shows that it
// cannot hold the input.
func TestErrorsAreValues(t *testing.T) {
	_, err := Parse("http://h h/")
	assert.True(t, err == ErrHost)
	assert.True(t, errors.Is(err, ErrHost))
	assert.False(t, errors.Is(err, ErrPath))
	var reason Error
	require.ErrorAs(t, err, &reason)
	assert.Equal(t, ErrHost, reason)
	assert.Equal(t, "uri: invalid host", err.Error())
}

// TestOperationAllocations runs every operation. None allocates if dst has room, not even on failure.
func TestOperationAllocations(t *testing.T) {
	buffer := make([]byte, 0, 8192)
	texts := append([]string{
		"HTTP://User:Pw@%45xample.COM:0080/a/./b/%7e/../c%2f.tar.gz?sig=1&b&%61=2&&c=%zz#%c3[",
		"s:/a/..//evil", "//[2001:DB8:0:0:0:0:0:1]:?", "//[FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF]",
		"x:%%41%4%31",
	}, shapes...)
	var base StringView
	require.NoError(t, base.Scan(URI, "http://User@a/b/c/d;p?q"))
	var lines Lines
	var host StringView
	require.NoError(t, host.Scan(HostField, "%41.Example:080"))
	keys := []string{"sig", "b"}
	redactor := Redactor{
		Keys:     keys,
		IsSecret: func(key []byte) bool { return len(key) == 1 },
		Replace:  func(dst, secret []byte) []byte { return append(append(dst, '\t'), secret...) },
	}
	failures := 0
	use := func(out []byte, err error) {
		used += len(out)
		if err != nil {
			failures++
		}
	}
	for _, s := range texts {
		for _, form := range []Form{Reference, OriginForm, AbsoluteURI, HostField} {
			v, w, _, ok := scanned(t, form, s)
			if !ok {
				continue
			}
			readOperations(t, s, &v)
			readOperations(t, s, &w)
			for _, steps := range []Step{
				0, SyntaxBased, SchemeBased, EncodeIllegal | SortParams | DropFragment, LowercaseHost, RemoveDotSegments,
				DecodeUnreserved, ShortenAddress, DecodeSlashes | MergeSlashes | RemoveDotSegments,
			} {
				allocates(t, s, func() {
					use(v.AppendNormalized(buffer, steps), nil)
					used += int(w.StepsNeeded(steps)) + int(v.Hash(1, steps))
					if v.IsNormalized(steps) || Equivalent(&v, &w, steps) || Equivalent(&base, &v, steps) {
						used++
					}
				})
			}
			allocates(t, s, func() {
				for options := range ResolveOption(4) {
					use(AppendResolved(buffer, &base, &v, options))
					use(AppendResolved(buffer, &v, &base, options))
				}
				use(AppendRelative(buffer, &base, &v))
				use(AppendRelative(buffer, &w, &v))
				use(AppendTargetURI(buffer, "http", form, &v, &host))
				use(AppendTargetURI(buffer, "1", form, &w, &host))
				if form == AbsoluteURI && HostAgrees(&v, &host) {
					used++
				}
			})
		}

		b := []byte(s)
		path := []byte(s)
		allocates(t, s, func() {
			use(AppendEncode(buffer, s, Query.Allowed()), nil)
			use(AppendEncode(buffer, b, NewSet("a%").Union(Unreserved()).Minus(SubDelims())), nil)
			use(AppendEncode(buffer, b, Pchar().Minus(GenDelims())), nil)
			use(AppendDecode(buffer, s))
			use(AppendDecode(buffer, b))
			use(AppendFormEncode(buffer, b), nil)
			use(AppendFormDecode(buffer, b))
			use(DecodeInPlace(path))
			copy(path, s)
			use(AppendRemoveDotSegments(buffer, s), nil)
			use(AppendRemoveDotSegments(buffer, b), nil)
			use(RemoveDotSegmentsInPlace(path), nil)
			copy(path, s)
			use(AppendRedacted(buffer, s, nil), nil)
			use(AppendRedacted(buffer, b, keys), nil)
			use(redactor.Append(buffer, b), nil)
			used += EncodedLen(b, Path.Allowed()) + int(RequestForm("GET", b)) + int(RequestForm(b, s))
			use(nil, CheckTarget("GET", b, "h"))
			use(nil, CheckTarget("CONNECT", s, b))
			use(nil, CheckTarget("GET", "http://h/", s))
			if EqualDecoded(s, b) || NewSet(s).Contains('?') {
				used++
			}
			if (ParamOf[string]{Key: s}).KeyIs("sig") || IsSecretKey(s) || IsSecretKey(b) {
				used++
			}
			for v, err := range lines.Scan(Reference, b, len(s)%2 == 0) {
				use(lines.Text(), err)
				used += lines.Offset() + len(v.Path())
			}
			use(lines.Rest(), nil)
			for at, v := range Find(URI|Lenient, b) {
				used += at + len(v.Host())
			}
			for at, v := range Find(URI, s, "s", "http") {
				used += at + len(v.Host())
			}
		})
	}
	assert.NotZero(t, failures)
	for _, s := range []string{"http://u:p @h/?sig=1", "/a b?sig=x&b=2", "\x00", "//u@p@h"} {
		allocates(t, s, func() { use(AppendRedacted(buffer, s, nil), nil) })
		allocates(t, s, func() {
			var local [128]byte // stays on the stack
			used += len(AppendRedacted(local[:0], s, keys))
		})
	}
	allocates(t, "lenient scan", func() {
		var v StringView
		if v.Scan(Reference|Lenient, "/%zz[?{#") != nil || v.Scan(Reference|Lenient, "//h%") == nil {
			panic("misread")
		}
	})
}

// readOperations calls everything that reads from a view.
func readOperations[T Text](t *testing.T, s string, v *ViewOf[T]) {
	t.Helper()
	buffer := make([]byte, 0, 8192)
	allocates(t, s, func() {
		for segment := range v.Segments() {
			used += len(segment)
		}
		for segment := range v.SegmentsBackward() {
			used += len(segment)
		}
		for p := range v.Params() {
			used += len(p.Key) + len(p.Value)
		}
		for p := range v.ParamsBy(';') {
			used += len(p.Key) + len(p.Value)
		}
		p, ok := v.Param("sig")
		if ok || p.KeyIs("a") {
			used++
		}
		used += len(v.LastSegment()) + len(v.Extension()) + len(v.WithoutFragment()) + len(v.RequestTarget())
		used += int(v.Traits())
		used += len(appendWithoutParams(v, buffer, func(p ParamOf[T]) bool { return p.KeyIs("sig") }))
		out, _ := v.AppendMappedParams(buffer, func(p ParamOf[T]) (ParamAction, Part) {
			if p.KeyHasPrefix("s") {
				return ReplaceValue, Data("a&b")
			}
			return KeepParam, Part{}
		})
		used += len(out)
		out, _ = AppendAddr(v.AppendComponent(buffer, Path, SyntaxBased), v.Addr())
		used += len(out) + len(AppendDecodeLenient(buffer, v.Query()))
		if v.SchemeIs("http") || v.HostIs("example.com") {
			used++
		}
		n, _ := v.EffectivePort()
		segment, _ := v.Segment(1)
		used += int(n) + int(v.PortKind()) + len(v.HostPort()) + len(segment)
	})
	names := [][]byte{
		[]byte("Reference|Lenient"), []byte("Host"), []byte("RegName"), []byte("NoPort"),
		[]byte("SortParams|DropFragment"), []byte("HasEscape|HasNonASCII"), []byte("0x0"), []byte(s),
	}
	allocates(t, s, func() {
		out, _ := Form(len(s)).AppendText(buffer)
		out, _ = Component(len(s)).AppendText(out)
		out, _ = HostKind(len(s)).AppendText(out)
		out, _ = PortKind(len(s)).AppendText(out)
		out, _ = Step(len(s)).AppendText(out)
		out, _ = Trait(len(s)).AppendText(out)
		used += len(out) + len((ScanError{Reason: ErrPath}).Unwrap().Error())
		for _, name := range names {
			used += len(appendNamed(buffer, name))
		}
	})
}

// TestSequences iterates over each sequence twice, and stops at every element.
func TestSequences(t *testing.T) {
	v, _ := views(t, "/a/b?k&l")
	segments, backward, params, by := v.Segments(), v.SegmentsBackward(), v.Params(), v.ParamsBy('k')
	for range 2 {
		assert.Equal(t, [][]byte{{}, []byte("a"), []byte("b")}, slices.Collect(segments))
		assert.Equal(t, [][]byte{[]byte("b"), []byte("a"), {}}, slices.Collect(backward))
		assert.Len(t, slices.Collect(params), 2)
		assert.Len(t, slices.Collect(by), 2)
		for range segments {
			break
		}
		for range backward {
			break
		}
		for range params {
			break
		}
		for range by {
			break
		}
	}
}
