//go:build !purego

package uri

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-56a50ac9/uri/internal/long"
)

// A kernelTable is a data table in kernels_amd64.s.
type kernelTable struct {
	name string
	data []byte
}

// kernelTables reads the tables from the source.
func kernelTables(t *testing.T) (tables []*kernelTable) {
	source, err := os.ReadFile("kernels_amd64.s")
	require.NoError(t, err)
	number := func(s string) int {
		n, err := strconv.ParseUint(s, 0, 64)
		require.NoError(t, err)
		return int(n)
	}
	byName := map[string]*kernelTable{}
	data := regexp.MustCompile(`DATA (\w+)<>\+(\d+)\(SB\)/8, \$(0x[0-9a-f]+)`)
	for _, m := range data.FindAllStringSubmatch(string(source), -1) {
		table := byName[m[1]]
		if table == nil {
			table = &kernelTable{name: m[1]}
			byName[m[1]] = table
			tables = append(tables, table)
		}
		require.Equal(t, len(table.data), number(m[2]))
		for i := range 8 {
			table.data = append(table.data, byte(number(m[3])>>(8*i)))
		}
	}
	return tables
}

// inMemory returns the tables in the memory of this program, by name.
func inMemory(t *testing.T, tables []*kernelTable) map[string][]byte {
	// The linker puts tables of the same size together, in the order of the source.
	memory := constants(t)
	bySize := map[int][]byte{}
	offset := map[*kernelTable]int{}
	for _, table := range tables {
		size := len(table.data)
		offset[table] = len(bySize[size])
		bySize[size] = append(bySize[size], table.data...)
	}
	found := map[string][]byte{}
	for _, table := range tables {
		all := bySize[len(table.data)]
		require.Equal(t, 1, bytes.Count(memory, all), "tables of %d bytes, one after the other", len(table.data))
		found[table.name] = memory[bytes.Index(memory, all)+offset[table]:][:len(table.data)]
	}
	return found
}

// observed is everything that the kernels do with an input.
type observed struct {
	masks   masks
	offsets [3]offsets // as a reference, where the input is and at the end of a page; and as a Host field
	clues   [2]clues   // if all of the input is head, and if none of it is
}

// observe needs watchKernels.
func observe(place stage, s string) (o observed) {
	const old = 0xA5A5A5A5A5A5A5A5
	o.masks = masks{old, old, old, old, old, old, old, old}
	classify(s[:min(len(s), blockSize)], &o.masks)
	for k, s := range [...]string{s, place.atEnd(s), s} {
		v := view{src: s}
		_ = scan(&v, [...]Form{Reference, Reference, HostField}[k])
		o.offsets[k] = v.offsets
	}
	o.clues = [2]clues{glance(s, len(s)), glance(s, 0)}
	return o
}

