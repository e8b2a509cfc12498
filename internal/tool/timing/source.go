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

// insertion is a text to insert into a source file, and the offset in bytes at which to insert it.
type insertion struct {
	at   int
	text string
}

func timeFile(name string, text []byte) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var ins []insertion
	add := func(at token.Pos, format string, args ...any) {
		ins = append(ins, insertion{set.Position(at).Offset, fmt.Sprintf(format, args...)})
	}
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
	if len(ins) == 0 {
		return text, nil
	}
	add(f.Name.End(), "\n\nimport %s %q", hookName, hookPath)
	slices.SortFunc(ins, func(a, b insertion) int { return cmp.Compare(a.at, b.at) })
	var out bytes.Buffer
	last := 0
	for _, i := range ins {
		out.Write(text[last:i.at])
		out.WriteString(i.text)
		last = i.at
	}
	out.Write(text[last:])
	return out.Bytes(), nil
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
