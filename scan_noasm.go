//go:build !(amd64 || arm64) || purego

package uri

// scan scans the input of v. If that fails, it makes v a view of the empty reference.
func scan(v *view, form Form) error { return scanInGo(v, form) }