// kernelProbes are inputs with every byte, and with a byte of every class at every offset of the first two
// blocks, in each part of a URI, each among plain bytes only and among others.
func kernelProbes() (probes []string) {
	add := func(texts ...string) { probes = append(probes, texts...) }
	middle := strings.Repeat("a", 20) // up to where tables of 32 bytes have their second half
	block := strings.Repeat("a", blockSize)
	for b := range 256 {
		b := string([]byte{byte(b)})
		for _, around := range [][2]string{
			{"", "b"},
			{"a", ":b"},
			{"a", "41:b"},
			{"//h:", ""},
			{":", ""},
			{":0", ""},
			{"/", ""},
			{"%", ""},
			{"", "%41"},
			{"/%", "41"},
			{middle, ":/"},
			{"/" + middle + "%", "41"},
			{"/" + middle + "%4", "41"},
			{"a:" + middle, "/"},
			{"/" + block, block},
			{"/" + block + middle, block},
			{"/" + block + "%41", block},
			{"/" + block + middle + "%41", block},
			{"/" + block + "%", "41" + block},
			{"/" + block + "%4", "41" + block},
			{"/" + block + middle + "%", "41" + block},
			{"/" + block + middle + "%4", "41" + block},
		} {
			add(around[0] + b + around[1])
		}
	}
	for i := range 2 * blockSize {
		filler := strings.Repeat("a", i)
		for _, c := range "a:/?#@%[0 9gAZ.-,~\x00\x80" {
			b := string([]byte{byte(c)})
			add(filler+b, "/"+filler[min(i, 1):]+b, filler+"/"+b, "/"+block+filler+b+block[:blockSize-1],
				"/"+block+filler+"%41"+b+block[:blockSize-1])
			if i < blockSize {
				whole := filler + b + block
				digits := "//" + strings.Repeat("0", i) + b + strings.Repeat("9", blockSize)
				add(whole[:blockSize-1]+":", whole[:blockSize]+"a", filler+b+":", filler+b+"://h:9/",
					"//:"+digits[2:blockSize-1], "//:"+digits[2:blockSize-2]+"?", filler+"%"+b+b+b, filler+"%"+b,
					filler+b+"/", filler+b+b, filler+":/"+b, filler+":"+b+"/", filler+":"+b+b,
					"/"+whole, "/%41"+whole, "//"+whole[:blockSize-2]+"/", "//"+whole[:blockSize-3]+"@/")
			}
		}
	}
	// No kernel may give up because of an input's position in memory, so the blocks of each are in one page.
	const room = 256
	memory := make([]byte, (len(probes)+1)*room)
	memory = memory[-uintptr(unsafe.Pointer(unsafe.SliceData(memory)))%room:]
	for i, s := range probes {
		probes[i] = text(memory[i*room:][:copy(memory[i*room:][:room], s)])
	}
	return probes
}

// TestKernelMutants flips every bit of every table of the kernels, one at a time, in the memory of this
// program. Each flip must change what a kernel does with one of the probes, unless it cannot make a
// difference. The sample flips one bit in 97.
func TestKernelMutants(t *testing.T) {
	kernels := levels[1:]
	if len(kernels) < len(allLevels)-1 {
		t.Skip("runs on a processor that has all kernels")
	}
	watchKernels(t)
	probes, place := kernelProbes(), newStage(t)
	want := make([][]observed, len(kernels))
	for k, level := range kernels {
		level.use()
		for _, s := range probes {
			want[k] = append(want[k], observe(place, s))
		}
	}
	last := make([]int, len(kernels)) // the probe that found the last mutant is likely to find the next
	found := func() bool {
		for k, level := range kernels {
			level.use()
			for i := range probes {
				i = (last[k] + i) % len(probes)
				if observe(place, probes[i]) != want[k][i] {
					last[k] = i
					return true
				}
			}
		}
		return false
	}

	tables := kernelTables(t)
	inMemory := inMemory(t, tables)

	model := kernelModel{}
	for _, table := range tables {
		model[table.name] = bytes.Clone(table.data)
	}
	var meant [blockSize]string
	for i := range meant {
		meant[i] = model.means(i)
	}
	mutants, killed := 0, 0
	stride, meaningless := long.Sample(t, 97, 1), long.Sample(t, 97*8, 16, 1)
	others := []string{"powers", "byte24", "byte2D", "byte3B"} // TestSetMutants flips their bits
	for _, table := range tables {
		if slices.Contains(others, table.name) {
			continue
		}
		meaningful := 0
		inMemory, inModel := inMemory[table.name], model[table.name]
		for i := range table.data {
			lanes := []int{0, 1, 20, 37, 63} // the offsets in a block at which the byte may make a difference
			if strings.HasPrefix(table.name, "byte") {
				lanes = []int{i, (i + blockSize/2) % blockSize}
			}
			for bit := range 8 {
				if mutants++; mutants%stride != 0 {
					continue
				}
				inModel[i] ^= 1 << bit
				means := slices.ContainsFunc(lanes, func(i int) bool { return model.means(i) != meant[i] })
				inModel[i] ^= 1 << bit

				if means {
					meaningful++
				}
				if !means && mutants%meaningless != 0 {
					continue // finding nothing takes all probes
				}
				inMemory[i] ^= 1 << bit
				isFound := found()
				inMemory[i] ^= 1 << bit
				if isFound {
					killed++
				}
				if means != isFound {
					t.Errorf("bit %d of byte %d of %s: means something: %v, found: %v", bit, i, table.name, means, isFound)
				}
			}
		}
		if stride == 1 {
			assert.Positive(t, meaningful, "the model knows %s", table.name)
		}
	}
	t.Logf("%d probes find %d of %d flipped bits; the model says that the other %d mean nothing", len(probes),
		killed, mutants, mutants-killed)
	assert.False(t, found(), "the tables are as they were")
}

