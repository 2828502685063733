package uri

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rows of testdata/conformance state what the RFCs require, one row per line: what each rule of the
// grammar matches, and what each operation returns. Their values come from the RFCs, not from this library. A
// row judges the slow twin as well as the library, so that the slow twin may judge the library elsewhere.

// A rowFile is a file of rows and the function that judges each of them.
type rowFile struct {
	name  string
	judge func(*testing.T, *row)
}

// conformanceFolder contains the rows that were written for this project.
var conformanceFolder = filepath.Join("testdata", "conformance")

var conformanceFiles = []rowFile{
	{"productions.jsonl", judgeProduction},
	{"references.jsonl", judgeText},
	{"requests.jsonl", judgeOperation},
	{"lenient.jsonl", judgeOperation},
	{"views.jsonl", judgeView},
	{"percent.jsonl", judgeOperation},
	{"dots.jsonl", judgeDotless},
	{"normalize.jsonl", judgeOperation},
	{"resolve.jsonl", judgeOperation},
	{"build.jsonl", judgeOperation},
	{"query.jsonl", judgeOperation},
	{"redact.jsonl", judgeRedacted},
	{"traits.jsonl", judgeTraits},
	{"lines.jsonl", judgeLines},
	{"find.jsonl", judgeFound},
}

// operationJudges are the judges for files that have rows of several kinds.
var operationJudges = map[string]func(*testing.T, *row){
	"":             judgeText,
	"production":   judgeProduction,
	"request-form": judgeRequestForm,
	"target-uri":   judgeTargetURI,
	"host-agrees":  judgeHostAgrees,
	"check-target": judgeCheckTarget,
	"encode":       judgeEncoded,
	"decode":       judgeDecoded,
	"form-encode":  judgeFormEncoded,
	"normalize":    judgeNormalized,
	"equivalent":   judgeEquivalent,
	"resolve":      judgeResolvedBy,
	"relativize":   judgeShortest,
	"build":        judgeBuilt,
	"address":      judgeAddress,
	"params":       judgeParams,
	"param":        judgeParam,
	"without":      judgeWithout,
}

func judgeOperation(t *testing.T, r *row) {
	judge := operationJudges[r.Op]
	require.NotNil(t, judge, "operation %q", r.Op)
	judge(t, r)
}

func TestConformance(t *testing.T) { judgeFiles(t, conformanceFolder, conformanceFiles, 1, true) }

// judgeFiles judges one row in stride of each file. In a strict file, every field of a row must be known.
func judgeFiles(t *testing.T, folder string, files []rowFile, stride int, strict bool) {
	for _, file := range files {
		t.Run(file.name, func(t *testing.T) {
			n := 0
			eachRow(t, filepath.Join(folder, file.name), strict, func(r *row) {
				if n%stride == 0 {
					file.judge(t, r)
				}
				n++
			})
			require.NotZero(t, n)
			t.Logf("%d rows, one of %d judged", n, stride)
		})
	}
}

// eachRow visits the rows of a file, which has one JSON value per line or, if its name ends in ".json", one
// array.
func eachRow(t *testing.T, file string, strict bool, visit func(*row)) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	rows := json.NewDecoder(f)
	if strict {
		rows.DisallowUnknownFields()
	}
	if filepath.Ext(file) == ".json" {
		_, err = rows.Token()
		require.NoError(t, err)
	}
	for n := 1; rows.More(); n++ {
		var r row
		require.NoError(t, rows.Decode(&r), "%s, row %d", file, n)
		visit(&r)
	}
}

