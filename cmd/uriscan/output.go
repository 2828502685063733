package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// Output is the flags that say what to print of a record.
type output struct {
	fields []string
	format string
	header bool
	names  choice[naming]
	decode bool
	flags  *pflag.FlagSet
}

// defaultFields are the components that make up a URI.
var defaultFields = []string{"scheme", "userinfo", "host", "port", "path", "query", "fragment"}

// define defines the flags.
func (o *output) define() *pflag.FlagSet {
	f := newFlagSet()
	o.flags = f
	o.names.options = namings
	f.StringSliceVarP(&o.fields, "fields", "f", defaultFields, "`fields` to print, see \"uriscan help fields\"")
	o.defineFormat(f)
	f.Var(&o.names, "names", "name fields as plain, ecs, otel or clickhouse do")
	f.BoolVar(&o.decode, "decode", false, "decode the escapes in all fields")
	return f
}

// defineFormat defines the flags of every command that prints rows.
func (o *output) defineFormat(f *pflag.FlagSet) {
	usage := "`format`: tsv, csv, jsonl or table"
	if o.flags == f {
		usage = "`format`: tsv, csv, jsonl, table, or '{host} {path}'"
	}
	f.StringVar(&o.format, "format", "", usage)
	f.BoolVar(&o.header, "header", false, "print the names of the fields first (tsv, csv)")
}

// A layout is how to print records.
type layout struct {
	fields []field
	format format
	table  bool // align the columns
	header bool
}

// layout checks the flags. Without --format it is a table if the output is a terminal.
func (a *app) layout() (l layout, err error) {
	o := &a.output
	if strings.ContainsAny(o.format, "{}") {
		if o.flags != nil && o.flags.Changed("fields") {
			return l, errors.New("give --fields or a template in --format, not both")
		}
		t, fields, err := parseTemplate(o.format)
		l.format, l.fields = t, fields
		return a.finish(l, err)
	}
	if l.fields, err = fieldsOf(o.fields); err != nil {
		return l, err
	}
	if err = a.setFormat(&l); err != nil {
		return l, err
	}
	return a.finish(l, nil)
}

// setFormat sets the format of the layout by name.
func (a *app) setFormat(l *layout) error {
	l.header = a.output.header
	name := a.output.format
	if name == "" {
		name = "tsv"
		if isTerminal(a.stdout) {
			name = "table"
		}
	}
	switch name {
	case "tsv":
		l.format = tsv{}
	case "csv":
		l.format = csv{}
	case "jsonl":
		l.format = jsonl{}
	case "table":
		l.format, l.table, l.header = tsv{}, true, true
	default:
		return fmt.Errorf("unknown format %q; use tsv, csv, jsonl or table", name)
	}
	return nil
}

// finish applies the flags that change fields.
func (a *app) finish(l layout, err error) (layout, error) {
	o := &a.output
	if err != nil {
		return l, err
	}
	if _, ok := l.format.(tsv); !ok && o.header && l.format != (csv{}) {
		return l, errors.New("--header needs the format tsv or csv")
	}
	if o.decode {
		for i, f := range l.fields {
			if !strings.HasSuffix(f.name, decodedSuffix) {
				l.fields[i], _ = fieldOf(f.name + decodedSuffix)
				l.fields[i].name, l.fields[i].label = f.name, f.label
			}
		}
	}
	if !a.reading.lenient {
		for i := range l.fields {
			l.fields[i].safe = l.fields[i].safe || l.fields[i].part
		}
	}
	o.names.value().rename(l.fields)
	return l, nil
}

// rows returns the job of printing rows in the layout: its writer and its first line.
func (a *app) rows(l layout, j job) job {
	if l.header {
		j.header = l.format.header(nil, l.fields)
	}
	if l.table {
		right := make([]bool, len(l.fields))
		for i, f := range l.fields {
			right[i] = f.kind == numberKind
		}
		j.table = &table{to: a.stdout, style: a.style(a.stdout), right: right}
	}
	return j
}