// A kernelModel is what the tables mean to the kernels. Much does not matter to them: bits of a class that no
// kernel uses, bytes of a table that only a wider register would read, and the classes of a byte for which a
// kernel gives up.
type kernelModel map[string][]byte

// means returns what each byte means at offset i of a block, to each of the kernels.
func (m kernelModel) means(i int) string {
	all := make([]byte, 0, 32*256)
	for b := range 256 {
		all = append(all, m.classify512(i, b)...)
		all = append(all, m.glance512(i, b), m.glance2(i, b))
		all = append(all, m.first512(i, b).head(i, b, false)...)
		all = append(all, m.later512(i, b).tail(b)...)
		for _, next := range []int{0, 15} { // the lower nibble of the next byte
			all = append(all, m.classify2(i, b, next)...)
			all = append(all, m.first2(i, b, next).head(i, b, true)...)
			all = append(all, m.later2(i, b, next).tail(b)...)
		}
	}
	return string(all)
}

// bitTables are the tables that each select one class of a byte, one bit per class.
var bitTables = [...]string{"byte01", "byte02", "byte04", "byte08", "byte10", "byte20", "byte40", "byte80"}

func (m kernelModel) classify512(i, b int) []byte {
	if b >= 0x80 {
		return []byte{0}
	}
	class := m["classes"][b]
	all := []byte{bits8(class&m["byte70"][i] != 0)}
	for _, name := range bitTables {
		all = append(all, bits8(class&m[name][i] != 0))
	}
	return all
}

func (m kernelModel) classify2(i, b, next int) []byte {
	return []byte{bits8(
		m.equal("byte3A", i, b), m.equal("byte2F", i, b), m.equal("byte3F", i, b), m.equal("byte23", i, b),
		m.equal("byte40", i, b), m.equal("byte25", i, b),
		m.both("rows234567", "legalColumns", i, b, next) != 0, m.both("rows346", "hexColumns", i, b, next) != 0,
	)}
}

func (m kernelModel) glance512(i, b int) byte {
	upper := byte(b)-m["byte41"][i] < m["byte1A"][i]
	return bits8(upper, byte(b) == m["byte2F"][i], byte(b) == m["byte2E"][i])
}

func (m kernelModel) glance2(i, b int) byte {
	upper := int8(b+int(m["byte25"][i%32])) > int8(m["byte65"][i%32])
	return bits8(upper, m.equal("byte2F", i, b), m.equal("byte2E", i, b))
}

// classes are what a kernel behind Scan finds out about a byte. It does not look for all of them in each
// block.
type classes struct {
	plain, legal, hex, scheme, digit          bool
	colon, slash, question, hash, at, percent bool

	percentBefore bool // the byte is taken for "%" if it is one or two bytes before the offset
}

// first512 and later512 are for the first block and for the others.
func (m kernelModel) first512(i, b int) classes {
	is := func(name string) bool { return byte(b) == m[name][i] }
	return classes{
		plain: !m.quarters("notPlain", i, b), hex: !m.quarters("notHex", i, b),
		scheme: !m.quarters("notScheme", i, b),
		colon:  is("byte3A"), slash: is("byte2F"), question: is("byte3F"), hash: is("byte23"), at: is("byte40"),
		percent: is("byte25"), digit: byte(b)-m["byte30"][i] < m["byte0A"][i],
	}
}

func (m kernelModel) later512(i, b int) classes {
	is := func(name string) bool { return byte(b) == m[name][i] }
	return classes{
		plain: !m.quarters("notPlain", i, b), legal: !m.quarters("illegal", i, b), hex: !m.quarters("notHex", i, b),
		question: is("byte3F"), hash: is("byte23"), percentBefore: is("byte25"),
	}
}