// A row is a row of any of the files. A pointer is nil if the value is null or missing, which means absent.
type row struct {
	Op, Note string

	// The input, in one of three ways: as a string, in hexadecimal, or as units of Latin-1 with the number of
	// times that each is repeated. The output may be in hexadecimal too.
	Input     string
	InputHex  string `json:"input_hex"`
	RLE       [][2]any
	Output    string
	OutputHex string `json:"output_hex"`
	Error     string // the name of a constant

	// What a rule of the grammar matches. ErrAt is the length of the longest prefix that some match begins with.
	// Prefix is the length of the longest prefix that is a match, or -1 if there is none.
	Rule     string
	Lenient  bool
	Accepts  []string
	Rejects  map[string]int // with the ErrAt of each
	Valid    any            // true or false; a number in the exhaustive row
	ErrAt    *int           `json:"err_at"`
	Prefix   *int
	As, Also []string // those of URI, absolute-URI and relative-ref that also match a URI-reference
	Spans    map[string][2]int
	HK       string
	Value    *uint16 // of the port; nil if it is empty or too large

	// The components, if there is a path, as in every valid row of references.jsonl.
	Scheme, Authority, Userinfo, Host, Port, Path, Query, Fragment *string

	HostKind string  `json:"host_kind"`
	Kind     string  // the rule
	Text     *string // the output of a Builder, or the target URI of a request

	// views.jsonl
	PortNumber      *uint16 `json:"port_number"`
	Address         string
	Segments        []string
	LastSegment     string `json:"last_segment"`
	Extension       string
	RequestTarget   *string `json:"request_target"`
	WithoutFragment *string `json:"without_fragment"`

	// requests.jsonl: the pairs are methods and targets, or targets and Host fields.
	Form      string
	Method    string
	HostField string `json:"host_field"`
	Agrees    bool
	Pairs     [][2]string

	// percent.jsonl: the bytes to keep are those of Set and Plus, without those of Minus.
	Set, Plus, Minus string

	// dots.jsonl
	Paths map[string]string // each with the path after removal

	// normalize.jsonl and resolve.jsonl
	Normalized, Base, Ref, Target, Literal string

	Targets    map[string]string   // of references
	References map[string][]string // to targets, all of the least length
	Changes    map[string]string   // inputs, each with the result of the operation
	Keeps      []string            // inputs that it does not change

	Steps      string // names, separated by commas
	Needed     *string
	Equivalent bool // each of the pairs
	Options    string
	Guarded    string // replaces the literal result, which scans to other components
	Hazard     bool   // the same, without that result
	Strict     bool
	Refs       []string // references to the target, not all
	Shortest   []string // all of the least length

	// build.jsonl: elements by how they are given. An element that is "" is present and empty.
	Data, Raw *elements
	Number    *uint16

	// query.jsonl: a parameter is its key and, if it has one, its value.
	By     string
	Params [][]string
	Key    string
	Param  []string

	Keys           []string // redact.jsonl
	Secret, Public []string
	Inputs         []string // several, in rows for inputs with something in common
	Traits         string   // traits.jsonl: names, separated by commas

	// lines.jsonl and find.jsonl: the lines or URIs in the input with their offsets, and what follows the lines
	At      [][2]any
	AtEOF   bool `json:"at_eof"`
	Rest    string
	Schemes []string

	// attack_vectors
	Hex        string
	Verdict    string            // "reject", or the kind of URI-reference: "URI" or "rel"
	Components map[string]string // by the names of attackComponents

	// classes_bitmap and pct_bitmap: the bytes that are allowed between Before and After
	Before, After string
	ValidBits     string `json:"valid_bits_hex"`

	// suite_recompose: data; null and, in most components, "" mean absent
	RawComponents *elements `json:"raw_components"`
	Their         any       // what the source of the row says, a string or a list

	// exhaustive
	Alphabet  string `json:"alphabet_hex"`
	PerLength []struct {
		Strings, Valid int
		Verdicts       string `json:"verdict_sha256_so_far"`
		Spans          string `json:"span_sha256_so_far"`
	} `json:"per_len"`
}

// elements are the elements of a Builder. The path is a list of segments or a string.
type elements struct {
	Scheme, Userinfo, Host, Port, Query, Fragment *string

	Path     []string
	PathText *string `json:"path_text"`
}

func (r *row) text(t *testing.T) string {
	text := []byte(r.Input)
	switch {
	case r.RLE != nil:
		for _, run := range r.RLE {
			var unit []byte
			for _, c := range run[0].(string) {
				unit = append(unit, byte(c))
			}
			text = append(text, strings.Repeat(string(unit), int(run[1].(float64)))...)
		}
	case r.InputHex != "" || r.Hex != "":
		text = unhex(t, cmp.Or(r.InputHex, r.Hex))
	}
	return string(text)
}

// at returns the expected parts of the input.
func (r *row) at() (parts []located) {
	for _, part := range r.At {
		parts = append(parts, located{int(part[0].(float64)), part[1].(string)})
	}
	return parts
}

