package uri

// clues are the signs of possible ambiguity that a glance at the input finds.
type clues uint8

const (
	clueUpper clues = 1 << iota // a letter "A" to "Z" in the head
	clueDot                     // a "." after a "/"
	clueSlash                   // a "/" after a "/" outside the head
)

// glanceGeneric is glance in portable Go. The head is ASCII.
func glanceGeneric(s string, head int) (c clues) {
	i := 0
	for ; i+9 <= len(s); i += 8 {
		x := load(s[i:])
		slashes := zeros(x ^ ones*'/')
		next := load(s[i+1:])
		if slashes&zeros(next^ones*'.') != 0 {
			c |= clueDot
		}
		if both := slashes & zeros(next^ones*'/'); both != 0 && both>>(8*max(0, min(head-i, 8))) != 0 {
			c |= clueSlash
		}
		if i < head {
			if over := i + 8 - head; over > 0 {
				x = x << (8 * over) >> (8 * over)
			}
			if between(x, 'A', 'Z') != 0 {
				c |= clueUpper
			}
		}
	}
	for ; i < len(s); i++ {
		if i < head && isUpper(s[i]) {
			c |= clueUpper
		}
		if s[i] == '/' && i+1 < len(s) {
			if s[i+1] == '.' {
				c |= clueDot
			}
			if s[i+1] == '/' && i >= head {
				c |= clueSlash
			}
		}
	}
	return c
}

// isOddGeneric is isOdd in portable Go.
func isOddGeneric(s string) bool {
	if len(s) < 8 {
		var word uint64
		for i := range len(s) {
			word |= uint64(s[i]) << (8 * i)
		}
		return oddities(word) != 0
	}
	var odd uint64
	for i := 0; i+8 < len(s); i += 7 { // words overlap by a byte, which may be the first of a pair
		odd |= oddities(load(s[i:]))
	}
	return odd|oddities(load(s[len(s)-8:])) != 0
}

// oddities returns zero if isOdd finds nothing in x.
func oddities(x uint64) uint64 {
	semicolons, dollars := x^ones*';', x^ones*'$'
	dots, slashes, dashes := x^ones*'.', x^ones*'/', x^ones*'-'
	// The top bit of a byte of (y-ones)&^y is set if that byte of y is zero. It may also be set in bytes
	// above a zero byte.
	semicolons, dollars = (semicolons-ones)&^semicolons, (dollars-ones)&^dollars
	dots, slashes, dashes = (dots-ones)&^dots, (slashes-ones)&^slashes, (dashes-ones)&^dashes
	return (semicolons | dollars | dots<<8&slashes | dashes<<8&dashes) & tops
}
