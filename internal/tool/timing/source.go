package timing

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/graphc/graphc/internal/tool/base"
)

// hookPath is the import path of the package that edited sources call to measure times.
const hookPath = base.ModulePath + "/internal/caserun"

// hookName is the name of this package in edited sources.
const hookName = "graphcClock"

// Steps edits emitted sources so that they measure each step of a plan and each call in the body of
// a loop. Before each step and each such call, the sources call package hookPath. A step begins
// where emitted code sets the number of the step, as in s.At(3).
func Steps(files map[string][]byte) error {
	hooked := false
	for name, text := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		out, err := timeFile(name, text)
		if err != nil {
			return err
		}
		hooked = hooked || len(out) > len(text)
		files[name] = out
	}
	if !hooked {
		return fmt.Errorf("the emitted sources have no steps to time")
	}
	return nil
}

// edit replaces the bytes of a source file from offset at up to offset end by a text.
type edit struct {
	at, end int
	text    string
}

// source is a source file with the edits that are to be made in it.
type source struct {
	set   *token.FileSet
	file  *ast.File
	text  []byte
	edits []edit
}

func parse(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{set: set, file: f, text: text}, nil
}

// add inserts a text before position at.
func (s *source) add(at token.Pos, format string, args ...any) { s.replace(at, at, format, args...) }

// replace replaces the source from position at up to position end by a text.
func (s *source) replace(at, end token.Pos, format string, args ...any) {
	s.edits = append(s.edits, edit{s.set.Position(at).Offset, s.set.Position(end).Offset, fmt.Sprintf(format, args...)})
}

// edited returns the source after all edits. If there are edits, it also imports package hookPath.
func (s *source) edited() []byte {
	if len(s.edits) == 0 {
		return s.text
	}
	s.add(s.file.Name.End(), "\n\nimport %s %q", hookName, hookPath)
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	last := 0
	for _, e := range s.edits {
		out.Write(s.text[last:e.at])
		out.WriteString(e.text)
		last = e.end
	}
	out.Write(s.text[last:])
	return out.Bytes()
}

func timeFile(name string, text []byte) ([]byte, error) {
	src, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	f, add := src.file, src.add
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		if isLoop(fn) {
			call := 0
			for _, s := range fn.Body.List {
				if _, ok := s.(*ast.ExprStmt); ok {
					add(s.Pos(), "%s.Call(s.Step, %d); ", hookName, call)
					call++
				}
			}
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if a, ok := n.(*ast.ExprStmt); ok && setsStep(a) {
				add(a.End(), "; %s.Step(s.Step)", hookName)
			}
			return true
		})
	}
	return src.edited(), nil
}

// setsStep reports whether statement a is a call of the form s.At(…), which sets the number of the
// step.
func setsStep(a *ast.ExprStmt) bool {
	call, ok := a.X.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "At" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == "s"
}

// isLoop reports whether the function fn has the body of a loop. Emitted code declares such a
// function as
//
//	func prefixLoop3(s *prefixState, t []int, lo, n int, m []byte)
//
// Unused parameters except s have the name _.
func isLoop(fn *ast.FuncDecl) bool {
	var names []string
	for _, p := range fn.Type.Params.List {
		for _, n := range p.Names {
			names = append(names, n.Name)
		}
	}
	want := []string{"s", "t", "lo", "n", "m"}
	if fn.Recv != nil || len(names) != len(want) || names[0] != want[0] {
		return false
	}
	for i, name := range names {
		if name != want[i] && name != "_" {
			return false
		}
	}
	return true
}
