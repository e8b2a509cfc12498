package codegen

import (
	"bytes"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"reflect"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/codegen/internal/prune"
)

// constants holds the names of the constants of enumeration types that this module declares. The
// keys of the outer map are a package and a type, as in path.Type. The keys of the inner maps are
// the constants' values.
type constants map[string]map[string]string

// constantOf returns an expression with the name of a constant value, such as gemm.Relu. It returns
// nil if the value has no name.
func (e *emitter) constantOf(v reflect.Value) *jen.Statement {
	t := v.Type()
	dir, ours := strings.CutPrefix(t.PkgPath(), Module+"/")
	if !ours || e.Sources == nil {
		return nil
	}
	var value string
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		value = constant.MakeInt64(v.Int()).ExactString()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		value = constant.MakeUint64(v.Uint()).ExactString()
	case reflect.String:
		value = constant.MakeString(v.String()).ExactString()
	default:
		return nil
	}
	if e.enums == nil {
		e.enums = constants{}
	}
	key := dir + "."
	if e.enums[key] == nil { // the package has not been read yet
		e.enums[key] = map[string]string{}
		e.enums.read(e.Sources, dir)
	}
	name, ok := e.enums[dir+"."+t.Name()][value]
	if !ok {
		return nil
	}
	return jen.Qual(e.path(t.PkgPath()), name)
}

// read reads the constants of a package. It does not read imports, so constants that need them get
// no names.
func (c constants) read(sources fs.FS, dir string) {
	files := token.NewFileSet()
	var parsed []*ast.File
	err := prune.EachFile(sources, dir, func(name string, src []byte) error {
		if !bytes.Contains(src, []byte("\nconst ")) && !bytes.Contains(src, []byte("\ntype ")) { // most files declare functions only
			return nil
		}
		f, err := parser.ParseFile(files, name, src, parser.SkipObjectResolution)
		parsed = append(parsed, f)
		return err
	}, ".go")
	if err != nil {
		return // without the names, the emitted code has numbers
	}
	conf := types.Config{IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := conf.Check(dir, files, parsed, nil)
	if pkg == nil {
		return
	}
	first := map[string]token.Pos{} // if a value has several names, the one declared first is used
	for _, name := range pkg.Scope().Names() {
		k, ok := pkg.Scope().Lookup(name).(*types.Const)
		if !ok || !k.Exported() {
			continue
		}
		t, ok := k.Type().(*types.Named)
		if !ok || t.Obj().Pkg() != pkg || k.Val().Kind() == constant.Unknown {
			continue
		}
		of, value := dir+"."+t.Obj().Name(), k.Val().ExactString()
		if c[of] == nil {
			c[of] = map[string]string{}
		}
		if at, ok := first[of+value]; !ok || k.Pos() < at {
			first[of+value], c[of][value] = k.Pos(), name
		}
	}
}
