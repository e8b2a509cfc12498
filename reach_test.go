package graphc_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/testkit"
)

// TestCopiesAreReached: a standalone program contains copies of the run time's packages. These
// copies must contain few functions that the program cannot call. Rapid type analysis finds the
// functions that the program can call.
func TestCopiesAreReached(t *testing.T) {
	testkit.NeedLong(t)
	p := compile(t, load(t, "examples/savedmodel/half_plus_two", nil), nil)
	files := filesOf(t, p, &graphc.EmitOptions{Package: "main", Main: true, Standalone: true, GoMod: true, ImportPath: "example.com/half"})
	dir := t.TempDir()
	for name, data := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Env: append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOPACKAGESDRIVER=off")}, ".")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatal(err)
	}
	prog, _ := ssautil.AllPackages(loaded, ssa.InstantiateGenerics)
	prog.Build()
	main := ssautil.MainPackages(prog.AllPackages())
	if len(main) != 1 {
		t.Fatalf("there are %d main packages", len(main))
	}
	reached := map[*ssa.Function]bool{}
	for fn := range rta.Analyze([]*ssa.Function{main[0].Func("main"), main[0].Func("init")}, false).Reachable {
		if fn.Origin() != nil {
			fn = fn.Origin()
		}
		reached[fn] = true
	}
	all, dead := 0, map[string]bool{}
	for _, pkg := range prog.AllPackages() {
		if !strings.HasPrefix(pkg.Pkg.Path(), "example.com/half/internal/") {
			continue
		}
		for fn := range ssautil.AllFunctions(prog) {
			if fn.Pkg != pkg || fn.Syntax() == nil || fn.Parent() != nil || fn.Synthetic != "" || fn.Origin() != nil {
				continue
			}
			all++
			if !reached[fn] {
				dead[fn.String()] = true
			}
		}
	}
	// At the time of writing, 29 of the 463 copied functions were unreachable. Most of them set
	// options of the run time.
	if all < 300 || len(dead) > all/10 {
		t.Errorf("%d of %d functions are not reached:\n%s", len(dead), all, strings.Join(slices.Sorted(maps.Keys(dead)), "\n"))
	}
}
