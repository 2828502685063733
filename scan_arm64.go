//go:build !purego

package uri

// scan scans the input of v. If that fails, it makes v a view of the empty reference. It jumps to scanInGo
// for what it cannot decide. It reads beyond the input but not beyond its page.
//
//go:noescape
func scan(v *view, form Form) error