// first2 and later2 are for the first block and for the others.
func (m kernelModel) first2(i, b, next int) classes {
	rectangle := m.both("rectangleRows", "rectangleColumns", i, b, next)
	return classes{
		plain: rectangle != 0, hex: m.both("rectangleRows", "rectangleHex", i, b, next) != 0,
		scheme: rectangle != 0 && (rectangle+m["byte70"][i%32])&0x80 == 0,
		colon:  m.equal("byte3A", i, b), slash: m.equal("byte2F", i, b), question: m.equal("byte3F", i, b),
		hash: m.equal("byte23", i, b), at: m.equal("byte40", i, b), percent: m.equal("byte25", i, b),
	}
}

func (m kernelModel) later2(i, b, next int) classes {
	return classes{
		plain:    m.both("rectangleRows", "rectangleColumns", i, b, next) != 0,
		legal:    m.both("rows234567", "legalColumns", i, b, next) != 0,
		hex:      m.both("rows234567", "hexColumns", i, b, next) != 0,
		question: m.equal("byte3F", i, b), hash: m.equal("byte23", i, b), percentBefore: m.equal("byte25", i, b),
	}
}

// head returns what the classes of byte b mean at offset i of the first block. A kernel gives up on a byte
// that is neither plain nor exactly one of "#", "@" and "%". It gives up on a plain one that is one of these
// too, if the block has others. At the last offset, there can be only a delimiter of the head, unless the
// kernel reads short input at the end of a block.
func (c classes) head(i, b int, atEnd bool) []byte {
	const last = blockSize - 1
	unusual := bits8(c.hash, c.percent, c.at)
	if !c.plain && (unusual == 0 || unusual&(unusual-1) != 0) {
		return nil
	}
	if !c.plain && (i < len("//") || i == last) {
		unusual &^= bits8(false, false, true) // no "@" of an authority
	}
	delimiter := c.slash || c.question || c.hash
	return []byte{unusual, bits8(
		c.plain,
		c.slash,
		c.question,
		c.colon && (i < last || atEnd),
		c.scheme && (i > 0 || b >= '@') && (i < last-1 || i < last && c.colon || atEnd),
		c.digit && !delimiter && !c.at && i >= len(":") && i < last,
		c.hex && i > 0,
	)}
}

// tail returns what the classes of byte b mean in later blocks: among other unusual bytes, and without them.
func (c classes) tail(b int) []byte {
	all := []byte{bits8(c.percentBefore)}
	if c.legal {
		all = append(all, bits8(true, c.question, c.hash, c.hex))
	}
	if c.plain {
		all = append(all, bits8(true, c.question, b == '%'))
	}
	return all
}

// quarters is the look-up of a byte in a chart of quarters: by the lower six bits, then by which of the upper
// ones it has once 0x40 is added. A byte above 0x7F is in all classes.
func (m kernelModel) quarters(chart string, i, b int) bool {
	return b >= 0x80 || (byte(b)+m["byte40"][i])&m[chart][b&0x3F] != 0
}

// equal is VPCMPEQB with a table that repeats one byte.
func (m kernelModel) equal(name string, i, b int) bool { return m[name][i%32] == byte(b) }

// both is two VPSHUFB, by the upper nibble and by the lower one, and the VPAND of their results. The bits
// that VPSRLW moves into a byte at an even offset from the next byte are masked.
func (m kernelModel) both(rows, columns string, i, b, next int) byte {
	t := i % 32
	half := t / 16 * 16
	shifted := b >> 4
	if i%2 == 0 {
		shifted |= next << 4
	}
	shifted &= int(m["byte0F"][t])
	if b >= 0x80 || shifted >= 0x80 {
		return 0
	}
	return m[columns][half+b&15] & m[rows][half+shifted&15]
}

// bits8 returns the bits as a byte, from the lowest one on.
func bits8(bits ...bool) (b byte) {
	for k, bit := range bits {
		if bit {
			b |= 1 << k
		}
	}
	return b
}
