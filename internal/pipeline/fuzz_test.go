package pipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// FuzzCompile: for any GraphDef, compiling ends in time with a program or an error that is not from
// a panic.
func FuzzCompile(f *testing.F) {
	found, err := cases.Find([]string{filepath.Join("..", "..", "testdata", "cases", "hostile")})
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range found {
		if raw, err := os.ReadFile(c.ModelPath); err == nil && filepath.Base(c.ModelPath) == "graph.pb" && len(raw) < 4096 {
			f.Add(raw)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(dir, "graph.pb")
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err := Compile([]string{path}, Options{Limits: ir.Limits{Nodes: 5000, Inlined: 20_000, FoldTotal: 1 << 20, Time: 10 * time.Second}})
		if tensor.CodeOf(err) == tensor.Internal && strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("compiling takes %v", d)
		}
	})
}
