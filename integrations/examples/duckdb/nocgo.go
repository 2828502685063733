//go:build !cgo

package main

import "log"

func main() {
	log.Fatal("DuckDB is a library in C++: build with CGO_ENABLED=1 and a C compiler")
}
