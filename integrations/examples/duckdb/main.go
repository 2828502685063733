//go:build cgo

// Command duckdb queries a file of URLs, one per line, with SQL functions that are written in Go.
//
//	duckdb FILE [QUERY...]
//
// The table is urls, its column url. Without a query it runs a few of its own.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"text/tabwriter"

	_ "github.com/duckdb/duckdb-go/v2"
)

var demo = []string{
	"SELECT lower(uri_host(url)) AS host, count(*) AS n FROM urls GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 5",
	"SELECT uri_normalize(url) AS page, count(*) AS n FROM urls WHERE uri_valid(url) GROUP BY 1 HAVING n > 1",
	"SELECT uri_param(url, 'q') AS search, uri_path(url) AS path FROM urls WHERE search IS NOT NULL ORDER BY 1",
	"SELECT uri_redact(url) AS redacted FROM urls WHERE uri_redact(url) <> url ORDER BY 1",
	`SELECT url, uri_host(url), regexp_extract(url, '://([^/]+)', 1) AS regexp FROM urls
WHERE regexp IS DISTINCT FROM uri_host(url) ORDER BY 1`,
}

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: duckdb FILE [QUERY...]")
	}
	db, err := open(ctx, args[0])
	if err != nil {
		return err
	}
	defer db.Close()
	queries := args[1:]
	if len(queries) == 0 {
		queries = demo
	}
	for _, query := range queries {
		fmt.Fprintf(out, "%s\n\n", query)
		if err := show(ctx, out, db, query); err != nil {
			return err
		}
	}
	return nil
}

// open returns a database in memory that has the functions, and the lines of the file as the table urls.
func open(ctx context.Context, file string) (*sql.DB, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	err = func() error {
		c, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		if err := Register(c); err != nil {
			return err
		}
		// Each line is one column: no header, no quotes, and a delimiter that no line of text has.
		_, err = c.ExecContext(ctx, `CREATE TABLE urls AS FROM read_csv(?, columns = {url: 'VARCHAR'},
			auto_detect = false, header = false, delim = E'\x1F', quote = '', escape = '')`, file)
		return err
	}()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// show prints the rows of a query.
func show(ctx context.Context, out io.Writer, db *sql.DB, query string) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(names, "\t"))
	values := make([]sql.NullString, len(names))
	pointers := make([]any, len(names))
	for i := range values {
		pointers[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(pointers...); err != nil {
			return err
		}
		for i, value := range values {
			if i > 0 {
				fmt.Fprint(table, "\t")
			}
			switch {
			case !value.Valid:
				value.String = "NULL"
			case value.String == "":
				value.String = `""`
			}
			fmt.Fprint(table, value.String)
		}
		fmt.Fprintln(table)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	fmt.Fprintln(table)
	return table.Flush()
}
