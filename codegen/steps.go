package codegen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

// blockSize is how many steps a function holds, blocksPerFile how many functions
// a file: what keeps the Go compiler quick, since some of its passes take more
// than linear time in a function's size and files are type-checked side by side.
const (
	blockSize     = 64
	blocksPerFile = 32
)

// stepsFile prints the steps of one signature.
type stepsFile struct {
	*printer
	hoisted map[string]string // package variables by their value
	lists   []jen.Code
	first   map[int][]int // buffers of their own by the step before which they get storage
	errs    bool          // the function under way has calls that fail
	ints    bool          // the function under way keeps lists of sizes
	checks  bool          // the function under way has no state
}

// steps prints a signature's steps, its sizes and its tables.
func (e *emitter) steps(sig *signature) error {
	s := &stepsFile{printer: &printer{e: e, sig: sig, used: map[string]bool{}}, hoisted: map[string]string{}, first: map[int][]int{}}
	for i, at := range sig.layout.First {
		s.first[at] = append(s.first[at], i)
	}
	for _, st := range sig.plan.Steps {
		if c, ok := st.(*plan.Call); ok {
			sig.bound = append(sig.bound, c.Rets...)
		}
	}
	var funcs []jen.Code
	var names []string
	var fails []bool
	for at := 0; at < len(sig.plan.Steps); at += blockSize {
		end := min(at+blockSize, len(sig.plan.Steps))
		name := fmt.Sprintf("%sSteps%d", sig.prefix, len(names))
		f, err := s.block(e, sig, name, at, end)
		if err != nil {
			return err
		}
		funcs, names, fails = append(funcs, f), append(names, name), append(fails, s.errs)
	}
	head := e.newFile()
	if err := s.head(head, names, fails); err != nil {
		return err
	}
	for i := 0; i < len(funcs) || i == 0; i += blocksPerFile {
		f, name := head, sig.file+".gen.go"
		if i > 0 {
			f, name = e.newFile(), fmt.Sprintf("%s_%d.gen.go", sig.file, i/blocksPerFile+1)
		}
		for _, c := range funcs[i:min(i+blocksPerFile, len(funcs))] {
			f.Add(c)
			f.Line()
		}
		if i+blocksPerFile >= len(funcs) {
			for _, c := range s.lists {
				f.Add(c)
			}
		}
		if err := e.add(name, f); err != nil {
			return err
		}
	}
	return nil
}

// block prints the steps from at to end as one function.
func (s *stepsFile) block(e *emitter, sig *signature, name string, at, end int) (jen.Code, error) {
	s.printer = &printer{e: e, sig: sig, used: map[string]bool{}}
	s.errs, s.ints = false, false
	var body []jen.Code
	for i := at; i < end; i++ {
		var code []jen.Code
		var err error
		switch st := sig.plan.Steps[i].(type) {
		case *plan.Call:
			code, err = s.call(st, i)
		case *plan.Copy:
			code, err = s.copyStep(st, i)
		}
		if err != nil {
			return nil, err
		}
		body = append(body, code...)
	}
	return s.function(name, body), nil
}

// function wraps a body with the locals that it uses.
func (s *stepsFile) function(name string, body []jen.Code) jen.Code {
	top := locals(s.used)
	if s.ints {
		top = append(top, jen.Id("s").Dot("ResetInts").Call())
	}
	f := jen.Func().Id(name).Params(jen.Id("s").Op("*").Id(s.sig.prefix + "State"))
	if s.errs {
		top = append(top, jen.Var().Err().Error())
		body = append(body, jen.Return(jen.Nil()))
		f = f.Error()
	}
	return f.Block(append(top, body...)...)
}

// grow prints the statement that gives buffer k outside of the arena its room.
func (s *stepsFile) grow(k int) jen.Code {
	b := s.sig.layout.Grown[k]
	if b.Place == plan.Strings {
		return jen.Id("s").Dot("GrowStrings").Call(jen.Lit(k), s.checked(b.Len))
	}
	return jen.Id("s").Dot("GrowTo").Call(jen.Lit(k), s.checked(b.Len), jen.Lit(b.DType.Size()))
}

