package corpus

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/internal/tool/casebuild"
)

// Limits for emitted code: the maximum number of characters of an identifier, and the maximum
// number of columns of a line. A tab counts as four columns.
const (
	maxIdentifier = 40
	maxColumns    = 120
)

// TestEmittedNames: in code emitted for recorded cases, no identifier has an underscore or more
// than maxIdentifier characters, and no line has more than maxColumns columns.
func TestEmittedNames(t *testing.T) {
	dirs := testkit.Sample(t)
	for _, l := range limits {
		dirs = append(dirs, testkit.SharedCases(t, l.corpus)...)
	}
	all, err := cases.Find(dirs)
	if err != nil {
		t.Fatal(err)
	}
	work := make(chan *cases.Case)
	var wait sync.WaitGroup
	var mu sync.Mutex
	emitted := 0
	for range 2 {
		wait.Go(func() {
			for c := range work {
				files := emitCase(c)
				mu.Lock()
				if files != nil {
					emitted++
				}
				mu.Unlock()
				for name, src := range files {
					if strings.HasSuffix(name, ".go") {
						checkNames(t, c.Path+": "+name, src)
					}
				}
			}
		})
	}
	for _, c := range all {
		work <- c
	}
	close(work)
	wait.Wait()
	if emitted < len(all)/2 {
		t.Errorf("%d of %d cases are emitted", emitted, len(all))
	}
	t.Logf("%d of %d cases are emitted", emitted, len(all))
}

// emitCase returns the files emitted for a case, or nil if it does not compile.
func emitCase(c *cases.Case) map[string][]byte {
	o := casebuild.Options{}
	p, _, err := o.Compiler(c).Compile(len(c.Runs))
	if err != nil {
		return nil
	}
	files, err := codegen.Emit(&codegen.Package{Name: "model", Model: filepath.Base(c.ModelPath), Plans: p.Plans(), Init: p.InitPlan(), Defaults: p.Defaults.Emitted()})
	if err != nil {
		return nil // other tests check for errors of emission
	}
	return files
}

// checkNames checks the identifiers and the line lengths of an emitted file.
func checkNames(t *testing.T, name string, src []byte) {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	var bad []string
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if ok && id.Name != "_" && (strings.Contains(id.Name, "_") || utf8.RuneCountInString(id.Name) > maxIdentifier) {
			bad = append(bad, id.Name)
		}
		return true
	})
	slices.Sort(bad)
	for _, id := range slices.Compact(bad) {
		t.Errorf("%s: identifier %s", name, id)
	}
	for i, line := range strings.Split(string(src), "\n") {
		if n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); n > maxColumns {
			t.Errorf("%s:%d: %d columns: %.200s", name, i+1, n, line)
		}
	}
}
