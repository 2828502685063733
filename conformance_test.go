package uri

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// conformanceRow is a row of any of the files: those that have a field use it.
type conformanceRow struct {
	Input    string            `json:"input"`
	InputHex string            `json:"input_hex"`
	Hex      string            `json:"hex"`
	RLE      []json.RawMessage `json:"rle"`

	Rule  string            `json:"rule"`
	Valid any               `json:"valid"` // a bool, but for a count in exhaustive
	As    []string          `json:"as"`
	Also  []string          `json:"also"`
	ErrAt *int              `json:"err_at"`
	Spans map[string][2]int `json:"spans"`
	HK    *string           `json:"hk"`
	Value *uint64           `json:"value"`

	// Components as texts, null where absent.
	Scheme    *string `json:"scheme"`
	Authority *string `json:"authority"`
	Userinfo  *string `json:"userinfo"`
	Host      *string `json:"host"`
	Port      *string `json:"port"`
	Path      *string `json:"path"`
	Query     *string `json:"query"`
	Fragment  *string `json:"fragment"`
	HostKind  *string `json:"host_kind"`
	Text      *string `json:"text"`

	Before string `json:"before"`
	After  string `json:"after"`
	Bitmap string `json:"valid_bits_hex"`

	Verdict string            `json:"verdict"`
	Parts   map[string]string `json:"components"`

	Alphabet string `json:"alphabet_hex"`
	PerLen   []struct {
		Len     int
		Strings int
		Valid   int
		SHA256  string `json:"verdict_sha256_so_far"`
	} `json:"per_len"`
}

// text returns the input of a row.
func (r *conformanceRow) text(t *testing.T) string {
	t.Helper()
	for _, digits := range []string{r.InputHex, r.Hex} {
		if digits != "" {
			b, err := hex.DecodeString(digits)
			require.NoError(t, err)
			return string(b)
		}
	}
	var b strings.Builder
	b.WriteString(r.Input)
	for _, run := range r.RLE {
		var unit string
		var count int
		require.NoError(t, json.Unmarshal(run, &[]any{&unit, &count}))
		latin := make([]byte, 0, len(unit))
		for _, c := range unit {
			latin = append(latin, byte(c))
		}
		b.WriteString(strings.Repeat(string(latin), count))
	}
	return b.String()
}

var (
	ruleForms = map[string]Form{
		"URI-reference": Reference, "URI": URI, "absolute-URI": AbsoluteURI, "relative-ref": RelativeRef,
	}
	hostKinds = map[string]HostKind{"regname": RegName, "ipv4": IPv4, "ipv6": IPv6, "ipvfuture": IPvFuture}

	// The files on resolving and normalizing are for the functions that do that: normalize, rds, resolve,
	// suite_normalize, suite_recompose, suite_relativize, suite_remove_dot_segments, suite_resolve and
	// suite_resolve_relative_base_undefined.
	conformanceFiles = map[string]func(*testing.T, *conformanceRow){
		"abnf.jsonl":             conformScan,
		"mutants.jsonl":          conformScan,
		"presence.jsonl":         conformScan,
		"lengths.jsonl":          conformScan,
		"numbers.jsonl":          conformNumber,
		"scheme.jsonl":           conformScan,
		"ipv4.jsonl":             conformScan,
		"ipv6.jsonl":             conformScan,
		"pct_forms.jsonl":        conformScan,
		"classes_bitmap.jsonl":   conformBitmap,
		"pct_bitmap.jsonl":       conformBitmap,
		"exhaustive.jsonl":       conformExhaustive,
		"suite_validity.jsonl":   conformScan,
		"suite_components.jsonl": conformComponents,
		"attack_vectors.json":    conformAttack,
		"builder.jsonl":          conformBuilder,
	}
)

// TestConformance runs the rows of a folder of labelled cases that is not part of the project.
func TestConformance(t *testing.T) {
	folder := os.Getenv("URI_CORPORA")
	if folder == "" {
		folder = "../shared/corpora/conformance"
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("no conformance cases: set URI_CORPORA to their folder (%v)", err)
	}
	for name, conform := range conformanceFiles {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			var rows []*conformanceRow
			if strings.HasSuffix(name, ".json") {
				require.NoError(t, json.Unmarshal(content, &rows))
			} else {
				lines := bufio.NewScanner(strings.NewReader(string(content)))
				for lines.Buffer(nil, len(content)); lines.Scan(); {
					row := new(conformanceRow)
					require.NoError(t, json.Unmarshal(lines.Bytes(), row), lines.Text())
					rows = append(rows, row)
				}
				require.NoError(t, lines.Err())
			}
			require.NotEmpty(t, rows)
			for _, row := range rows {
				conform(t, row)
			}
			t.Logf("%d rows", len(rows))
		})
	}
}

