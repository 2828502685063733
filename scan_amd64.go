//go:build !purego

package uri

// scan scans the input of v. If that fails, it makes v a view of the empty reference.
//
// It is the kernel for AVX-512, which jumps to scanAVX2 on other machines. Both jump to scanInGo for what
// they cannot decide. scanAVX2 reads beyond the input but not beyond its page.
//
//go:noescape
func scan(v *view, form Form) error

//lint:ignore U1000 scan jumps to it
//go:noescape
func scanAVX2(v *view, form Form) error
