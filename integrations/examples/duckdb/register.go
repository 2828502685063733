//go:build cgo

package main

/*
#include <stdint.h>
#include <stdlib.h>

void uri_call(void *info, void *input, void *output); // in Go
void uri_assign(void *vector, uint64_t rows, const char *text, const uint64_t *ends);
#cgo noescape uri_assign
#cgo nocallback uri_assign
*/
import "C"

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/duckdb/duckdb-go/v2/mapping"
	"github.com/seed-56a50ac9/uri"
)

// Register registers the functions for all connections to the database of c.
//
// The driver's own RegisterScalarUDF copies each text to the heap, and calls C for each result. These
// functions read the 2,048 rows of a chunk in DuckDB's memory, and return all results in one call.
func Register(c *sql.Conn) error {
	return c.Raw(func(driverConn any) error {
		connection, err := handle(driverConn)
		if err != nil {
			return err
		}
		for i := range functions {
			if err := register(connection, i); err != nil {
				return err
			}
		}
		return nil
	})
}

// handle returns DuckDB's handle of a connection, which the driver keeps in a private field.
func handle(driverConn any) (mapping.Connection, error) {
	if c, ok := driverConn.(*duckdb.Conn); ok {
		if conn := reflect.ValueOf(c).Elem().FieldByName("conn"); conn.IsValid() {
			if ptr := conn.FieldByName("Ptr"); ptr.IsValid() {
				return mapping.Connection{Ptr: ptr.UnsafePointer()}, nil
			}
		}
	}
	return mapping.Connection{}, errors.New("uri: this version of the driver keeps its connection elsewhere")
}

func register(connection mapping.Connection, i int) error {
	f := mapping.CreateScalarFunction()
	defer mapping.DestroyScalarFunction(&f)
	mapping.ScalarFunctionSetName(f, functions[i].name)

	varchar := mapping.CreateLogicalType(mapping.TypeVarchar)
	defer mapping.DestroyLogicalType(&varchar)
	for range functions[i].args {
		mapping.ScalarFunctionAddParameter(f, varchar)
	}
	result := varchar
	if functions[i].isBool {
		result = mapping.CreateLogicalType(mapping.TypeBoolean)
		defer mapping.DestroyLogicalType(&result)
	}
	mapping.ScalarFunctionSetReturnType(f, result)

	index := (*C.size_t)(C.malloc(C.sizeof_size_t)) // DuckDB frees it
	*index = C.size_t(i)
	mapping.ScalarFunctionSetExtraInfo(f, unsafe.Pointer(index), C.free)
	mapping.ScalarFunctionSetFunction(f, C.uri_call)
	if mapping.RegisterScalarFunction(connection, f) != mapping.StateSuccess {
		return fmt.Errorf("uri: DuckDB refuses the function %s", functions[i].name)
	}
	return nil
}

// A column is an argument of a chunk. DuckDB has already flattened it.
type column struct {
	rows     []duckString
	validity []uint64 // one bit for each row, or nil if none is NULL
}

// A duckString is duckdb_string_t: up to 12 bytes in place, or their first four and a pointer to all.
type duckString struct {
	length uint32
	inline [12]byte
}

func newColumn(chunk mapping.DataChunk, i, rows int) (c column) {
	vector := mapping.DataChunkGetVector(chunk, mapping.IdxT(i))
	c.rows = unsafe.Slice((*duckString)(mapping.VectorGetData(vector)), rows)
	if mask := mapping.VectorGetValidity(vector); mask != nil {
		c.validity = unsafe.Slice((*uint64)(mask), (rows+63)/64)
	}
	return c
}

// get returns the bytes of a row, which are valid during the call and must not change. It returns false for
// NULL.
func (c *column) get(row int) ([]byte, bool) {
	if c.validity != nil && c.validity[row/64]>>(row%64)&1 == 0 {
		return nil, false
	}
	s := &c.rows[row]
	if s.length <= uint32(len(s.inline)) {
		return s.inline[:s.length], true
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&s.inline[4])), s.length), true
}

// results are the results of a chunk, one after the other. Each thread of DuckDB has its own.
type results struct {
	text []byte
	ends []uint64
}

var pool = sync.Pool{New: func() any { return new(results) }}

// uri_call is what DuckDB calls for each chunk.
//
//export uri_call
func uri_call(info, input, output unsafe.Pointer) {
	f := &functions[*(*C.size_t)(mapping.ScalarFunctionGetExtraInfo(mapping.FunctionInfo{Ptr: info}))]
	chunk := mapping.DataChunk{Ptr: input}
	rows := int(mapping.DataChunkGetSize(chunk))
	if rows == 0 {
		return
	}
	var args [2]column
	for i := range f.args {
		args[i] = newColumn(chunk, i, rows)
	}
	out := mapping.Vector{Ptr: output}
	mapping.VectorEnsureValidityWritable(out)
	validity := unsafe.Slice((*uint64)(mapping.VectorGetValidity(out)), (rows+63)/64)
	var truths []bool
	if f.isBool {
		truths = unsafe.Slice((*bool)(mapping.VectorGetData(out)), rows)
	}

	r := pool.Get().(*results)
	defer pool.Put(r)
	r.text, r.ends = r.text[:0], r.ends[:0]
	var v uri.View
	for row := range rows {
		var key []byte
		text, ok := args[0].get(row)
		if ok && f.args == 2 {
			key, ok = args[1].get(row)
		}
		if ok {
			r.text, ok = f.eval(r.text, &v, text, key)
			if f.isBool {
				truths[row], ok = ok, true
			}
		}
		if !ok {
			validity[row/64] &^= 1 << (row % 64)
		}
		r.ends = append(r.ends, uint64(len(r.text)))
	}
	if !f.isBool {
		r.text = append(r.text, 0) // so that C gets a pointer even if all are empty
		C.uri_assign(output, C.uint64_t(rows), (*C.char)(unsafe.Pointer(&r.text[0])), (*C.uint64_t)(&r.ends[0]))
	}
}
