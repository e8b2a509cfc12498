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
	hoisted  map[string]string // package variables by their value
	lists    []jen.Code
	first    map[int][]int // buffers of their own by the step before which they get storage
	errs     bool          // the function under way has calls that fail
	ints     bool          // the function under way keeps lists of sizes
	checks   bool          // the function under way has no state
	loops    []jen.Code    // the functions of loops printed so far that are not in a file yet
	count    int           // of loops printed
	inLoop   bool          // the function under way is a loop's
	collects bool          // what is printed is thrown away
	offset   int           // the step that an outlined function begins with, else -1
}

// steps prints a signature's steps, its sizes and its tables.
func (e *emitter) steps(sig *signature) error {
	s := &stepsFile{printer: &printer{e: e, sig: sig, used: map[string]bool{}}, offset: -1, hoisted: map[string]string{}, first: map[int][]int{}}
	for i, at := range sig.layout.First {
		s.first[at] = append(s.first[at], i)
	}
	for _, st := range sig.plan.Steps {
		if c, ok := st.(*plan.Call); ok {
			sig.bound = append(sig.bound, c.Rets...)
		}
	}
	keys := make([]string, len(sig.plan.Steps))
	for i, st := range sig.plan.Steps {
		keys[i] = s.key(st, i)
	}
	var funcs []jen.Code
	var names []string
	var fails []bool
	outlined := 0
	for all := spans(keys); len(all) > 0; {
		n := min(blockSize, len(all))
		name := fmt.Sprintf("%sSteps%d", sig.prefix, len(names))
		body := []jen.Code{}
		pr := &printer{e: e, sig: sig, used: map[string]bool{}}
		errs, ints := false, false
		for _, sp := range all[:n] {
			if sp.count > 1 {
				fn, loop, err := s.outline(e, sig, fmt.Sprintf("%sBlock%d", sig.prefix, outlined), sp)
				if err != nil {
					return err
				}
				outlined++
				funcs = append(funcs, s.takeLoops()...)
				funcs, body, errs = append(funcs, fn), append(body, loop), true
				continue
			}
			s.printer, s.errs, s.ints = pr, errs, ints
			code, err := s.step(sig.plan.Steps[sp.start], sp.start)
			if err != nil {
				return err
			}
			errs, ints = s.errs, s.ints
			body = append(body, code...)
		}
		all = all[n:]
		s.printer, s.errs, s.ints = pr, errs, ints
		funcs = append(funcs, s.takeLoops()...)
		funcs = append(funcs, s.functionOf(name, []jen.Code{jen.Id("s").Op("*").Id(sig.prefix + "State")}, body))
		names, fails = append(names, name), append(fails, errs)
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

// begun makes the printer of a new function.
func (s *stepsFile) begun(e *emitter, sig *signature, t *table) {
	s.printer = &printer{e: e, sig: sig, used: map[string]bool{}, table: t}
	s.errs, s.ints = false, false
}

// step prints step i.
func (s *stepsFile) step(st plan.Step, i int) ([]jen.Code, error) {
	switch st := st.(type) {
	case *plan.Call:
		return s.call(st, i)
	case *plan.Copy:
		return s.copyStep(st, i)
	case *plan.Par:
		return s.loop(st, i)
	}
	return nil, fmt.Errorf("a step of type %T cannot be printed", st)
}

// functionOf wraps a body with the locals that it uses.
func (s *stepsFile) functionOf(name string, params, body []jen.Code) *jen.Statement {
	top := locals(s.used)
	if s.ints {
		top = append(top, jen.Id("s").Dot("ResetInts").Call())
	}
	f := jen.Func().Id(name).Params(params...)
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
	first, last, several := strings.Cut(op, " … ")
	text := fmt.Sprintf("// %s %s", quote(node), plain(first))
	if several {
		text += " … " + plain(last)
	}
	if len(outs) > 0 {
		text += ": " + strings.Join(outs, ", ")
	}
	if s.inLoop {
		return []jen.Code{jen.Comment(text)}
	}
	at := jen.Lit(i)
	if s.offset >= 0 {
		at = jen.Id("step").Op("+").Lit(i - s.offset)
		if i == s.offset {
			at = jen.Id("step")
		}
	}
	code := []jen.Code{jen.Comment(text), jen.Id("s").Dot("Step").Op("=").Add(at)}
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
	if s.checks || s.inLoop {
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