// begin prints the comment of a step and the note that it is under way.
func (s *stepsFile) begin(node, op string, outs []string, i int) []jen.Code {
	text := fmt.Sprintf("// %s %s", quote(node), plain(op))
	if len(outs) > 0 {
		text += ": " + strings.Join(outs, ", ")
	}
	code := []jen.Code{jen.Comment(text), jen.Id("s").Dot("Step").Op("=").Lit(i)}
	for _, k := range s.first[i] {
		code = append(code, s.grow(k))
	}
	return code
}

func (s *stepsFile) call(c *plan.Call, i int) ([]jen.Code, error) {
	var outs []string
	c.Views(func(v plan.View) {
		if v.Mode == plan.Write && v.Buf.Shape != nil {
			outs = append(outs, typeText(v.Buf.DType, v.Buf.Shape))
		}
	})
	code := s.begin(c.Node, c.Op, outs, i)
	call, err := s.kernel(c)
	if err != nil {
		return nil, fmt.Errorf("node %q (%s): %w", c.Node, c.Op, err)
	}
	return append(code, s.results(c, call)...), nil
}

// results prints the call with what becomes of its results.
func (s *stepsFile) results(c *plan.Call, call *jen.Statement) []jen.Code {
	var left []jen.Code
	for _, r := range c.Rets {
		left = append(left, s.symbol(r))
	}
	if hasError(c) {
		s.errs = true
		left = append(left, jen.Err())
	}
	if len(left) == 0 {
		return []jen.Code{call}
	}
	code := []jen.Code{jen.List(left...).Op("=").Add(call)}
	if hasError(c) {
		code = append(code, jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	}
	return code
}

func hasError(c *plan.Call) bool {
	if _, ok := c.Fn.(plan.Unresolved); ok {
		return false
	}
	return c.HasError()
}

// kernel prints the call itself.
func (s *stepsFile) kernel(c *plan.Call) (*jen.Statement, error) {
	path, name, err := c.Symbol()
	if err != nil {
		return nil, err
	}
	args := make([]jen.Code, len(c.Args))
	long := 0
	for i, a := range c.Args {
		x, err := s.arg(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", i, name, err)
		}
		args[i] = x
		switch a.(type) {
		case plan.View, plan.Struct:
			long++
		}
	}
	fn := jen.Qual(s.e.path(path), name)
	if long > 1 {
		return fn.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, args...), nil
	}
	return fn.Call(args...), nil
}

func (s *stepsFile) arg(a plan.Arg) (*jen.Statement, error) {
	switch a := a.(type) {
	case plan.View:
		return s.view(a)
	case plan.Int:
		return s.expr(a.X), nil
	case plan.Ints:
		return s.sizes(a)
	case plan.Value:
		return s.literal(reflect.ValueOf(a.V))
	case plan.Struct:
		return s.structLiteral(a.V, a.Fields)
	}
	return nil, fmt.Errorf("an argument of type %T cannot be printed", a)
}

// sizes prints a list of sizes: a package variable when all are constants.
func (s *stepsFile) sizes(a plan.Ints) (*jen.Statement, error) {
	known := make([]int, len(a.X))
	var els []jen.Code
	all := true
	for i, x := range a.X {
		n, ok := x.IsInt()
		known[i] = n
		all = all && ok
		els = append(els, s.expr(x))
	}
	if all {
		return s.slice(reflect.ValueOf(known))
	}
	if s.checks {
		return jen.Index().Int().Values(els...), nil
	}
	s.ints = true
	return jen.Id("s").Dot("Ints").Call(els...), nil
}

func (s *stepsFile) copyStep(c *plan.Copy, i int) ([]jen.Code, error) {
	dst, err := s.view(c.Dst)
	if err != nil {
		return nil, err
	}
	src, err := s.view(c.Src)
	if err != nil {
		return nil, err
	}
	var outs []string
	if c.Dst.Buf.Shape != nil {
		outs = append(outs, typeText(c.Dst.Buf.DType, c.Dst.Buf.Shape))
	}
	return append(s.begin(c.Node, c.Op, outs, i), jen.Copy(dst, src)), nil
}
