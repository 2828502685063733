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