// output returns the expected result of the operation.
func (r *row) output(t *testing.T) string {
	if r.OutputHex != "" {
		return string(unhex(t, r.OutputHex))
	}
	return r.Output
}

// form returns the form of the row's rule, or URI-reference if it has none.
func (r *row) form(t *testing.T) Form {
	form, ok := formOf(cmp.Or(r.Rule, "URI-reference"))
	require.True(t, ok, "form %s", r.Rule)
	if r.Lenient {
		form |= Lenient
	}
	return form
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// apiConstants maps the name of each type to its exported constants by name, as listed in testdata/api.txt.
var apiConstants = sync.OnceValue(func() map[string]map[string]uint64 {
	text, err := os.ReadFile(filepath.Join("testdata", "api.txt"))
	if err != nil {
		panic(err)
	}
	all := map[string]map[string]uint64{}
	constant := regexp.MustCompile(`(?m)^const (\w+) (\w+) = (\d+)$`)
	for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
		if all[m[2]] == nil {
			all[m[2]] = map[string]uint64{}
		}
		all[m[2]][m[1]], _ = strconv.ParseUint(m[3], 10, 64)
	}
	return all
})

// named returns the union of the constants of a type whose names are given, separated by commas.
func named[C ~uint8 | ~uint16 | ~uint32 | ~uint64](t *testing.T, of, names string) (all C) {
	for name := range strings.SplitSeq(names, ",") {
		value, ok := apiConstants()[of][name]
		require.True(t, ok || names == "", "%s of type %s", name, of)
		all |= C(value)
	}
	return all
}

// ruleNames returns the names of all rules of the grammar.
func ruleNames() []string { return slices.Sorted(maps.Keys(grammar)) }

// TestConformanceCovers requires the project's rows to cover every rule of the grammar, every constant that
// changes what an operation does or that names a result, every kind of row, and every file. That they cover
// every exported function is checked by TestPromises in internal/repository.
func TestConformanceCovers(t *testing.T) {
	found := map[string]bool{}
	note := func(kind, names string) {
		for name := range strings.SplitSeq(names, ",") {
			found[kind+" "+name] = true
		}
	}
	var names []string
	rows, texts := 0, 0
	for _, file := range conformanceFiles {
		names = append(names, file.name)
		eachRow(t, filepath.Join(conformanceFolder, file.name), true, func(r *row) {
			rows++
			texts += max(1, len(r.Accepts)+len(r.Rejects)+len(r.Paths)+len(r.Targets)+len(r.References)+
				len(r.Changes)+len(r.Keeps)+len(r.Inputs)+len(r.Pairs)+len(r.At))
			rule := cmp.Or(r.Rule, "URI-reference")
			if len(r.Accepts) > 0 || r.Valid == true {
				note("accepts", rule)
			}
			if len(r.Rejects) > 0 || r.Valid == false {
				note("rejects", rule)
			}
			note("row", r.Op)
			note("Error", r.Error)
			note("HostKind", r.HostKind)
			note("Step", r.Steps)
			note("Trait", r.Traits)
			note("ResolveOption", r.Options)
			if r.Steps != "" && !strings.Contains(r.Steps, ",") {
				note("alone", r.Steps)
			}
		})
	}

	for _, rule := range ruleNames() {
		for _, verdict := range []string{"accepts", "rejects"} {
			assert.True(t, found[verdict+" "+rule], "no row %s a %s", verdict, rule)
		}
	}
	for op := range operationJudges {
		assert.True(t, found["row "+op], "no row has the operation %q", op)
	}
	for _, kind := range []string{"Error", "Step", "Trait", "ResolveOption"} {
		require.NotEmpty(t, apiConstants()[kind])
		for name := range apiConstants()[kind] {
			// ErrTooLong is for TestLongest, ErrName for TestNamesParsed, the others are sets.
			if name != "ErrTooLong" && name != "ErrName" && !strings.HasPrefix(name, "Ambiguous") {
				assert.True(t, found[kind+" "+name], "no row has %s", name)
			}
		}
	}
	for step := range apiConstants()["Step"] {
		assert.True(t, found["alone "+step], "no row has %s alone", step)
	}
	for name := range hostKindNames {
		assert.True(t, found["HostKind "+name], "no row has a host of kind %q", name)
	}

	files, err := os.ReadDir(conformanceFolder)
	require.NoError(t, err)
	for _, file := range files {
		assert.Contains(t, names, file.Name())
	}
	t.Logf("%d rows, %d inputs, %d rules", rows, texts, len(ruleNames()))
}

