package timing

import (
	"go/ast"
	"path/filepath"
)

// Sharing edits emitted sources so that their loops and tasks can be recorded as several threads
// would share them. The sources then call the functions Par and RunTasks of package hookPath in
// place of those of package rt.
func Sharing(files map[string][]byte) error {
	for name, text := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		src, err := parse(name, text)
		if err != nil {
			return err
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				src.shares(call)
			}
			return true
		})
		files[name] = src.edited()
	}
	return nil
}

// shares replaces the called function if the call has the form s.Par(…) or rt.RunTasks(…).
func (s *source) shares(call *ast.CallExpr) {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return
	}
	x, ok := sel.X.(*ast.Ident)
	switch {
	case !ok:
	case x.Name == "s" && sel.Sel.Name == "Par":
		s.replace(call.Pos(), call.Args[0].Pos(), "%s.Par(s, ", hookName)
	case sel.Sel.Name == "RunTasks":
		s.replace(call.Pos(), call.Args[0].Pos(), "%s.RunTasks(", hookName)
		// the file may use its import of package rt only for this call
		s.add(s.file.FileEnd, "\nvar _ %s.Split\n", x.Name)
	}
}
