package build

import (
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphc/graphc/internal/emitdir"
	"github.com/graphc/graphc/rt/files"
)

// maxGoFile bounds the Go files of a folder that are looked at.
const maxGoFile = 64 << 20

// checkNeighbours refuses a folder that holds another package than the one that is to be
// written there: Go files that graphc has not written, of another name. Where named is unset
// nobody has said that the package of the folder is meant, and its files are refused as
// long as there is nothing of graphc's beside them.
func checkNeighbours(dir, pkg string, named bool) error {
	es, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is no folder yet, or who writes to it will say so
	}
	others, ours := "", false
	for _, e := range es {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := files.ReadFile(filepath.Join(dir, name), maxGoFile)
		if err != nil {
			continue // no Go file
		}
		if emitdir.Ours(text) {
			ours = true
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil || ignored(text) {
			continue
		}
		if f.Name.Name != pkg {
			return fmt.Errorf("%s holds the package %s (%s), not %s: choose another folder with -o, or a package of its name with --pkg", dir, f.Name.Name, name, pkg)
		}
		others = name
	}
	if others != "" && !ours && !named {
		return fmt.Errorf("%s holds a package that graphc has not written (%s): choose another folder with -o, or say with --pkg %s that the files are to be part of it", dir, others, pkg)
	}
	return nil
}

// ignored reports a Go file that is part of no package, such as a program for go run.
func ignored(text []byte) bool {
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if constraint.IsGoBuild(line) {
			x, err := constraint.Parse(line)
			return err == nil && !x.Eval(func(tag string) bool { return tag != "ignore" })
		}
		if line != "" && !strings.HasPrefix(line, "//") {
			return false
		}
	}
	return false
}