// readers are the ways to read an input. Every row judges all of them.
var readers = []struct {
	name string
	read func(t *testing.T, form Form, s string) reading
}{
	{"scanner of strings", read[string]},
	{"scanner of bytes", func(t *testing.T, form Form, s string) reading { return read(t, form, []byte(s)) }},
	{"slow twin", func(_ *testing.T, form Form, s string) reading {
		if form&Lenient != 0 {
			return slowReadLenient(form&^Lenient, s)
		}
		return slowRead(form, s)
	}},
}

// formOf returns the form for the rule.
func formOf(rule string) (form Form, ok bool) {
	for form, name := range formRuleName {
		if name == rule {
			return form, true
		}
	}
	return 0, false
}

var componentNames = map[string]Component{
	"scheme":    Scheme,
	"authority": Authority,
	"userinfo":  Userinfo,
	"user":      User,
	"password":  Password,
	"host":      Host,
	"port":      Port,
	"path":      Path,
	"query":     Query,
	"fragment":  Fragment,
}

var hostKindNames = map[string]HostKind{
	"":          NoHost,
	"regname":   RegName,
	"ipv4":      IPv4,
	"ipv6":      IPv6,
	"ipvfuture": IPvFuture,
}

// judgeText judges a row that has an input, its rule and the verdict.
func judgeText(t *testing.T, r *row) {
	require.Equal(t, r.Valid, r.ErrAt == nil)
	if _, ok := formOf(r.Rule); !ok {
		at := -1
		if r.ErrAt != nil {
			at = *r.ErrAt
		}
		judgeRule(t, r.Rule, r.Lenient, r.text(t), at)
		return
	}
	form, s := r.form(t), r.text(t)
	also := slices.Concat(r.As, r.Also)
	for _, by := range readers {
		got := by.read(t, form, s)
		if !assert.Equal(t, r.Valid, got.why == 0, "%s: %s %q", by.name, r.Rule, s) {
			continue
		}
		if r.Prefix != nil {
			assert.Equal(t, *r.Prefix, got.prefix, "%s: the longest prefix of %q that is a %s", by.name, s, r.Rule)
		}
		if r.ErrAt != nil {
			assert.Equal(t, *r.ErrAt, got.offset, "%s: the fault of the %s %q", by.name, r.Rule, s)
			if r.Error != "" {
				why := named[Error](t, "Error", r.Error)
				assert.Equal(t, why, got.why, "%s: why not a %s: %q", by.name, r.Rule, s)
			}
			continue
		}
		assertSpans(t, r, s, got, "%s: %s %q", by.name, r.Rule, s)
		for form := URI; form <= RelativeRef && len(also) > 0; form++ {
			name := formRuleName[form]
			got := by.read(t, form|r.form(t)&Lenient, s)
			assert.Equal(t, slices.Contains(also, name), got.why == 0, "%s: %s %q", by.name, name, s)
			if got.why == 0 {
				assertSpans(t, r, s, got, "%s: %s %q", by.name, name, s)
			}
		}
	}
}

// assertSpans checks the components of a reading, if the row has them: their offsets, their content, or both.
func assertSpans(t *testing.T, r *row, s string, got reading, message ...any) {
	if r.Spans != nil {
		for name, c := range componentNames {
			if c == User || c == Password {
				continue // the rows do not split userinfo
			}
			want, ok := r.Spans[name]
			if !ok {
				want = [2]int{-1, -1}
			}
			assert.Equal(t, want, got.spans[c], message...)
		}
		assert.Equal(t, hostKindNames[cmp.Or(r.HostKind, r.HK)], got.host, message...)
	}
	if r.Path != nil {
		assert.Equal(t, r.components(), componentsAt(s, got.spans), message...)
		assert.Equal(t, hostKindNames[r.HostKind], got.host, message...)
	}
}