// conformScan judges verdict, error offset, components and host kind, of the product and of the slow twin.
func conformScan(t *testing.T, row *conformanceRow) {
	s := row.text(t)
	form, ok := ruleForms[row.Rule]
	if !ok {
		conformSubRule(t, row, s)
		return
	}
	got := read(t, form, s)
	if len(s) < 1000 {
		require.Equal(t, slowRead(form, s), got, "%q", s)
	}
	require.Equal(t, got, read(t, form, []byte(s)))
	require.Equal(t, row.Valid, got.why == 0, "%s of %q", row.Rule, s)
	if row.ErrAt != nil {
		require.Equal(t, *row.ErrAt, got.offset, "%s of %q", row.Rule, s)
	}
	for rule, form := range ruleForms {
		if as := append(row.As, row.Also...); row.Valid == true && row.Rule == "URI-reference" && as != nil && rule != row.Rule {
			var listed bool
			for _, name := range as {
				listed = listed || name == rule
			}
			require.Equal(t, listed, Valid(form, s), "%s of %q", rule, s)
		}
	}
	if row.Spans != nil {
		for name, c := range map[string]Component{
			"scheme": Scheme, "authority": Authority, "userinfo": Userinfo, "host": Host, "port": Port,
			"path": Path, "query": Query, "fragment": Fragment,
		} {
			want, ok := row.Spans[name]
			if !ok {
				want = [2]int{-1, -1}
			}
			require.Equal(t, want, got.spans[c], "%s of %q", name, s)
		}
		if row.HK == nil {
			require.Equal(t, NoHost, got.host, "%q", s)
		} else {
			require.Equal(t, hostKinds[*row.HK], got.host, "%q", s)
		}
	}
}

// conformSubRule judges a rule within an authority: the twin as it is, the product by what it makes of a whole text.
func conformSubRule(t *testing.T, row *conformanceRow, s string) {
	match, viable := slowMatch(row.Rule, s)
	require.Equal(t, row.Valid, match == len(s), "%s of %q", row.Rule, s)
	if row.ErrAt != nil {
		require.Equal(t, *row.ErrAt, viable, "%s of %q", row.Rule, s)
	}
	var v StringView
	switch row.Rule {
	case "IPv6address":
		err := v.Scan(HostField, "["+s+"]")
		require.Equal(t, row.Valid, err == nil && v.HostKind() == IPv6 && v.Host() == "["+s+"]", "%q", s)
		if row.ErrAt != nil && err == ErrIPLiteral && !strings.HasPrefix(s, "v") && !strings.HasPrefix(s, "V") {
			require.Equal(t, *row.ErrAt, v.ErrorOffset()-1, "%q", s)
		}
	case "IPv4address":
		err := v.Scan(HostField, s)
		require.Equal(t, row.Valid, err == nil && v.HostKind() == IPv4 && v.Host() == s, "%q", s)
	case "reg-name":
		err := v.Scan(HostField, s)
		require.Equal(t, row.Valid, err == nil && v.Host() == s && (v.HostKind() == RegName || v.HostKind() == IPv4), "%q", s)
	case "authority":
		err := v.Scan(Reference, "//"+s)
		require.Equal(t, row.Valid, err == nil && v.Authority() == s, "%q", s)
	default:
		require.Fail(t, "rule without a judge", row.Rule)
	}
}

func conformNumber(t *testing.T, row *conformanceRow) {
	conformScan(t, row)
	v, err := Parse(row.text(t))
	require.NoError(t, err)
	number, ok := v.PortNumber()
	want := row.Value != nil && *row.Value <= 0xFFFF
	require.Equal(t, want, ok, "%q", v.Text())
	if ok {
		require.EqualValues(t, *row.Value, number)
	}
}

// conformBitmap puts each of the 256 bytes into a context.
func conformBitmap(t *testing.T, row *conformanceRow) {
	bits, err := hex.DecodeString(row.Bitmap)
	require.NoError(t, err)
	for b := range 256 {
		s := row.Before + string([]byte{byte(b)}) + row.After
		require.Equal(t, bits[b/8]>>(b%8)&1 != 0, Valid(Reference, s), "%q", s)
		judge(t, s)
	}
}

