package codegen

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/mem"
)

// tasks returns the statement that runs tasks:
//
//	if err = rt.RunTasks(s, &predictTasks0); err != nil {
//		return err
//	}
//
// It also emits a function for each task, and a table with the functions and the dependences
// between the tasks.
func (s *funcBody) tasks(t *plan.Tasks, i int) ([]jen.Code, error) {
	code := s.note(t.Node, first(t.Op), i, false)
	table := fmt.Sprintf("%sTasks%d", s.sig.prefix, s.graphs)
	s.graphs++
	next := make([][]jen.Code, len(t.Tasks))
	for k := range t.Tasks {
		for _, j := range t.Tasks[k].After {
			next[j] = append(next[j], jen.Lit(k))
		}
	}
	var rows []jen.Code
	for k := range t.Tasks {
		name, err := s.task(t, k, table)
		if err != nil {
			return nil, err
		}
		fields := []jen.Code{jen.Id("Run").Op(":").Id(name)}
		if n := len(t.Tasks[k].After); n > 0 {
			fields = append(fields, jen.Id("After").Op(":").Lit(n))
		}
		if len(next[k]) > 0 {
			fields = append(fields, jen.Id("Next").Op(":").Index().Int().Values(next[k]...))
		}
		rows = append(rows, jen.Values(fields...))
	}
	types := s.e.types(s.sig)
	fields := []jen.Code{jen.Id("Tasks").Op(":").Index().Add(s.e.rt("Task")).Types(types...).Add(multi(rows))}
	if order := t.Order(); !slices.IsSorted(order) {
		var all []jen.Code
		for _, k := range order {
			all = append(all, jen.Lit(k))
		}
		fields = append(fields, jen.Id("Order").Op(":").Index().Int().Values(all...))
	}
	fields = append(fields, jen.Id("Work").Op(":").Add(wide(t.Work)))
	s.funcs = append(s.funcs, jen.Comment(fmt.Sprintf("// %s holds the tasks of %s %s.", table, s.sig.node(t.Node), plain(first(t.Op)))).Line().
		Var().Id(table).Op("=").Add(s.e.rt("Graph")).Types(types...).Add(multi(fields)).Line())
	s.errs = true
	run := s.e.rt("RunTasks").Call(jen.Id("s"), jen.Op("&").Id(table))
	return append(code, jen.If(jen.Err().Op("=").Add(run), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))), nil
}

// task emits the functions of task k and returns the name of the function that runs the task.
func (s *funcBody) task(t *plan.Tasks, k int, table string) (string, error) {
	fs, err := s.functions(t.Tasks[k].Steps, fmt.Sprintf("runs steps of task %d of %s: %s", k, table, s.sig.taskNodes(t.Tasks[k].Steps)), true)
	if err != nil {
		return "", err
	}
	if len(fs) == 1 {
		return fs[0].name, nil
	}
	name := fmt.Sprintf("%sTask%d", s.sig.prefix, s.tasked)
	s.tasked++
	s.funcs = append(s.funcs, jen.Comment(fmt.Sprintf("// %s runs task %d of %s: %s.", name, k, table, s.sig.taskNodes(t.Tasks[k].Steps))).Line().
		Func().Id(name).Params(jen.Id("s").Op("*").Id(s.sig.prefix+"State")).Error().Block(rest(fs)...))
	return name, nil
}

// first returns the op of the first node of a range of nodes.
func first(op string) string {
	op, _, _ = strings.Cut(op, names.Range)
	return op
}

// taskNodes returns the names of the first and the last node of steps.
func (s *signature) taskNodes(steps []plan.Step) string {
	first, _ := stepNode(steps[0])
	last, _ := stepNode(steps[len(steps)-1])
	if first == last {
		return s.node(first)
	}
	return s.node(first) + names.Range + s.node(last)
}

// life returns a literal of the lifetime of a buffer. If only some tasks may use the buffer, the
// literal also has the numbers of these tasks.
func life(l mem.Life) jen.Code {
	fields := []jen.Code{jen.Id("First").Op(":").Lit(int(l.First)), jen.Id("Last").Op(":").Lit(int(l.Last))}
	if l.Tasks != 0 {
		fields = append(fields, jen.Id("Tasks").Op(":").Lit(int(l.Tasks)), jen.Id("Lane").Op(":").Lit(int(l.Lane)))
	}
	return jen.Values(fields...)
}

// wide returns an expression for a number that may not fit a 32-bit int, such as a cost in
// picoseconds. On 32-bit platforms, the value of the expression is at most the largest int.
func wide(n int) *jen.Statement {
	if n > math.MaxInt32 {
		return jen.Id("min").Call(jen.Lit(n), jen.Qual("math", "MaxInt"))
	}
	return jen.Lit(n)
}
