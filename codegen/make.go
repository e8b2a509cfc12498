package codegen

import (
	"fmt"
	"reflect"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// Calls of kernel functions with constant arguments make the resources of a new model. If several
// resources are made by the same function, the calls differ only in their arguments. These calls
// are then emitted as a loop over a table of the arguments.

// maxRows is the largest number of resources that one emitted method makes. It bounds the size of
// the method, as blockSize bounds other functions.
const maxRows = 256

// sameMaker is a group of resources that one function makes.
type sameMaker struct {
	path, name string // of the function
	bufs       []*plan.Buf
}

// makers groups resources by the functions that make them.
func makers(bufs []*plan.Buf) ([]*sameMaker, error) {
	by := map[[2]string]*sameMaker{}
	var out []*sameMaker
	for _, b := range bufs {
		path, name, err := objectCall(b).Symbol()
		if err != nil {
			return nil, err
		}
		g := by[[2]string{path, name}]
		if g == nil {
			g = &sameMaker{path: path, name: name}
			by[[2]string{path, name}] = g
			out = append(out, g)
		}
		g.bufs = append(g.bufs, b)
	}
	return out, nil
}

// makeVars emits the struct of the resources and the methods that make them. It returns the calls
// of these methods, for New.
func (e *emitter) makeVars(f *jen.File) ([]jen.Code, error) {
	if len(e.vars.bufs) == 0 {
		return nil, nil
	}
	var fields, use []jen.Code
	for _, b := range e.vars.bufs {
		text := resourceText(b.Name)
		if b.Shape != nil {
			text += ": " + (&signature{}).typeText(b.DType, b.Shape)
		}
		fields = append(fields, jen.Id(e.vars.fields[b.Name]).Index(jen.Lit(1)).Add(e.tensor("Handle")).Comment("// "+text))
	}
	f.Comment("// modelVars holds the resources that the model keeps between runs.")
	f.Type().Id("modelVars").Struct(fields...).Line()
	for i := 0; i < len(e.vars.bufs); i += maxRows {
		name := "make"
		if i > 0 {
			name = fmt.Sprintf("make%d", i/maxRows+1)
		}
		call, err := e.makeFunc(f, name, e.vars.bufs[i:min(i+maxRows, len(e.vars.bufs))])
		if err != nil {
			return nil, err
		}
		use = append(use, call)
	}
	return use, nil
}

// makeFunc emits a method that makes resources, and returns the call of the method, for New.
func (e *emitter) makeFunc(f *jen.File, name string, bufs []*plan.Buf) (call *jen.Statement, err error) {
	groups, err := makers(bufs)
	if err != nil {
		return nil, err
	}
	var body, params, args []jen.Code
	fails, weights := false, false
	for _, g := range groups {
		code, err := e.makeAll(g)
		if err != nil {
			return nil, err
		}
		body = append(body, code...)
		for _, b := range g.bufs {
			fails = fails || hasError(objectCall(b))
			for _, a := range b.Object.Args {
				if v, ok := a.(plan.View); ok { // the argument is a constant, which belongs to the instance
					params, args = []jen.Code{jen.Id("base").Op("*").Add(e.rt("Base"))}, []jen.Code{jen.Id("base")}
					weights = weights || !e.isText(v.Buf.Root().Const)
				}
			}
		}
	}
	if weights {
		body = append([]jen.Code{jen.Id("w").Op(":=").Id("base").Dot("Weights").Call()}, body...)
	}
	f.Comment(fmt.Sprintf("// %s creates resources of a new model.", name))
	fn := jen.Func().Params(jen.Id("v").Op("*").Id("modelVars")).Id(name).Params(params...)
	call = jen.Id("m").Dot("vars").Dot(name).Call(args...)
	if fails {
		call = jen.If(jen.Err().Op(":=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
		fn, body = fn.Params(jen.Err().Error()), append(body, jen.Return(jen.Nil()))
	}
	f.Add(fn.Block(body...)).Line()
	return call, nil
}

// makeAll returns the code that makes the resources of one group.
func (e *emitter) makeAll(g *sameMaker) ([]jen.Code, error) {
	if len(g.bufs) >= tableRows {
		if columns, ok := e.arguments(g); ok {
			return e.makeTable(g, columns)
		}
	}
	var body []jen.Code
	for _, b := range g.bufs {
		call, err := e.construct(b)
		if err != nil {
			return nil, err
		}
		_, _, text := resource(b.Name)
		body = append(body, jen.Comment("// "+resourceText(b.Name)))
		body = append(body, e.makeOne(b, jen.Id("v").Dot(e.vars.fields[b.Name]), call, jen.Lit(text), g.name)...)
	}
	return body, nil
}

// makeOne returns the code that creates a resource and stores it in element 0 of an array. The
// parameter to is an expression for the array. The parameter text is an expression for the name of
// the resource, which errors contain. The parameter name is the name of the function that creates
// the resource.
func (e *emitter) makeOne(b *plan.Buf, to, call, text *jen.Statement, name string) []jen.Code {
	to = to.Index(jen.Lit(0))
	if !hasError(objectCall(b)) {
		return []jen.Code{to.Op("=").Add(call)}
	}
	return []jen.Code{jen.List(to, jen.Err()).Op("=").Add(call),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(e.tensor("AtNode").Call(jen.Err(), text, jen.Lit(name))))}
}

// arguments returns the columns of a table of arguments, named after their contents. ok is false if
// the type of an argument cannot be emitted.
func (e *emitter) arguments(g *sameMaker) (columns []column, ok bool) {
	t := reflect.TypeOf(g.bufs[0].Object.New)
	if t.Kind() != reflect.Func {
		return nil, false // the function was read from text, so its types are unknown
	}
	taken := scope{}
	for i, a := range g.bufs[0].Object.Args {
		typ, err := e.typeName(t.In(i))
		if err != nil {
			return nil, false
		}
		name := "arg"
		if _, ok := a.(plan.View); ok {
			name = "data"
		} else if t.In(i).Kind() == reflect.Struct {
			name = "params"
		}
		columns = append(columns, column{taken.take(name, ""), typ})
	}
	return columns, true
}

// makeTable returns a loop that makes the resources of a group, over a table of the arguments.
func (e *emitter) makeTable(g *sameMaker, arguments []column) ([]jen.Code, error) {
	first := g.bufs[0]
	columns := []column{{"to", jen.Op("*").Index(jen.Lit(1)).Add(e.tensor("Handle"))}, {"name", jen.String()}}
	if !hasError(objectCall(first)) {
		columns = columns[:1] // only errors contain the name
	}
	s := e.maker()
	var rows [][]jen.Code
	for _, b := range g.bufs {
		if err := lasting(b); err != nil {
			return nil, err
		}
		_, _, text := resource(b.Name)
		row := []jen.Code{jen.Op("&").Id("v").Dot(e.vars.fields[b.Name]), jen.Lit(text)}[:len(columns):len(columns)]
		for _, a := range b.Object.Args {
			x, err := s.arg(a)
			if err != nil {
				return nil, err
			}
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	fixed := len(columns)
	return []jen.Code{eachRow(append(columns, arguments...), rows, func(row []jen.Code) []jen.Code {
		call := jen.Qual(e.path(g.path), g.name).Call(row[fixed:]...)
		return e.makeOne(first, jen.Add(row[0]), call, jen.Add(row[fixed-1]), g.name)
	})}, nil
}