// conformExhaustive puts all short strings over representatives of the grammar's classes, and compares the digest of
// the verdicts.
func conformExhaustive(t *testing.T, row *conformanceRow) {
	alphabet, err := hex.DecodeString(row.Alphabet)
	require.NoError(t, err)
	digest := sha256.New()
	level := []string{""}
	for _, want := range row.PerLen {
		valid := 0
		verdicts := make([]byte, 0, len(level))
		for _, s := range level {
			verdict := byte('0')
			if Valid(Reference, s) {
				verdict = '1'
				valid++
			}
			verdicts = append(verdicts, verdict)
		}
		digest.Write(verdicts)
		require.Equal(t, want.Strings, len(level))
		require.Equal(t, want.Valid, valid)
		require.Equal(t, want.SHA256, hex.EncodeToString(digest.Sum(nil)), "length %d", want.Len)

		next := make([]string, 0, len(level)*len(alphabet))
		for _, s := range level {
			for i := range alphabet {
				next = append(next, s+string(alphabet[i:i+1]))
			}
		}
		level = next
	}
}

func conformComponents(t *testing.T, row *conformanceRow) {
	v, err := Parse(row.text(t))
	require.NoError(t, err, row.text(t))
	for c, want := range map[Component]*string{
		Scheme: row.Scheme, Authority: row.Authority, Userinfo: row.Userinfo, Host: row.Host, Port: row.Port,
		Path: row.Path, Query: row.Query, Fragment: row.Fragment,
	} {
		require.Equal(t, want != nil, v.Has(c), "component %d of %q", c, v.Text())
		if want != nil {
			i, j := v.Span(c)
			require.Equal(t, *want, v.Text()[i:j], "component %d of %q", c, v.Text())
		}
	}
	if row.HostKind != nil {
		require.Equal(t, hostKinds[*row.HostKind], v.HostKind(), v.Text())
	}
	judge(t, v.Text())
}

// conformAttack judges published attacks: "reject", or the rule that the text is of.
func conformAttack(t *testing.T, row *conformanceRow) {
	s := row.text(t)
	judge(t, s)
	v, err := Parse(s)
	require.Equal(t, row.Verdict == "reject", err != nil, "%q", s)
	if err == nil {
		require.Equal(t, row.Verdict == "rel", v.IsRelative(), "%q", s)
		for c, names := range map[Component][]string{
			Scheme: {"s"}, Userinfo: {"ui"}, Host: {"host"}, Port: {"port"}, Path: {"pa", "pb"}, Query: {"q"}, Fragment: {"f"},
		} {
			var want string
			var has bool
			for _, name := range names {
				if part, ok := row.Parts[name]; ok {
					want, has = part, true
				}
			}
			i, j := v.Span(c)
			require.Equal(t, has || c == Path, v.Has(c), "component %d of %q", c, s)
			if v.Has(c) {
				require.Equal(t, want, s[i:j], "component %d of %q", c, s)
			}
		}
		switch v.HostKind() {
		case IPv4:
			require.Equal(t, "ipv4", *row.HostKind, "%q", s)
		case IPv6, IPvFuture:
			require.Equal(t, "ip-literal", *row.HostKind, "%q", s)
		case RegName:
			require.Equal(t, "reg-name", *row.HostKind, "%q", s)
		default:
			require.Nil(t, row.HostKind, "%q", s)
		}
	}
}

// conformBuilder writes raw components.
func conformBuilder(t *testing.T, row *conformanceRow) {
	part := func(s *string) (Part, bool) {
		if s == nil {
			return Part{}, false
		}
		return Raw(*s), true
	}
	var b Builder
	b.Scheme, _ = part(row.Scheme)
	b.Userinfo, b.HasUserinfo = part(row.Userinfo)
	b.Host, b.HasAuthority = part(row.Host)
	b.Port, b.HasPort = part(row.Port)
	b.PathText, _ = part(row.Path)
	b.Query, b.HasQuery = part(row.Query)
	b.Fragment, b.HasFragment = part(row.Fragment)
	out, err := b.Append(nil)
	if row.Scheme != nil && *row.Scheme == "" {
		// An empty scheme is none: that is how a Builder is told of a relative reference.
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(out), "//"))
		return
	}
	if row.Text == nil {
		require.Error(t, err, "%q", out)
		return
	}
	require.NoError(t, err, *row.Text)
	require.Equal(t, *row.Text, string(out))
}
