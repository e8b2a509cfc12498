package codegen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
)

// Conditionals and loops are emitted as if and for statements. A short list of steps within them is
// emitted in place, a long list as separate functions. Steps that leave a loop are always emitted
// in the function that contains the for statement of that loop.

// inPlace is the largest number of calls in a nested list that is emitted in place as a whole. A
// longer list is divided into parts at the steps that may leave the loop. The second constant is the
// largest number of calls in a part that is emitted in place.
const (
	inPlace = 48
	between = 8
)

// size returns the number of calls that are emitted for a step.
func (s *stepsFile) size(st plan.Step) int {
	if n, ok := s.printed[st]; ok {
		return n
	}
	n := 1
	if l, ok := st.(*plan.Par); ok {
		if body, ok := whole(l); ok {
			n = len(body)
		}
	}
	if _, ok := st.(*plan.Tasks); !ok { // the steps of tasks are emitted as separate functions
		for _, l := range plan.Lists(st) {
			n += s.bodySize(*l)
		}
	}
	s.printed[st] = n
	return n
}

// spanSize returns the number of calls that are emitted for a span, which is one step or several
// repetitions of a sequence of steps.
func (s *stepsFile) spanSize(steps []plan.Step, sp span) int {
	if sp.count > 1 || sp.recorded {
		return 1
	}
	return s.size(steps[sp.start])
}

// listSize returns the number of calls that are emitted for a list of steps if the list is emitted
// in place.
func (s *stepsFile) listSize(steps []plan.Step) int {
	n := 0
	for _, st := range steps {
		n += s.size(st)
	}
	return n
}

// bodySize returns the number of calls that funcBody.body emits for a list of steps.
func (s *stepsFile) bodySize(steps []plan.Step) int {
	n := s.listSize(steps)
	if n <= inPlace {
		return n
	}
	total := 0
	for _, p := range parts(steps) {
		switch n := s.listSize(p); {
		case n <= between || leaves(p[0]):
			total += n
		default:
			total += (n + blockSize - 1) / blockSize
		}
	}
	return total
}

// body emits the steps nested in another step. The parameters node and op are the node and the op
// of that other step.
func (s *funcBody) body(steps []plan.Step, node, op string) ([]jen.Code, error) {
	if s.listSize(steps) <= inPlace {
		return s.list(steps, s.spans(steps))
	}
	var out []jen.Code
	for _, p := range parts(steps) {
		if leaves(p[0]) || s.listSize(p) <= between {
			code, err := s.list(p, s.spans(p))
			if err != nil {
				return nil, err
			}
			out = append(out, code...)
			continue
		}
		fs, err := s.functions(p, fmt.Sprintf("runs a part of %s %s", s.sig.node(node), plain(op)), s.inTask)
		if err != nil {
			return nil, err
		}
		s.errs = s.errs || len(fs) > 1 || fs[0].fails
		out = append(out, calls(fs, "=")...)
	}
	return out, nil
}

// parts divides a list at the steps that may leave the loop around them. Each of these is a
// separate part; the steps between two of them are one part.
func parts(steps []plan.Step) [][]plan.Step {
	var out [][]plan.Step
	for i, st := range steps {
		if i > 0 && !leaves(st) && !leaves(steps[i-1]) {
			out[len(out)-1] = append(out[len(out)-1], st)
			continue
		}
		out = append(out, []plan.Step{st})
	}
	return out
}

// leaves reports whether a step may end the loop around it.
func leaves(st plan.Step) bool {
	switch st := st.(type) {
	case *plan.Break:
		return true
	case *plan.If:
		for _, l := range plan.Lists(st) {
			for _, t := range *l {
				if leaves(t) {
					return true
				}
			}
		}
	}
	return false
}

// rest returns the last statements of a function: calls of the functions fs, which run steps, and
// the return statement.
func rest(fs []function) []jen.Code {
	code := calls(fs, ":=")
	if n := len(fs); n > 0 && fs[n-1].fails {
		return append(code[:len(code)-1], jen.Return(jen.Id(fs[n-1].name).Call(jen.Id("s"))))
	}
	return append(code, jen.Return(jen.Nil()))
}

