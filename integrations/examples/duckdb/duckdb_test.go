//go:build cgo

package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opened is open on the file for the length of a test.
func opened(t testing.TB, file string) *sql.DB {
	t.Helper()
	db, err := open(context.Background(), file)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestFunctions(t *testing.T) {
	const null = "NULL"
	db := opened(t, "urls.txt")
	for _, row := range [][2]string{
		{`uri_scheme('HTTP://h/')`, "HTTP"},
		{`uri_scheme('/a')`, null},
		{`uri_host('http://u:p@example.com:80/')`, "example.com"},
		{`uri_host('http://[::1]:80/')`, "[::1]"},
		{`uri_host('file:///etc')`, ""},
		{`uri_host('mailto:a@b')`, null},
		{`uri_host('http://a b/')`, null},
		{`uri_host(NULL)`, null},
		{`uri_path('http://h')`, ""},
		{`uri_path('http://h/a/../b%2Fc;v=1?q#f')`, "/a/../b%2Fc;v=1"},
		{`uri_path('http://h/%')`, null},
		{`uri_param('http://h/?a=1&b=c+d%C3%A9&b=2', 'b')`, "c dé"},
		{`uri_param('?%61=1', 'a')`, "1"},
		{`uri_param('?a', 'a')`, ""},
		{`uri_param('?a=', 'a')`, ""},
		{`uri_param('?a=1', 'b')`, null},
		{`uri_param('/a=1', 'a')`, null},
		{`uri_param('?a=%FF', 'a')`, null}, // not UTF-8, so no VARCHAR
		{`uri_param('?a=1', NULL)`, null},
		{`uri_param(NULL, 'a')`, null},
		{`uri_valid('http://h/')`, "true"},
		{`uri_valid('')`, "true"},
		{`uri_valid('http://h/%')`, "false"},
		{`uri_valid(NULL)`, null},
		{`uri_redact('http://u:p@h/?sig=1&a=2')`, "http://REDACTED:REDACTED@h/?sig=REDACTED&a=2"},
		{`uri_redact('http://u:p@h h/')`, "http://REDACTED:REDACTED@h h/"},
		{`uri_redact('')`, ""},
		{`uri_redact(NULL)`, null},
		{`uri_normalize('HTTP://Example.COM:80/%7ea/./b/../c')`, "http://example.com/~a/c"},
		{`uri_normalize('http://a b/')`, null},
		{`uri_normalize(NULL)`, null},
	} {
		var got sql.NullString
		require.NoError(t, db.QueryRow("SELECT "+row[0]).Scan(&got), row[0])
		if !got.Valid {
			got.String = null
		}
		assert.Equal(t, row[1], got.String, row[0])
	}
}

// lines returns a file of URLs with its number of lines: web links, if URI_CORPUS names their folder, or some
// of the same kind.
func lines(t testing.TB) (file string, count int) {
	t.Helper()
	if folder := os.Getenv("URI_CORPUS"); folder != "" {
		file = filepath.Join(folder, "kasztp.txt")
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return file, strings.Count(string(text), "\n")
	}
	var text strings.Builder
	for count = range 20_000 {
		fmt.Fprintf(&text, "https://www.site%d.example/%s/page-%d.html?id=%d\n", count*count%997,
			strings.Repeat("a", count%40), count, count)
		if count%99 == 0 {
			fmt.Fprintf(&text, "http://user:pass@h%d.example:8080/100%%\n", count)
		}
	}
	file = filepath.Join(t.TempDir(), "urls.txt")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	return file, strings.Count(text.String(), "\n")
}

// TestBlocks compares the functions with the same ones written for the driver, on two threads: over lines,
// strings of every short length, NULL, and chunks that are not full.
func TestBlocks(t *testing.T) {
	file, count := lines(t)
	db := opened(t, file)
	registerRows(t, db)
	exec := func(query string) {
		_, err := db.Exec(query)
		require.NoError(t, err, query)
	}
	exec("SET threads = 2")
	var n int
	require.NoError(t, db.QueryRow("SELECT count(*) FROM urls").Scan(&n))
	require.Equal(t, count, n)
	exec(`INSERT INTO urls SELECT CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN '?=' || i ELSE '' END
		FROM range(5000) t(i)`)
	exec("INSERT INTO urls SELECT repeat('a', i) FROM range(100) t(i)")
	exec("INSERT INTO urls SELECT '?a=' || url || '&page=%FF&key=' || i FROM urls, range(2) t(i)")
	exec(`CREATE TABLE keys AS SELECT url,
		CASE rowid % 4 WHEN 0 THEN 'id' WHEN 1 THEN 'page' WHEN 2 THEN 'a' END AS key FROM urls`)

	for _, f := range functions {
		args := []string{"url", "url, key", "url, 'a'"}[min(1, f.args-1):][:f.args]
		for _, arg := range args {
			var rows, differ, nulls int
			query := fmt.Sprintf(`SELECT count(*), count(*) FILTER (%[1]s(%[2]s) IS DISTINCT FROM row_%[1]s(%[2]s)),
				count(*) FILTER (%[1]s(%[2]s) IS NULL) FROM keys`, f.name, arg)
			require.NoError(t, db.QueryRow(query).Scan(&rows, &differ, &nulls), query)
			assert.Zero(t, differ, query)
			assert.Greater(t, rows, 70_000)
			assert.NotZero(t, nulls, query)
			assert.Less(t, nulls, rows, query)
		}
	}
}

// TestHosts compares uri_host with net/url, which is less strict, over the lines.
func TestHosts(t *testing.T) {
	file, _ := lines(t)
	db := opened(t, file)
	rows, err := db.Query("SELECT url, uri_host(url) FROM urls WHERE uri_valid(url)")
	require.NoError(t, err)
	defer rows.Close()
	compared := 0
	for rows.Next() {
		var text string
		var host sql.NullString
		require.NoError(t, rows.Scan(&text, &host))
		u, err := url.Parse(text)
		if err != nil || strings.Contains(u.Host, "%") || strings.Contains(u.Host, "[") {
			continue
		}
		if assert.Equal(t, u.Hostname(), host.String, text) {
			compared++
		}
	}
	require.NoError(t, rows.Err())
	assert.Greater(t, compared, 10_000)
}

// TestRegexp counts the lines whose host a regular expression reports wrongly.
func TestRegexp(t *testing.T) {
	file, count := lines(t)
	db := opened(t, file)
	for _, pattern := range patterns {
		var differ, invalid int
		query := fmt.Sprintf(`SELECT count(*), count(*) FILTER (NOT uri_valid(url)) FROM urls
			WHERE regexp_extract(url, '%s', %d) IS DISTINCT FROM coalesce(uri_host(url), '')`,
			pattern.text, pattern.group)
		require.NoError(t, db.QueryRow(query).Scan(&differ, &invalid))
		t.Logf("%s: wrong for %d of %d lines, %d of them invalid", pattern.text, differ, count, invalid)
		assert.NotZero(t, differ)
	}
}

// TestReadme runs the program as README.md does.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	console := regexp.MustCompile("(?s)\\$ go run . urls.txt(?: \"(.*?)\")?\n(.*?)```")
	runs := console.FindAllStringSubmatch(string(text), -1)
	require.Len(t, runs, 2)
	trim := regexp.MustCompile(`(?m) +$`)
	for _, match := range runs {
		args := []string{"urls.txt"}
		if match[1] != "" {
			args = append(args, match[1])
		}
		var out strings.Builder
		require.NoError(t, run(context.Background(), &out, args))
		assert.Equal(t, match[2], strings.TrimSpace(trim.ReplaceAllString(out.String(), ""))+"\n")
	}
}

func TestUsage(t *testing.T) {
	ctx := context.Background()
	assert.ErrorContains(t, run(ctx, nil, nil), "usage")
	assert.ErrorContains(t, run(ctx, nil, []string{"missing.txt"}), "missing.txt")
	var out strings.Builder
	assert.ErrorContains(t, run(ctx, &out, []string{"urls.txt", "SELECT uri_host(1, 2)"}), "uri_host")
	assert.NoError(t, run(ctx, &out, []string{"urls.txt", "SELECT 1 AS one"}))
	_, err := handle("no connection")
	assert.Error(t, err)
}
