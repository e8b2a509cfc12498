package codegen

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/names"
)

// blockSize is the largest number of steps in a function, and blocksPerFile is the largest number
// of functions in a file. The limits keep the Go compiler fast: some of its passes take more than
// linear time in a function's size, and it type-checks files side by side.
const (
	blockSize     = 64
	blocksPerFile = 32
)

// stepsFile holds the emitted code for the steps of one signature.
type stepsFile struct {
	e        *emitter
	sig      *signature
	index    map[plan.Step]int // numbers of steps, as plan.Walk counts
	printed  map[plan.Step]int // number of calls that are emitted for each step; see size
	hoisted  map[string]string // names of package variables, keyed by the emitted text of their values
	lists    []jen.Code
	first    map[int][]int // step number → buffers outside the arena that get storage before that step
	funcs    []jen.Code    // functions that run steps; each follows the functions that it calls
	blocks   int           // number of functions in funcs that run steps of a list
	outlined int           // number of outlined functions; see outline
	loops    []jen.Code    // bodies of parallel loops, as functions, that are not in funcs yet
	count    int           // number of parallel loops emitted so far
	graphs   int           // number of tables of tasks emitted so far
	tasked   int           // number of functions emitted so far that only call the functions of a task

	// The buffers that become Go variables; see localize.
	numbers []*number
	uses    *plan.Uses
	around  map[*plan.Loop]*plan.Loop
	varsOf  map[plan.Step]*variables // the variables of each function, by its first step
}

// divide prepares a signature's steps for emission. It numbers the steps, and finds the buffers
// that become Go variables.
func (e *emitter) divide(sig *signature) error {
	s := &stepsFile{e: e, sig: sig, index: map[plan.Step]int{}, printed: map[plan.Step]int{}, hoisted: map[string]string{}, first: map[int][]int{}}
	for i, at := range sig.layout.First {
		if at >= 0 {
			s.first[at] = append(s.first[at], i)
		}
	}
	bound := map[string]bool{}
	plan.Walk(sig.plan.Steps, func(i int, st plan.Step) {
		s.index[st] = i
		for _, name := range plan.Binds(st) {
			if !bound[name] {
				bound[name], sig.bound = true, append(sig.bound, name)
			}
		}
	})
	sig.steps = s
	return s.localize()
}

