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

// observed is everything that the kernels do with an input.
type observed struct {
	masks   masks
	plain   bool
	offsets offsets
	clues   [2]clues // if all of the input is head, and if none of it is
}

func observe(s string) (o observed) {
	const old = 0xA5A5A5A5A5A5A5A5
	o.masks = masks{old, old, old, old, old, old, old, old}
	classify(s[:min(len(s), blockSize)], &o.masks)
	if o.plain = o.offsets.scanPlain(s); !o.plain {
		o.offsets = offsets{}
	}
	o.clues = [2]clues{glance(s, len(s)), glance(s, 0)}
	return o
}

// kernelProbes are inputs with every byte, and with a byte of every class at every offset of the first two
// blocks, in each part of a URI.
func kernelProbes() (probes []string) {
	middle := strings.Repeat("a", 20) // up to where tables of nibbles have their second half
	for b := range 256 {
		for _, around := range [][2]string{
			{"", "b"},
			{"a", ":b"},
			{"//h:", ""},
			{"/", ""},
			{"%", ""},
			{"", "%41"},
			{middle, ":/"},
			{middle + "%", ""},
			{"a:" + middle, "/"},
		} {
			probes = append(probes, around[0]+string([]byte{byte(b)})+around[1])
		}
	}
	for i := range 2 * blockSize {
		filler := strings.Repeat("a", i)
		for _, c := range "a:/?#@%[0 9gAZ.-,~\x00\x80" {
			b := string([]byte{byte(c)})
			probes = append(probes, filler+b, "/"+filler[min(i, 1):]+b, filler+"/"+b)
			if i < blockSize {
				whole := filler + b + strings.Repeat("a", blockSize)
				digits := "//" + strings.Repeat("0", i) + b + strings.Repeat("9", blockSize)
				probes = append(probes, whole[:blockSize-1]+":", whole[:blockSize]+"a", filler+b+":", filler+b+"://h:9/",
					"//:"+digits[2:blockSize-1], "//:"+digits[2:blockSize-2]+"?", filler+"%"+b+b+b, filler+"%"+b,
					filler+b+"/", filler+b+b, filler+":/"+b, filler+":"+b+"/", filler+":"+b+b)
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
	if emulated() {
		t.Skip("runs if URI_LEVEL is not set: it takes long on an emulated processor")
	}
	kernels := levels[1:]
	if len(kernels) < len(allLevels)-1 {
		t.Skip("runs on a processor that has all kernels")
	}
	probes := kernelProbes()
	want := make([][]observed, len(kernels))
	for k, level := range kernels {
		level.use()
		for _, s := range probes {
			want[k] = append(want[k], observe(s))
		}
	}
	last := make([]int, len(kernels)) // the probe that found the last mutant is likely to find the next
	found := func() bool {
		for k, level := range kernels {
			level.use()
			for i := range probes {
				i = (last[k] + i) % len(probes)
				if observe(probes[i]) != want[k][i] {
					last[k] = i
					return true
				}
			}
		}
		return false
	}

	// The linker puts tables of the same size together, in the order of the source.
	memory := constants(t)
	tables := kernelTables(t)
	bySize := map[int][]byte{}
	place := map[*kernelTable]int{}
	for _, table := range tables {
		size := len(table.data)
		place[table] = len(bySize[size])
		bySize[size] = append(bySize[size], table.data...)
	}
	for _, table := range tables {
		all := bySize[len(table.data)]
		require.Equal(t, 1, bytes.Count(memory, all), "tables of %d bytes, one after the other", len(table.data))
		place[table] += bytes.Index(memory, all)
	}

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
	for _, table := range tables {
		meaningful := 0
		inMemory, inModel := memory[place[table]:][:len(table.data)], model[table.name]
		for i := range table.data {
			places := []int{0, 1, 20, 37, 63} // the offsets in a block at which the byte may make a difference
			if len(table.data) == blockSize {
				places = []int{i, (i + blockSize/2) % blockSize}
			}
			for bit := range 8 {
				if mutants++; mutants%stride != 0 {
					continue
				}
				inModel[i] ^= 1 << bit
				means := slices.ContainsFunc(places, func(i int) bool { return model.means(i) != meant[i] })
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

// means returns what each byte means at offset i of a block, to each of the six kernels.
func (m kernelModel) means(i int) string {
	all := make([]byte, 0, 8*256)
	for b := range 256 {
		all = append(all, m.classify512(i, b)...)
		all = append(all, m.plain512(i, b)...)
		all = append(all, m.glance512(i, b), m.glance2(i, b))
		for _, next := range []int{0, 15} { // the lower nibble of the next byte
			all = append(all, m.classify2(i, b, next)...)
			all = append(all, m.plain2(i, b, next)...)
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
	all := []byte{set(class&m["byte70"][i] != 0, 0)}
	for _, name := range bitTables {
		all = append(all, set(class&m[name][i] != 0, 0))
	}
	return all
}

func (m kernelModel) plain512(i, b int) []byte {
	class := m["plainClasses"][b&0x7F]
	if b >= 0x80 || class&m["byte60"][i] != 0 {
		return nil
	}
	is := func(k int) bool { return class&m[bitTables[k]][i] != 0 }
	return plain(i, b, is(0), is(1), is(2), is(3), is(4))
}

func (m kernelModel) classify2(i, b, next int) []byte {
	var all byte
	for k, name := range [...]string{"byte3A", "byte2F", "byte3F", "byte23", "byte40", "byte25"} {
		all |= set(m.equal(name, i, b), k)
	}
	return []byte{all | set(m.nibbles("legal", i, b, next), 6) | set(m.nibbles("hex", i, b, next), 7)}
}

func (m kernelModel) plain2(i, b, next int) []byte {
	if !m.nibbles("plain", i, b, next) {
		return nil
	}
	digit := int8(b+int(m["byte46"][i%32])) > int8(m["byte75"][i%32])
	scheme := m.nibbles("scheme", i, b, next)
	return plain(i, b, m.equal("byte3A", i, b), m.equal("byte2F", i, b), m.equal("byte3F", i, b), scheme, digit)
}

func (m kernelModel) glance512(i, b int) byte {
	upper := byte(b)-m["byte41"][i] < m["byte1A"][i]
	return set(upper, 0) | set(byte(b) == m["byte2F"][i], 1) | set(byte(b) == m["byte2E"][i], 2)
}

func (m kernelModel) glance2(i, b int) byte {
	upper := int8(b+int(m["byte25"][i%32])) > int8(m["byte65"][i%32])
	return set(upper, 0) | set(m.equal("byte2F", i, b), 1) | set(m.equal("byte2E", i, b), 2)
}

// plain returns what a plain byte means, given its classes: a "/" only where a second one may follow, scheme
// only before the first delimiter, which must come early enough, and digit only after "//:". The kernel gives
// up on a first block that begins with ":"; in later blocks only "?" counts.
func plain(i, b int, colon, slash, question, scheme, digit bool) []byte {
	if i == 0 && colon {
		return []byte{set(colon, 0) | set(question, 2)}
	}
	delimiter := slash || question
	scheme = scheme && !colon && !delimiter && i <= 59 && (i > 0 || ruleAlpha.has(byte(b)))
	digit = digit && !delimiter && i >= len("//:")
	return []byte{set(colon, 0) | set(delimiter, 1) | set(question, 2) | set(slash && i <= 62, 3) |
		set(scheme, 4) | set(digit, 5)}
}

// equal is VPCMPEQB with a table that repeats one byte.
func (m kernelModel) equal(name string, i, b int) bool { return m[name][i%32] == byte(b) }

// nibbles is two VPSHUFB and the VPAND of their results. The bits that VPSRLW moves into a byte at an even
// offset from the next byte are masked.
func (m kernelModel) nibbles(name string, i, b, next int) bool {
	t := i % 32
	half := t / 16 * 16
	shifted := b >> 4
	if i%2 == 0 {
		shifted |= next << 4
	}
	shifted &= int(m["byte0F"][t])
	if b >= 0x80 || shifted >= 0x80 {
		return false
	}
	rows := "rows234567"
	if name == "hex" {
		rows = "rows346"
	}
	return m[name+"Columns"][half+b&15]&m[rows][half+shifted&15] != 0
}

// set returns a byte with the bit set if is is true, and 0 otherwise.
func set(is bool, bit int) byte {
	if is {
		return 1 << bit
	}
	return 0
}
