package main

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
)

// generate returns lines of the kinds that are rare among web links, the same number of each, in mixed order.
// They are the same on every machine.
func generate() (lines [][]byte) {
	g := generator{rand.New(rand.NewPCG(3986, 2005))}
	for range 1024 {
		for _, kind := range []func() string{
			g.ipv6, g.ipv4, g.userinfo, g.port, g.longQuery, g.deepPath, g.relative, g.urn,
		} {
			lines = append(lines, []byte(kind()))
		}
	}
	g.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}

type generator struct{ *rand.Rand }

const (
	lower      = "abcdefghijklmnopqrstuvwxyz"
	unreserved = lower + lower + lower + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~" // mostly lower case
	digits     = "0123456789"
)

// some returns least to most characters of the set.
func (g generator) some(set string, least, most int) string {
	b := make([]byte, least+g.IntN(most-least+1))
	for i := range b {
		b[i] = set[g.IntN(len(set))]
	}
	return string(b)
}

// list returns least to most items, joined by the separator.
func (g generator) list(least, most int, separator string, item func() string) string {
	items := make([]string, least+g.IntN(most-least+1))
	for i := range items {
		items[i] = item()
	}
	return strings.Join(items, separator)
}

func (g generator) one(of ...string) string { return of[g.IntN(len(of))] }
func (g generator) word() string            { return g.some(lower, 2, 10) }
func (g generator) web() string             { return g.one("http", "https", "https", "ws") + "://" }
func (g generator) name() string            { return g.list(1, 3, ".", g.word) + g.one(".example", ".test") }
func (g generator) segment() string         { return g.some(unreserved, 1, 14) }
func (g generator) path() string            { return "/" + g.list(0, 4, "/", g.segment) }

// escaped returns a value in UTF-8 with about a third of its characters percent-encoded.
func (g generator) escaped() string {
	var b strings.Builder
	for range 1 + g.IntN(12) {
		if g.IntN(3) == 0 {
			for _, octet := range []byte(g.one(" ", "&", "/", ":", "\"", "%", "[", "é", "ß", "я", "東")) {
				fmt.Fprintf(&b, "%%%02X", octet)
			}
		} else {
			b.WriteString(g.some(unreserved, 1, 3))
		}
	}
	return b.String()
}

func (g generator) ipv6() string {
	var a [16]byte
	copy(a[:], "\x20\x01\x0d\xb8")
	for i := g.one("\x04", "\x08", "\x0e")[0]; i < 16; i++ { // zeros before it, for "::"
		a[i] = byte(g.Uint32())
	}
	return g.web() + "[" + netip.AddrFrom16(a).String() + "]" + g.one("", ":8080", ":443") + g.path()
}

func (g generator) ipv4() string {
	a := g.Uint32()
	return fmt.Sprintf("%s%d.%d.%d.%d%s%s",
		g.web(), a>>24, a>>16&255, a>>8&255, a&255, g.one("", ":8080", ":3128"), g.path())
}

func (g generator) userinfo() string {
	user := g.word()
	if g.IntN(2) == 0 {
		user += ":" + g.escaped()
	}
	return g.one("ftp", "ssh", "https", "postgres") + "://" + user + "@" + g.name() + g.path()
}

func (g generator) port() string {
	return fmt.Sprintf("%s%s:%d%s", g.web(), g.name(), 1+g.IntN(65535), g.path())
}

func (g generator) longQuery() string {
	pair := func() string { return g.word() + "=" + g.escaped() }
	return g.web() + g.name() + g.path() + "?" + g.list(6, 24, "&", pair)
}

func (g generator) deepPath() string {
	return g.web() + g.name() + "/" + g.list(8, 24, "/", g.segment) + g.one("", "/", ".html", "?v="+g.word())
}

func (g generator) relative() string {
	query := g.one("", "?"+g.word()+"="+g.escaped(), "#"+g.word())
	switch g.IntN(5) {
	case 0:
		return strings.Repeat("../", 1+g.IntN(4)) + g.list(1, 3, "/", g.segment) + query
	case 1:
		return g.path() + query
	case 2:
		return "//" + g.name() + g.path() + query
	case 3:
		return g.word() + g.path() + query
	default:
		return g.one("?", "#", "./") + g.word()
	}
}

func (g generator) urn() string {
	switch g.IntN(4) {
	case 0:
		return "urn:isbn:" + g.some(digits, 13, 13)
	case 1:
		return fmt.Sprintf("urn:uuid:%08x-%04x-4%03x-a%03x-%012x",
			g.Uint32(), g.Uint32()>>16, g.Uint32()>>20, g.Uint32()>>20, g.Uint64()>>16)
	case 2:
		return "mailto:" + g.word() + "@" + g.name()
	default:
		return g.one("tag:", "urn:", "did:") + g.list(2, 5, ":", g.word)
	}
}