// components returns the components of the row. It splits userinfo at its first ":".
func (r *row) components() map[Component]string {
	all := map[Component]string{}
	for c, text := range map[Component]*string{
		Scheme: r.Scheme, Authority: r.Authority, Userinfo: r.Userinfo, Host: r.Host,
		Port: r.Port, Path: r.Path, Query: r.Query, Fragment: r.Fragment,
	} {
		if text != nil {
			all[c] = *text
		}
	}
	if r.Userinfo != nil {
		user, password, ok := strings.Cut(*r.Userinfo, ":")
		if all[User] = user; ok {
			all[Password] = password
		}
	}
	return all
}

// componentsAt returns the components that are present, given their offsets.
func componentsAt(s string, spans [Fragment + 1][2]int) map[Component]string {
	all := map[Component]string{}
	for c, span := range spans {
		if span[0] >= 0 {
			all[Component(c)] = s[span[0]:span[1]]
		}
	}
	return all
}

// judgeProduction judges a row that lists inputs that a rule matches and inputs that it does not.
func judgeProduction(t *testing.T, r *row) {
	for _, s := range r.Accepts {
		judgeRule(t, r.Rule, r.Lenient, s, -1)
	}
	for s, at := range r.Rejects {
		judgeRule(t, r.Rule, r.Lenient, s, at)
	}
}

// sets are the rules that are also exported as sets of bytes.
var sets = map[string]Set{
	"unreserved": Unreserved(),
	"sub-delims": SubDelims(),
	"gen-delims": GenDelims(),
	"reserved":   GenDelims().Union(SubDelims()),
}

// Each of contexts puts an input in place of the "*" of a longer one, which then shows whether the input
// matches a rule. It does if the whole matches the form, the component between "<" and ">", or from "<" to
// the end, ends there, the host is of one of the kinds, and the component matches the regular expression.
//
// The fault in the whole is the fault in the input, unless the whole matches the form or the byte at the
// fault, one of beyond, continues the whole in a way that the rule does not allow.
var contexts = map[string]struct {
	form      Form
	whole     string
	component Component
	matches   string
	kinds     []HostKind
	beyond    string
}{
	"hier-part":     {form: AbsoluteURI, whole: "x:*>", component: Path},
	"relative-part": {form: RelativeRef, whole: "*>", component: Path},
	"scheme":        {form: URI, whole: "<*>:", component: Scheme},
	"authority":     {whole: "//<*>", component: Authority, beyond: "/?#"},
	"userinfo":      {whole: "//<*>@h", component: Userinfo, beyond: "@["},
	"host":          {whole: "//<*>", component: Host},
	"port":          {whole: "//[::]:<*>", component: Port},
	"IP-literal":    {whole: "//<*>", component: Host, kinds: []HostKind{IPv6, IPvFuture}, beyond: ":"},
	"IPvFuture":     {whole: "//<[*]>", component: Host, kinds: []HostKind{IPvFuture}},
	"IPv6address":   {whole: "//<[*]>", component: Host, kinds: []HostKind{IPv6}, beyond: "]vV"},
	"h16":           {whole: "//<[::1:2:3:4:5:6:*]>", component: Host},
	"ls32":          {whole: "//<[1:2:3:4:5:6:*]>", component: Host},
	"IPv4address":   {whole: "//<*>", component: Host, kinds: []HostKind{IPv4}, beyond: pchars + "/?#%["},
	"dec-octet":     {whole: "//<[::0.0.0.*]>", component: Host},
	"reg-name":      {whole: "//<*>", component: Host, kinds: []HostKind{RegName, IPv4}, beyond: ":/?#@["},
	"path":          {whole: "x:</.*>", component: Path},
	"path-abempty":  {whole: "//[::]<*>", component: Path},
	"path-absolute": {whole: "x:<*>", component: Path, matches: `^/`},
	"path-noscheme": {form: RelativeRef, whole: "<*>", component: Path, matches: `^[^/]`},
	"path-rootless": {whole: "x:<*>", component: Path, matches: `^[^/]`},
	"path-empty":    {whole: "//[::]<*>", component: Path, matches: `^$`},
	"segment":       {whole: "//[::]</*>", component: Path, matches: `^/[^/]*$`},
	"segment-nz":    {whole: "x:<*//b>", component: Path, matches: `^[^/]+//b$`},
	"segment-nz-nc": {form: RelativeRef, whole: "<*//b>", component: Path, matches: `^[^/]+//b$`},
	"pchar":         {whole: "//[::]</*>", component: Path, matches: `^/(%..|[^/%])$`},
	"pct-encoded":   {whole: "//[::]</*>", component: Path, matches: `^/%..$`},
	"query":         {whole: "?<*>", component: Query},
	"fragment":      {whole: "#<*>", component: Fragment},
	"uri-host":      {form: HostField, whole: "<*>", component: Host},
	"absolute-path": {form: OriginForm, whole: "<*>", component: Path},
	"ALPHA":         {form: URI, whole: "<*>:", component: Scheme, matches: `^.$`},
	"DIGIT":         {whole: "//[::]:<*>", component: Port, matches: `^.$`},
	"HEXDIG":        {whole: "//<[v*.a]>", component: Host, matches: `^\[v.\.a\]$`},
}

