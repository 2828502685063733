package repository

import (
	"go/ast"
	"go/types"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// compiled returns the compiler's output about the functions of the root package.
func compiled(t *testing.T) string {
	t.Helper()
	command := exec.Command("go", "build", "-gcflags=-m", ".")
	command.Dir = root
	command.Env = append(os.Environ(), "GOWORK=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestInlining checks the compiler's decisions. For a generic method, the compiler inlines the instance that
// it made for a shape of T. The wrapper for a type, which has no shape in its name, is inlined even if the
// instance is not.
func TestInlining(t *testing.T) {
	inlined := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)can inline (.+)$`).FindAllStringSubmatch(compiled(t), -1) {
		inlined[m[1]] = true
	}
	for _, method := range []string{
		"Scan", "Text", "Scheme", "Authority", "Userinfo", "Host", "Port", "Path", "Query", "Fragment",
		"Has", "IsRelative", "HasPort", "ErrorOffset", "PortNumber", "Segments",
	} {
		assert.True(t, inlined["(*ViewOf[go.shape.[]uint8])."+method], "View.%s", method)
		assert.True(t, inlined["(*ViewOf[go.shape.string])."+method], "StringView.%s", method)
	}
	for _, function := range []string{
		"text[go.shape.[]uint8]", "as[go.shape.[]uint8]", "text[go.shape.string]", "as[go.shape.string]",
		"(*offsets).bit", "rule.has", "isScheme", "digits",
		"(*Lines).Scan", "(*Lines).Scan.func1", "(*Lines).Text", "(*Lines).Offset",
	} {
		assert.True(t, inlined[function], function)
	}
}

// TestEscapes checks the compiler's escape analysis: neither the input of Scan and Valid nor its offsets move
// to the heap.
func TestEscapes(t *testing.T) {
	code := loadSource(t, runtime.GOARCH, "GoFiles")
	scans := map[types.Object]bool{}
	for object := range code.mentions {
		if slices.Contains([]string{"Valid", "scanInGo", "scanPrefix"}, object.Name()) {
			code.reachAll(scans, object)
		}
	}
	require.Greater(t, len(scans), 20)
	bodies := code.bodies()
	clean := 0
	said := regexp.MustCompile(`(?m)^\./(\S+?):(\d+):\d+: (.+)$`)
	for _, m := range said.FindAllStringSubmatch(compiled(t), -1) {
		line, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		if !scans[bodies[place{m[1], line}]] {
			continue
		}
		if strings.HasSuffix(m[3], " does not escape") {
			clean++
		}
		assert.NotContains(t, m[3], "moved to heap", m[0])
		assert.NotRegexp(t, `^leaking param: \w+$`, m[3], m[0]) // to the heap, not to a result
	}
	assert.Greater(t, clean, 10)
}

// A place is a line of a file.
type place struct {
	file string
	line int
}

// bodies returns the function that each line of a declaration belongs to.
func (s *source) bodies() map[place]types.Object {
	bodies := map[place]types.Object{}
	for _, file := range s.files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				first, last := s.fset.Position(decl.Pos()).Line, s.fset.Position(decl.End()).Line
				for line := first; line <= last; line++ {
					bodies[place{s.file(decl.Pos()), line}] = s.info.Defs[decl.Name]
				}
			}
		}
	}
	return bodies
}

// reachAll adds the object to the set, and everything that it mentions, directly or indirectly.
func (s *source) reachAll(set map[types.Object]bool, object types.Object) {
	if !set[object] {
		set[object] = true
		for mentioned := range s.mentions[object] {
			s.reachAll(set, mentioned)
		}
	}
}
