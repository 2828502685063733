package main

import "github.com/seed-56a50ac9/uri"

// counts are what a block adds to the results.
type counts struct {
	hosts          map[string]*int64
	lines, invalid int64
	invalidLines   []byte // each with a newline
}

// countHosts counts the hosts of a block of URIs, one per line.
func countHosts(block string) (*counts, error) {
	c := &counts{hosts: map[string]*int64{}}
	var lines uri.Lines
	for v, err := range lines.Scan(uri.Reference, []byte(block), true) {
		c.lines++
		switch {
		case err != nil:
			c.invalid++
			c.invalidLines = append(append(c.invalidLines, lines.Text()...), '\n')
		case v.Has(uri.Host):
			n := c.hosts[string(v.Host())]
			if n == nil { // only a new host needs a string of its own
				n = new(int64)
				c.hosts[string(v.Host())] = n
			}
			*n++
		}
	}
	return c, nil
}
