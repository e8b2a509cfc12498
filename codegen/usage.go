package codegen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/ir"
)

// usage returns a test file with an example of the first signature. The package comment shows the
// same example.
func (e *emitter) usage() ([]byte, error) {
	f := jen.NewFile(e.Name + "_test")
	f.HeaderComment("// " + generated(e.Version))
	n := e.entries[0]
	f.Func().Id("ExampleModel_" + n.method).Params().Block(e.call(n)...)
	var b bytes.Buffer
	if err := e.render(&b, f); err != nil {
		return nil, err
	}
	return tidy(b.Bytes())
}

// call returns a call of a signature. All feeds are zeros, in the smallest shapes that the
// signature accepts.
func (e *emitter) call(n *entry) []jen.Code {
	own := func(name string) *jen.Statement { return jen.Qual(e.importPath(), name) }
	// returns the name of a local variable that does not hide the package
	local := func(name string) *jen.Statement {
		if name == e.Name {
			name += "2"
		}
		return jen.Id(name)
	}
	failed := jen.If(jen.Err().Op("!=").Nil()).Block(jen.Qual("log", "Fatal").Call(jen.Err()))
	var feeds []jen.Code
	for i := range n.sig.Feeds {
		if p := &n.sig.Feeds[i]; !p.Unused {
			shape := e.smallest(n.variants[0], i)
			size := 1
			var dims []jen.Code
			for _, d := range shape {
				size *= d
				dims = append(dims, jen.Lit(d))
			}
			elem := func() *jen.Statement { return jen.Add(e.elem(p.DType)) }
			feeds = append(feeds, jen.Id(p.Field).Op(":").Add(own("Tensor")).Types(elem()).Values(
				jen.Id("Shape").Op(":").Index().Int().Values(dims...),
				jen.Id("Data").Op(":").Make(jen.Index().Add(elem()), jen.Lit(size))))
		}
	}
	in := own(n.method + "Input")
	if len(feeds) > 0 {
		in.Add(multi(feeds))
	} else {
		in.Values()
	}
	out := jen.Id("_")
	assign := "="
	var show []jen.Code
	for _, p := range n.sig.Fetches {
		if _, watched := ir.Watched(p.Key); !watched {
			show = append(show, local("out").Dot(p.Field).Dot("Shape"))
		}
	}
	if len(show) > 0 {
		out, assign = local("out"), ":="
	}
	body := []jen.Code{
		jen.List(local("m"), jen.Err()).Op(":=").Add(own("New")).Call(),
		failed,
		jen.Defer().Add(local("m")).Dot("Close").Call(),
		jen.List(out, jen.Err()).Op(assign).Add(local("m")).Dot(n.method).Call(jen.Qual("context", "Background").Call(), in),
		failed,
	}
	if len(show) > 0 {
		body = append(body, jen.Qual("fmt", "Println").Call(show[0]))
	}
	return body
}

// smallest returns a shape that feed i accepts, with 1 for each unknown size.
func (e *emitter) smallest(s *signature, i int) []int {
	ones := map[string]int{}
	for _, d := range s.plan.Dims {
		ones[d.Name] = 1
	}
	var out []int
	for _, x := range s.plan.Feeds[i].Shape {
		n, err := x.Eval(ones)
		if err != nil {
			n = 1
		}
		out = append(out, n)
	}
	return out
}

// importPath returns the package's import path, or its name if that is unknown.
func (e *emitter) importPath() string {
	if e.ImportPath != "" {
		return e.ImportPath
	}
	return e.Name
}

// packageComment returns the package comment, which has an example unless the package is a program.
// If Package.Example is set, it also writes the example to a file.
func (e *emitter) packageComment() (string, error) {
	what := "a model"
	if e.Model != "" {
		what = quote(e.Model)
	}
	if e.Main {
		return fmt.Sprintf("// Command %s runs %s, compiled to Go. Its flag --help lists its inputs and flags.", e.Name, what), nil
	}
	text := fmt.Sprintf("// Package %s runs %s, compiled to Go.\n//\n// One [Model] serves any number of calls from any number of goroutines:\n//\n", e.Name, what)
	src, err := e.usage()
	if err != nil {
		return "", err
	}
	if e.Example {
		e.files[fileBase(e.Name)+"_example_test.go"] = src
	}
	body, err := bodyOf(src)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(body) {
		text += "//" + line // the line is already indented
	}
	return strings.TrimRight(text, "\n"), nil
}

// bodyOf returns the source lines of the body of a file's first function.
func bodyOf(src []byte) (string, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, "", src, 0)
	if err != nil {
		return "", err
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			at := func(p token.Pos) int { return set.Position(p).Offset }
			return strings.TrimLeft(string(src[at(fn.Body.Lbrace)+1:at(fn.Body.Rbrace)]), "\n"), nil
		}
	}
	return "", nil
}