// print emits the steps, their sizes and their tables.
func (s *stepsFile) print() error {
	e, sig := s.e, s.sig
	all, err := s.functions(sig.plan.Steps, "", false)
	if err != nil {
		return err
	}
	head := e.newFile()
	sig.legend(head)
	if err := s.head(head, all); err != nil {
		return err
	}
	for i := 0; i < len(s.funcs) || i == 0; i += blocksPerFile {
		f, name := head, sig.file+".gen.go"
		if i > 0 {
			f, name = e.newFile(), fmt.Sprintf("%s_%d.gen.go", sig.file, i/blocksPerFile+1)
			sig.legend(f)
		}
		for _, c := range s.funcs[i:min(i+blocksPerFile, len(s.funcs))] {
			f.Add(c)
			f.Line()
		}
		if i+blocksPerFile >= len(s.funcs) {
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

// function is an emitted function that runs steps.
type function struct {
	name  string
	fails bool
}

// functions emits steps as functions of at most blockSize calls each. If the steps are the body of
// a loop, none of them may end that loop. The parameter what is the text of the functions'
// comments. It is "" for the steps of the whole signature. If a single function has all steps of
// the signature, it is the signature's run function. The parameter inTask reports whether the
// functions are part of a task.
func (s *stepsFile) functions(steps []plan.Step, what string, inTask bool) ([]function, error) {
	var out []function
	divided := s.divide(steps)
	for _, all := range divided {
		b := s.newBody(nil, inTask)
		b.runs = what == "" && len(divided) == 1
		b.named(s.varsOf[steps[all[0].start]])
		body, err := b.list(steps, all)
		if err != nil {
			return nil, err
		}
		f := function{s.sig.prefix + "Run", b.fails()}
		if b.runs {
			what = "runs all steps"
		} else {
			f.name = fmt.Sprintf("%sSteps%d", s.sig.prefix, s.blocks)
			s.blocks++
		}
		s.funcs = append(s.funcs, s.takeLoops()...)
		fn := b.functionOf(f.name, []jen.Code{jen.Id("s").Op("*").Id(s.sig.prefix + "State")}, body)
		if what != "" {
			fn = jen.Comment(fmt.Sprintf("// %s %s.", f.name, what)).Line().Add(fn)
		}
		s.funcs = append(s.funcs, fn)
		out = append(out, f)
	}
	return out, nil
}

// divide divides steps into the spans of each function.
func (s *stepsFile) divide(steps []plan.Step) [][]span {
	var out [][]span
	for all := s.spans(steps); len(all) > 0; {
		n, size := 0, 0
		for n < len(all) && (n == 0 || size+s.spanSize(steps, all[n]) <= blockSize) {
			size += s.spanSize(steps, all[n])
			n++
		}
		out, all = append(out, all[:n]), all[n:]
	}
	return out
}

// list emits steps in sequence.
func (s *funcBody) list(steps []plan.Step, all []span) ([]jen.Code, error) {
	var out []jen.Code
	for _, sp := range all {
		for _, st := range steps[sp.start : sp.start+sp.period*sp.count] {
			out = append(out, s.declare(st)...)
		}
		code, err := []jen.Code(nil), error(nil)
		if sp.recorded {
			code, err = s.segment(steps[sp.start : sp.start+sp.period])
		} else if sp.count > 1 {
			code, err = s.outline(steps[sp.start:], sp)
		} else {
			code, err = s.step(steps[sp.start], s.index[steps[sp.start]])
		}
		if err != nil {
			return nil, err
		}
		out = append(out, code...)
		if code, err = s.stores(s.vars.ended(steps[sp.start])...); err != nil {
			return nil, err
		}
		out = append(out, code...)
	}
	return out, nil
}

// step emits step i.
func (s *funcBody) step(st plan.Step, i int) ([]jen.Code, error) {
	switch st := st.(type) {
	case *plan.Call:
		return s.call(st, i)
	case plan.Transfer:
		return s.call(st.Call(), i)
	case *plan.Copy:
		return s.copyStep(st, i)
	case *plan.Scalar:
		return s.scalarStep(st, i)
	case *plan.Par:
		if body, ok := whole(st); ok {
			return s.inline(body, i)
		}
		return s.loop(st, i)
	case *plan.If:
		return s.conditional(st, i)
	case *plan.Loop:
		return s.forever(st, i)
	case *plan.Tasks:
		return s.tasks(st, i)
	case *plan.Break:
		return s.leave(st, i)
	case *plan.Let:
		return s.let(st, i), nil
	case *plan.Room:
		return s.room(st, i)
	}
	return nil, fmt.Errorf("a step of type %T cannot be printed", st)
}

// functionOf returns a function with the given body. Declarations of the locals that the body uses
// precede the body.
func (s *funcBody) functionOf(name string, params, body []jen.Code) *jen.Statement {
	top := locals(s.used)
	if s.ints {
		top = append(top, jen.Id("s").Dot("ResetInts").Call())
	}
	f := jen.Func().Id(name).Params(params...)
	if s.errs {
		top = append(top, jen.Var().Err().Error())
	}
	if s.fails() {
		body = append(body, jen.Return(jen.Nil()))
		f = f.Error()
	}
	return f.Block(append(top, body...)...)
}

// grow returns the statement that allocates memory for buffer k, which is outside the arena.
func (s *funcBody) grow(k int) jen.Code {
	b := s.sig.layout.Grown[k]
	switch b.Place {
	case plan.Strings:
		return jen.Id("s").Dot("GrowStrings").Call(jen.Lit(k), s.checked(b.Len))
	case plan.Handles:
		return jen.Id("s").Dot("GrowHandles").Call(jen.Lit(k), s.checked(b.Len))
	case plan.DeviceGrow:
		return s.local("g").Dot("GrowTo").Call(jen.Lit(k), s.checked(b.Len), jen.Lit(b.DType.Size()))
	}
	return jen.Id("s").Dot("GrowTo").Call(jen.Lit(k), s.checked(b.Len), jen.Lit(b.DType.Size()))
}

// begin returns the comment of a step, and the statement that records the step as the current step.
func (s *funcBody) begin(node, op string, outs []string, i int) []jen.Code {
	first, last, several := strings.Cut(op, names.Range)
	text := fmt.Sprintf("// %s %s", s.sig.node(node), plain(first))
	if several {
		text += names.Range + plain(last)
	}
	if len(outs) > 0 {
		text += ": " + strings.Join(outs, ", ")
	}
	if s.inPar {
		return []jen.Code{jen.Comment(text)}
	}
	return append([]jen.Code{jen.Comment(text), s.under(i)}, s.growth(i)...)
}

// under returns the statement that records step i as the current step. Errors and hooks refer to
// the current step.
func (s *funcBody) under(i int) jen.Code {
	at := jen.Lit(i)
	if s.offset >= 0 {
		at = jen.Id("step").Op("+").Lit(i - s.offset)
		if i == s.offset {
			at = jen.Id("step")
		}
	}
	return jen.Id("s").Dot("At").Call(at)
}

// growth returns the statements that allocate memory for the buffers whose first use is in step i.
func (s *funcBody) growth(i int) []jen.Code {
	var code []jen.Code
	for _, k := range s.first[i] {
		code = append(code, s.grow(k))
	}
	return code
}

// makes returns the type and shape of the tensor that a step writes, for the step's comment. It
// returns nothing for a buffer that is not a tensor.
func (s *funcBody) makes(v plan.View) []string {
	if v.Buf.Shape == nil {
		return nil
	}
	return []string{s.sig.typeText(v.Buf.DType, v.Buf.Shape)}
}

func (s *funcBody) call(c *plan.Call, i int) ([]jen.Code, error) {
	var outs []string
	c.Views(func(v plan.View) {
		if v.Mode == plan.Write {
			outs = append(outs, s.makes(v)...)
		}
	})
	code := s.begin(c.Node, c.Op, outs, i)
	if plan.Queues(c) {
		code = append(code, s.queue().Dot("At").Call(jen.Lit(s.sig.short(c.Node)), jen.Lit(c.Op)))
	}
	s.windows.begin()
	call, err := s.kernel(c)
	if err != nil {
		return nil, fmt.Errorf("node %q (%s): %w", c.Node, c.Op, err)
	}
	return append(append(code, s.windows.declared()...), s.results(c, call)...), nil
}

// results returns the statement that makes the given call and assigns its results, and the check of
// its error.
func (s *funcBody) results(c *plan.Call, call *jen.Statement) []jen.Code {
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

// kernel returns the call of the kernel.
func (s *funcBody) kernel(c *plan.Call) (*jen.Statement, error) {
	path, name, err := c.Symbol()
	if err != nil {
		return nil, err
	}
	s.e.launches(path, name)
	args := make([]jen.Code, len(c.Args))
	long, names := 0, 0
	for i, a := range c.Args {
		x, err := s.arg(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", i, name, err)
		}
		args[i] = x
		switch a := a.(type) {
		case plan.View:
			if s.stays(a, offset(a)) || wholeFeed(a) || s.windows.local(&s.printer, a, offset(a)) != "" { // a name
				names++
			} else {
				long++
			}
		case plan.Struct:
			long++
		}
	}
	fn := jen.Qual(s.e.path(path), name)
	if long > 1 || names > 0 && len(args) > 4 {
		return fn.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, args...), nil
	}
	return fn.Call(args...), nil
}

func (s *funcBody) arg(a plan.Arg) (*jen.Statement, error) {
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
		return s.structLiteral(a)
	case plan.Context:
		return jen.Id("s").Dot("Context").Call(), nil
	case plan.Budget:
		return jen.Id("s").Dot("Budget").Call(), nil
	case plan.Files:
		return jen.Id("s").Dot("Files").Call(), nil
	case plan.Views:
		return s.pointers(a)
	case plan.Elements:
		return s.e.kernel(a)
	case plan.Queue:
		return s.queue(), nil
	case plan.Exchange:
		return jen.Id("s").Dot("X").Dot("Exchange"), nil
	}
	return nil, fmt.Errorf("an argument of type %T cannot be printed", a)
}

// sizes returns an expression for a list of sizes. If all sizes are constants, the list is a
// package variable.
func (s *funcBody) sizes(a plan.Ints) (*jen.Statement, error) {
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
	if s.stateless || s.inPar {
		return jen.Index().Int().Values(els...), nil
	}
	s.ints = true
	return jen.Id("s").Dot("Ints").Call(els...), nil
}
