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

// maxGoFile is the maximum size in bytes of a Go file that checkNeighbours reads.
const maxGoFile = 64 << 20

// checkNeighbours returns an error if dir contains Go files that graphc did not write and that
// belong to another package than pkg. If named is false, the user did not choose the name pkg. In
// this case, files of package pkg that graphc did not write are an error as well, unless dir also
// contains files that graphc wrote.
func checkNeighbours(dir, pkg string, named bool) error {
	es, err := os.ReadDir(dir)
	if err != nil {
		return nil // the folder does not exist yet, or emitdir.New will report the error
	}
	others, ours := "", false
	for _, e := range es {
		name := e.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := files.ReadFile(filepath.Join(dir, name), maxGoFile)
		if err != nil {
			continue // not a readable Go file
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
			return fmt.Errorf("%s contains the package %s (%s), not %s: choose another folder with -o, or the name of that package with --pkg", dir, f.Name.Name, name, pkg)
		}
		others = name
	}
	if others != "" && !ours && !named {
		return fmt.Errorf("%s contains a package that graphc did not write (%s): choose another folder with -o, or add the files to it with --pkg %s", dir, others, pkg)
	}
	return nil
}

// ignored reports whether a Go file has the build constraint "ignore". Such a file, for example a
// program for "go run", does not belong to the package in its folder.
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