// judgeRule requires s to match the rule if at is negative, and otherwise to have a fault at that offset.
func judgeRule(t *testing.T, rule string, lenient bool, s string, at int) {
	valid := at < 0
	rules := grammar
	if lenient {
		rules = lenientGrammar
	}
	require.Contains(t, rules, rule)
	match, viable := slowMatchIn(rules, rule, s)
	if assert.Equal(t, valid, match == len(s), "slow twin: %s %q", rule, s) && !valid {
		assert.Equal(t, at, viable, "slow twin: the fault of the %s %q", rule, s)
	}
	if set, ok := sets[rule]; ok {
		assert.Equal(t, valid, len(s) == 1 && set.Contains(s[0]), "%s %q", rule, s)
		return
	}

	in, ok := contexts[rule]
	if form, isForm := formOf(rule); isForm {
		in.form, in.whole, ok = form, "*", true
	}
	require.True(t, ok, "rule %s", rule)
	if lenient {
		in.form |= Lenient
	}
	before, after, _ := strings.Cut(in.whole, "*")
	start := strings.Index(before, "<")
	before = strings.Replace(before, "<", "", 1)
	end := strings.Index(after, ">")
	after = strings.Replace(after, ">", "", 1)
	whole := before + s + after
	for _, by := range readers {
		got := by.read(t, in.form, whole)
		found := got.why == 0
		if span := got.spans[in.component]; found && end >= 0 {
			found = span[1] == len(before)+len(s)+end && (start < 0 || start == span[0]) &&
				(in.kinds == nil || slices.Contains(in.kinds, got.host)) &&
				regexp.MustCompile(in.matches).MatchString(whole[span[0]:span[1]])
		}
		assert.Equal(t, valid, found, "%s: %s %q", by.name, rule, s)
		if valid || got.why == 0 || at < len(s) && strings.IndexByte(in.beyond, s[at]) >= 0 {
			continue
		}
		assert.Equal(t, at, got.offset-len(before), "%s: the fault of the %s %q", by.name, rule, s)
	}
}

// judgeView judges a row of judgeText and the result of every accessor.
func judgeView(t *testing.T, r *row) {
	judgeText(t, r)
	s := r.text(t)
	v, w := scannedAs(t, r.form(t), s)
	assertAccessors(t, r, &v, s)
	assertAccessors(t, r, &w, s)
}

// scannedAs returns views of s, which must match the form.
func scannedAs(t *testing.T, form Form, s string) (v View, w StringView) {
	t.Helper()
	require.NoError(t, v.Scan(form, []byte(s)), "%q", s)
	require.NoError(t, w.Scan(form, s), "%q", s)
	return v, w
}

