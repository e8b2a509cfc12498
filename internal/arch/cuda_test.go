package arch

import (
	"bufio"
	"go/build/constraint"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCUDABehindItsTag checks that no package of the module depends on gorgonia.org/cu without the
// build tag cuda, whether cgo is enabled or not. Only the CUDA device and the fake CUDA driver have
// files that use gorgonia.org/cu or cgo. All these files must require the tag.
func TestCUDABehindItsTag(t *testing.T) {
	for _, env := range []string{"CGO_ENABLED=0", "CGO_ENABLED=1"} {
		for path, p := range list(t, env) {
			if slices.ContainsFunc(p.Deps, foreign) || foreign(path) {
				t.Errorf("%s: %s depends on gorgonia.org/cu", env, path)
			}
		}
	}
	files := goFiles(t)
	using := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		uses := false
		for _, s := range files[name].Imports {
			path := strings.Trim(s.Path.Value, `"`)
			uses = uses || path == "C" || foreign(path)
		}
		if !uses {
			continue
		}
		using++
		if !strings.HasPrefix(name, "rt/device/cuda/") && !strings.HasPrefix(name, "internal/fakegpu/") {
			t.Errorf("%s uses cgo", name)
		}
		if !wantsTag(t, name) {
			t.Errorf("%s uses cgo and is not behind the tag cuda", name)
		}
	}
	if using < 5 {
		t.Errorf("%d files use cgo, so the rule says nothing", using)
	}
}

// foreign reports whether path is a package of gorgonia.org/cu.
func foreign(path string) bool {
	return path == "gorgonia.org/cu" || strings.HasPrefix(path, "gorgonia.org/cu/")
}

// wantsTag reports whether a file is built only with the tag cuda.
func wantsTag(t *testing.T, name string) bool {
	f, err := os.Open(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if expr, err := constraint.Parse(lines.Text()); err == nil {
			return needsTag(expr, "cuda")
		}
	}
	return false
}

// needsTag reports whether e is a conjunction that includes the tag.
func needsTag(e constraint.Expr, tag string) bool {
	switch e := e.(type) {
	case *constraint.AndExpr:
		return needsTag(e.X, tag) || needsTag(e.Y, tag)
	case *constraint.TagExpr:
		return e.Tag == tag
	}
	return false
}
