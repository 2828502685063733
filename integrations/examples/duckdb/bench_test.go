//go:build cgo

package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/seed-56a50ac9/uri"
	"github.com/stretchr/testify/require"
)

// patterns are what one finds for hosts: the usual one, and that of RFC 3986 appendix B, which finds the
// authority of anything.
var patterns = []struct {
	text  string
	group int
}{
	{"://([^/]+)", 1},
	{`^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?`, 4},
}

// byRow is a function as the driver documents it, of one row.
type byRow struct{ *function }

func (f byRow) Config() (c duckdb.ScalarFuncConfig) {
	varchar, _ := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	for range f.args {
		c.InputTypeInfos = append(c.InputTypeInfos, varchar)
	}
	if c.ResultTypeInfo = varchar; f.isBool {
		c.ResultTypeInfo, _ = duckdb.NewTypeInfo(duckdb.TYPE_BOOLEAN)
	}
	return c
}

func (f byRow) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		var v uri.View
		var key []byte
		if f.args == 2 {
			key = []byte(values[1].(string))
		}
		out, ok := f.eval(nil, &v, []byte(values[0].(string)), key)
		switch {
		case f.isBool:
			return ok, nil
		case !ok:
			return nil, nil
		}
		return out, nil
	}}
}

// rowHost is uri_host without needless copies, as one would write it for the driver.
type rowHost struct{ byRow }

func (rowHost) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		var v uri.StringView
		if v.Scan(form, values[0].(string)) != nil || !v.Has(uri.Host) {
			return nil, nil
		}
		return v.Host(), nil
	}}
}

// registerRows registers row_uri_host and so on, and row_host.
func registerRows(t testing.TB, db *sql.DB) {
	t.Helper()
	c, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer c.Close()
	for i := range functions {
		f := &functions[i]
		require.NoError(t, duckdb.RegisterScalarUDF(c, "row_"+f.name, byRow{f}))
		if f.name == "uri_host" {
			require.NoError(t, duckdb.RegisterScalarUDF(c, "row_host", rowHost{byRow{f}}))
		}
	}
}

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkHosts finds the host of each line: by a function of blocks, by one of rows, and by regular
// expressions. It either only finds them, or also counts the lines of each. For comparison there are a
// function of DuckDB's own, and a loop without DuckDB.
func BenchmarkHosts(b *testing.B) {
	file, count := lines(b)
	db := opened(b, file)
	registerRows(b, db)
	_, err := db.Exec("SET threads = 1")
	require.NoError(b, err)
	measure := func(task, by string, countHosts func() int) {
		b.Run("task="+task+"/by="+by, func(b *testing.B) {
			b.ReportAllocs()
			start := cpu(b)
			for b.Loop() {
				require.NotZero(b, countHosts())
			}
			b.ReportMetric(float64(cpu(b)-start)/float64(b.N)/float64(count), "cpu-ns/line")
			b.ReportMetric(0, "ns/op")
		})
	}
	for _, task := range [][2]string{
		{"find", "SELECT count(%s) FROM urls"},
		{"count", "SELECT max(n) FROM (SELECT %s AS host, count(*) AS n FROM urls GROUP BY 1)"},
	} {
		for _, by := range [][2]string{
			{"lower", "lower(url)"},
			{"block", "uri_host(url)"},
			{"row", "row_host(url)"},
			{"regexp-usual", fmt.Sprintf("regexp_extract(url, '%s', %d)", patterns[0].text, patterns[0].group)},
			{"regexp-RFC", fmt.Sprintf("regexp_extract(url, '%s', %d)", patterns[1].text, patterns[1].group)},
		} {
			query := fmt.Sprintf(task[1], by[1])
			measure(task[0], by[0], func() (n int) {
				require.NoError(b, db.QueryRow(query).Scan(&n), query)
				return n
			})
		}
	}
	text, err := os.ReadFile(file)
	require.NoError(b, err)
	measure("count", "Go", func() (most int) {
		counts := make(map[string]*int)
		var l uri.Lines
		for v, err := range l.Scan(form, text, true) {
			if err != nil {
				continue
			}
			n := counts[string(v.Host())]
			if n == nil {
				n = new(int)
				counts[string(v.Host())] = n
			}
			*n++
			most = max(most, *n)
		}
		return most
	})
}