func assertAccessors[T Text](t *testing.T, r *row, v *ViewOf[T], s string) {
	want := r.components()
	for c, got := range map[Component]T{
		Scheme: v.Scheme(), Authority: v.Authority(), Userinfo: v.Userinfo(), User: v.User(),
		Password: v.Password(), Host: v.Host(), Port: v.Port(), Path: v.Path(), Query: v.Query(),
		Fragment: v.Fragment(),
	} {
		text, ok := want[c]
		assert.Equal(t, text, string(got), "component %d of %q", c, s)
		assert.Equal(t, text, string(v.Component(c)), "component %d of %q", c, s)
		assert.Equal(t, ok, v.Has(c), "component %d of %q", c, s)
	}
	assert.Equal(t, r.Scheme == nil, v.IsRelative(), "%q", s)
	assert.Equal(t, r.Port != nil, v.HasPort(), "%q", s)
	assert.Equal(t, -1, v.ErrorOffset(), "%q", s)

	number, ok := v.PortNumber()
	assert.Equal(t, r.PortNumber != nil, ok, "%q", s)
	if r.PortNumber != nil {
		assert.Equal(t, *r.PortNumber, number, "%q", s)
	}
	address := ""
	if addr := v.Addr(); addr.IsValid() {
		address = addr.String()
	}
	assert.Equal(t, r.Address, address, "%q", s)

	var segments, backward []string
	for segment := range v.Segments() {
		segments = append(segments, string(segment))
	}
	for segment := range v.SegmentsBackward() {
		backward = append(backward, string(segment))
	}
	slices.Reverse(backward)
	assert.Equal(t, r.Segments, segments, "%q", s)
	assert.Equal(t, r.Segments, backward, "%q, backward", s)
	assert.Equal(t, r.LastSegment, string(v.LastSegment()), "%q", s)
	assert.Equal(t, r.Extension, string(v.Extension()), "%q", s)
	require.NotNil(t, r.RequestTarget)
	assert.Equal(t, *r.RequestTarget, string(v.RequestTarget()), "%q", s)
	require.NotNil(t, r.WithoutFragment)
	assert.Equal(t, *r.WithoutFragment, string(v.WithoutFragment()), "%q", s)

	appended, err := v.AppendText([]byte("x"))
	assert.NoError(t, err)
	assert.Equal(t, "x"+s, string(appended))
	marshaled, err := v.MarshalText()
	assert.NoError(t, err)
	assert.Equal(t, s, string(marshaled))
	assert.Equal(t, s, v.String())
	clone := v.Clone()
	assert.Equal(t, s, clone.String())
	assert.NoError(t, v.Err())

	scheme, host := want[Scheme], slowDecodeLenient(want[Host])
	assert.Equal(t, r.Scheme != nil, v.SchemeIs(strings.ToUpper(scheme)), "%q", s)
	assert.False(t, v.SchemeIs(scheme+"x"), "%q", s)
	assert.Equal(t, v.Has(Host), v.HostIs(strings.ToUpper(host)), "%q", s)
	assert.False(t, v.HostIs(host+"x"), "%q", s)
	_, hostPort, found := strings.Cut(want[Authority], "@")
	if !found {
		hostPort = want[Authority]
	}
	assert.Equal(t, hostPort, string(v.HostPort()), "%q", s)
	for n := range len(segments) + 1 {
		segment, ok := v.Segment(n)
		assert.Equal(t, n < len(segments), ok, "%q", s)
		if ok {
			assert.Equal(t, segments[n], string(segment), "%q", s)
		}
	}
	kind := map[bool]PortKind{true: NumericPort, false: HugePort}[r.PortNumber != nil]
	if port, ok := want[Port]; !ok {
		kind = NoPort
	} else if port == "" {
		kind = EmptyPort
	}
	assert.Equal(t, kind, v.PortKind(), "%q", s)
	effective, known := v.EffectivePort()
	u := slowParts(r.form(t), s)
	if text, ok := u.defaultPort(); r.PortNumber != nil {
		assert.Equal(t, *r.PortNumber, effective, "%q", s)
	} else if assert.Equal(t, ok && kind != HugePort && u.host != nil, known, "%q", s); known {
		assert.Equal(t, text, strconv.Itoa(int(effective)), "%q", s)
	}

	if r.form(t) > RelativeRef {
		var bad ViewOf[T]
		assert.ErrorIs(t, bad.Scan(r.form(t), as[T](s+" ")), bad.Err().(ScanError).Unwrap())
		return
	}
	parsed, err := Parse(v.Text())
	assert.NoError(t, err)
	var unmarshaled ViewOf[T]
	assert.NoError(t, unmarshaled.UnmarshalText([]byte(s)))
	for _, again := range []*ViewOf[T]{&parsed, &unmarshaled} {
		assert.Equal(t, s, string(again.Text()))
		assert.Equal(t, v.offsets, again.offsets, "%q", s)
	}
	b := v.Builder() // RFC 3986 section 5.3
	assert.Equal(t, v.IsRelative(), b.IsRelative(), "%q", s)
	built, err := b.Append(nil)
	assert.NoError(t, err, "%q", s)
	assert.Equal(t, s, string(built), "component recomposition")
}