// calls returns calls of functions that run steps. The functions run one after another, and there
// is a check for cancellation between two of them. The operator op, which is = or :=, assigns their
// errors.
func calls(fs []function, op string) []jen.Code {
	try := func(c *jen.Statement) jen.Code {
		return jen.If(jen.Err().Op(op).Add(c), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	var out []jen.Code
	for i, f := range fs {
		call := jen.Id(f.name).Call(jen.Id("s"))
		if i > 0 {
			out = append(out, try(jen.Id("s").Dot("Canceled").Call()))
		}
		if f.fails {
			out = append(out, try(call))
		} else {
			out = append(out, call)
		}
	}
	return out
}

// note returns the comment for a step that writes no tensor. If the step may fail, or if it needs
// memory for buffers, the result also has the statement that records this step as the current one.
func (s *funcBody) note(node, op string, i int, fails bool) []jen.Code {
	code := []jen.Code{jen.Comment(fmt.Sprintf("// %s %s", s.sig.node(node), plain(op)))}
	if grown := s.growth(i); fails || len(grown) > 0 {
		code = append(append(code, s.under(i)), grown...)
	}
	return code
}

// cond returns the condition of an if statement: an element of type bool, or its negation. If this
// needs a local, the local is named after the tensor.
func (s *funcBody) cond(v plan.View, neg bool) (*jen.Statement, error) {
	if x := s.vars.of(v); x != nil {
		if neg {
			return jen.Op("!").Id(x.name), nil
		}
		return jen.Id(x.name), nil
	}
	c, err := s.view(v)
	if err != nil {
		return nil, err
	}
	first := jen.Null()
	if v.Buf.Root().Place != plan.Fed && !s.stays(v, offset(v)) && s.windows.local(&s.printer, v, offset(v)) == "" {
		name := s.newLocal(v.Buf.Name, 1)
		first, c = jen.Id(name).Op(":=").Add(c).Op(";"), jen.Id(name)
	}
	if neg {
		first = first.Op("!")
	}
	return first.Add(c).Index(jen.Lit(0)), nil
}

// conditional returns the code for a conditional:
//
//	if cond := rt.At[bool](a, 0, 1); cond[0] {
//		…
//	} else if other := rt.At[bool](a, 64, 1); other[0] {
//		…
//	} else {
//		…
//	}
func (s *funcBody) conditional(st *plan.If, i int) ([]jen.Code, error) {
	out, err := s.chain(st)
	if err != nil || out == nil {
		return nil, err
	}
	return append(s.note(st.Node, st.Op, i, false), out), nil
}

// chain returns the if statement of a conditional. If the else list of the conditional consists of
// another conditional, that one becomes an else-if branch. chain returns nil if both lists are
// empty.
func (s *funcBody) chain(st *plan.If) (*jen.Statement, error) {
	yes, no, neg := st.Then, st.Else, st.Neg
	if len(yes) == 0 || neg && len(no) > 0 {
		yes, no, neg = no, yes, !neg
	}
	if len(yes) == 0 {
		return nil, nil
	}
	cond, err := s.cond(st.Cond, neg)
	if err != nil {
		return nil, err
	}
	body, err := s.branch(yes, st)
	if err != nil {
		return nil, err
	}
	out := jen.If(cond).Block(body...)
	if other, ok := s.alone(no); ok {
		next, err := s.chain(other)
		if err != nil || next == nil {
			return out, err
		}
		return out.Else().Add(next), nil
	}
	if len(no) > 0 {
		if body, err = s.branch(no, st); err != nil {
			return nil, err
		}
		out = out.Else().Block(body...)
	}
	return out, nil
}

// branch emits one list of a conditional.
func (s *funcBody) branch(steps []plan.Step, st *plan.If) ([]jen.Code, error) {
	around := s.windows
	s.windows = around.inner()
	defer func() { s.windows = around }()
	return s.body(steps, st.Node, st.Op)
}

// alone returns the only step of a list if that step can be emitted as an else-if. It must be a
// conditional that is short enough to be emitted in place. No statement may be needed before or
// after it, such as one that allocates a buffer, declares a variable or stores a variable.
func (s *funcBody) alone(steps []plan.Step) (*plan.If, bool) {
	if len(steps) != 1 || s.listSize(steps) > inPlace {
		return nil, false
	}
	st, ok := steps[0].(*plan.If)
	return st, ok && len(s.first[s.index[st]]) == 0 && len(s.vars.declared(st)) == 0 && len(s.vars.ended(st)) == 0
}

// forever returns the code for a loop:
//
//	x := rt.At[float32](a, 0, 1) // what does not change in the loop
//	for {
//		if err = s.Canceled(); err != nil {
//			return err
//		}
//		…
//	}
func (s *funcBody) forever(l *plan.Loop, i int) ([]jen.Code, error) {
	code := s.note(l.Node, l.Op, i, false)
	s.errs = true
	in := *s
	in.ints = false
	if s.fixed == nil {
		in.fixed = &fixed{by: map[string]string{}}
		in.windows = s.windows.outside()
	}
	body, err := in.body(l.Body, l.Node, l.Op)
	if err != nil {
		return nil, err
	}
	top := []jen.Code{jen.If(jen.Err().Op("=").Id("s").Dot("Canceled").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))}
	if in.ints { // the lists of the previous iteration are no longer needed
		top = append(top, jen.Id("s").Dot("ResetInts").Call())
	}
	if s.fixed == nil {
		code = append(code, in.fixed.decls...)
	}
	return append(code, jen.For().Block(append(top, body...)...)), nil
}

func (s *funcBody) leave(b *plan.Break, i int) ([]jen.Code, error) {
	cond, err := s.cond(b.Cond, b.Neg)
	if err != nil {
		return nil, err
	}
	return append(s.growth(i), jen.If(cond).Block(jen.Break())), nil
}

// let returns the assignment v.a, v.b = …, which sets sizes. An overflow of a size ends the run.
func (s *funcBody) let(l *plan.Let, i int) []jen.Code {
	plainly := true
	var names, values []jen.Code
	for k, x := range l.X {
		_, known := x.IsInt()
		_, name := x.IsVar()
		plainly = plainly && (known || name)
		names, values = append(names, s.symbol(l.Names[k])), append(values, s.checked(x))
	}
	return append(s.note(l.Node, l.Op, i, !plainly), jen.List(names...).Op("=").List(values...))
}

// room returns the code that allocates memory for a buffer's elements.
func (s *funcBody) room(r *plan.Room, i int) ([]jen.Code, error) {
	k, ok := s.sig.grown[r.Buf.Root()]
	if !ok {
		return nil, fmt.Errorf("node %q (%s): the buffer %q cannot grow", r.Node, r.Op, r.Buf.Name)
	}
	return append(s.note(r.Node, r.Op, i, true), s.grow(k)), nil
}

// whole returns steps that compute all items of a parallel loop in one pass. It returns false if
// the loop has enough work to be divided.
func whole(l *plan.Par) ([]plan.Step, bool) {
	n, ok := l.Total.IsInt()
	work := sym.One
	if l.Work != nil {
		work = l.Work
	}
	cost, known := work.IsInt()
	if !ok || !known || n <= 0 || rt.Mul(n, cost) >= rt.WorthSharing {
		return nil, false
	}
	for _, most := range []*sym.Expr{l.Most, l.Wrap} {
		if most == nil || most.Is(0) {
			continue
		}
		if m, ok := most.IsInt(); !ok || m < n {
			return nil, false
		}
	}
	all := map[string]*sym.Expr{plan.LoName: sym.Zero, plan.CountName: sym.Int(n)}
	out := make([]plan.Step, len(l.Body))
	for i, st := range l.Body {
		out[i] = plan.Subst(st, all)
	}
	return out, true
}

// inline emits step i in place, where step i is a parallel loop and the parameter body has steps
// that compute all items of the loop.
func (s *funcBody) inline(body []plan.Step, i int) ([]jen.Code, error) {
	var out []jen.Code
	for k, st := range body {
		code, err := s.step(st, i)
		if err != nil {
			return nil, err
		}
		// all steps of the body have the number i, and the first step has recorded it as the
		// current step
		if k > 0 && !s.inPar {
			code = append(code[:1:1], code[2+len(s.first[i]):]...)
		}
		out = append(out, code...)
	}
	return out, nil
}

// stepNode returns the node and the op of a step.
func stepNode(st plan.Step) (node, op string) { return plan.NodeOf(st) }
