package codegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/graphc/graphc/plan"
)

// Adjacent steps often repeat with the same kernels and parameters on other buffers, as in layers
// and unrolled loops. The repetitions become one function with a table, which holds the places of
// the buffers in each repetition.

// minPeriod and maxPeriod limit the number of steps of a repetition that is outlined. minSavings is
// the fewest steps that outlining must save.
const (
	minPeriod  = 2
	maxPeriod  = 128
	minSavings = 16
)

// span is a range of steps that begins at the index start. In this range, one sequence of steps
// occurs one or more times. The field period is the number of steps in the sequence. The field count
// is the number of times that the sequence occurs. For a single step, both fields are 1.
type span struct {
	start, period, count int
	recorded             bool // whether the span is a segment of work for a device; see segments
}

// spans divides steps into spans, from one key for each step. Two steps with equal keys differ only
// in the places of their buffers. The key "" is for a step that must be in a span by itself.
func spans(keys []string) []span {
	n := len(keys)
	// reps[p][i] counts the consecutive keys, from key i on, that equal the key p positions later.
	reps := make([][]int32, maxPeriod+1)
	for p := minPeriod; p <= min(maxPeriod, n/2); p++ {
		reps[p] = make([]int32, n+1)
		for i := n - p - 1; i >= 0; i-- {
			if keys[i] != "" && keys[i] == keys[i+p] {
				reps[p][i] = reps[p][i+1] + 1
			}
		}
	}
	var out []span
	for i := 0; i < n; {
		best := span{i, 1, 1, false}
		saved := minSavings - 1
		for p := minPeriod; p <= min(maxPeriod, n/2); p++ {
			if s := int(reps[p][i]) / p * p; s > saved {
				best, saved = span{i, p, s/p + 1, false}, s
			}
		}
		out = append(out, best)
		i += best.period * best.count
	}
	return out
}

// spans divides a list of steps. Each step with nested lists is a separate span.
func (s *stepsFile) spans(steps []plan.Step) []span {
	keys := make([]string, len(steps))
	for i, st := range steps {
		keys[i] = s.key(st, s.index[st])
	}
	return s.segments(steps, spans(keys))
}

// key describes a step except for the places of its buffers.
func (s *stepsFile) key(st plan.Step, at int) string {
	if len(s.first[at]) > 0 || plan.Queues(st) {
		return ""
	}
	if t, ok := st.(plan.Transfer); ok {
		st = t.Call()
	}
	if l, ok := st.(*plan.Par); ok {
		key := fmt.Sprintf("par %v %d %v %d %v %v;", l.Total, l.Grain, l.Most, l.Least, l.Wrap, l.Work)
		for _, b := range l.Body {
			k := s.key(b, -1)
			if k == "" {
				return ""
			}
			key += k + "\n"
		}
		return key
	}
	var b strings.Builder
	view := func(v plan.View) {
		root := v.Buf.Root()
		off := v.Buf.ByteOffset()
		if v.Off != nil {
			off = off.Add(v.Off.MulInt(v.Buf.DType.Size()))
		}
		_, text := s.e.data.index[root.Const]
		switch {
		case root.Place == plan.Worker:
			fmt.Fprintf(&b, "%v own %v %v;", v.Buf.DType, v.Len, off.Add(s.sig.layout.OwnAt[root]))
		case root.Place == plan.Arena && s.sig.layout.Static, root.Place == plan.Constant && !text, root.Place == plan.Kept && root.Object == nil:
			if _, ok := off.IsInt(); ok {
				fmt.Fprintf(&b, "%v %v %v;", v.Buf.DType, root.Place, v.Len)
				return
			}
			fmt.Fprintf(&b, "%v %v %v+%v;", v.Buf.DType, root.Place, v.Len, off)
		case root.Place == plan.Arena:
			fmt.Fprintf(&b, "%v %v %v+%v;", v.Buf.DType, root.Place, v.Len, off)
		default:
			fmt.Fprintf(&b, "%v %%%d %v+%v;", v.Buf.DType, root.ID, v.Len, off)
		}
	}
	switch st := st.(type) {
	case *plan.Scalar:
		fmt.Fprintf(&b, "scalar %v %v", st.Program, st.Sizes)
		st.Views(view)
	case *plan.Copy:
		b.WriteString("copy ")
		view(st.Dst)
		view(st.Src)
	case *plan.Call:
		path, name, err := st.Symbol()
		if err != nil || len(st.Rets) > 0 {
			return ""
		}
		fmt.Fprintf(&b, "%s.%s ", path, name)
		for _, a := range st.Args {
			switch a := a.(type) {
			case plan.View:
				view(a)
			case plan.Int:
				fmt.Fprintf(&b, "%v;", a.X)
			case plan.Ints:
				fmt.Fprintf(&b, "%v;", a.X)
			case plan.Value:
				fmt.Fprintf(&b, "%#v;", a.V)
			case plan.Context:
				b.WriteString("context;")
			case plan.Budget:
				b.WriteString("budget;")
			case plan.Files:
				b.WriteString("files;")
			case plan.Exchange:
				b.WriteString("exchange;")
			case plan.Struct:
				fmt.Fprintf(&b, "%#v", a.V)
				for _, f := range slices.Sorted(maps.Keys(a.Fields)) {
					fmt.Fprintf(&b, " %s=%v", f, a.Fields[f])
				}
				for _, o := range a.Operands {
					fmt.Fprintf(&b, " %s=", o.Field)
					view(o.View)
				}
				b.WriteByte(';')
			default:
				return ""
			}
		}
	}
	return b.String()
}

// table holds the places of the buffers that an outlined function uses. The first pass collects the
// places, one row for each repetition. The second pass emits them as elements t[column] of a row.
type table struct {
	collect bool
	row     []int
	column  []int       // the column of each place, in the order in which places are emitted
	fixed   map[int]int // places that are equal in all rows
	next    int
}

// place returns an expression for a number that can differ between repetitions.
func (p *printer) place(n int) *jen.Statement {
	t := p.table
	switch {
	case t == nil:
		return jen.Lit(n)
	case t.collect:
		t.row = append(t.row, n)
		return jen.Lit(n)
	}
	k := t.next
	t.next++
	if n, ok := t.fixed[k]; ok {
		return jen.Lit(n)
	}
	return p.local("t").Index(jen.Lit(t.column[k]))
}

// outline emits a function for the repetitions of sp, and a table with one row for each repetition.
// It returns the loop that calls the function. The slice steps begins with the first step of sp.
func (s *funcBody) outline(steps []plan.Step, sp span) ([]jen.Code, error) {
	s.errs = true
	name, first := fmt.Sprintf("%sBlock%d", s.sig.prefix, s.outlined), s.index[steps[0]]
	s.outlined++
	rows := make([][]int, sp.count)
	for r := range rows {
		t := &table{collect: true}
		b := s.newBody(t, s.inTask)
		b.collects = true
		for i := range sp.period {
			if _, err := b.step(steps[r*sp.period+i], first+r*sp.period+i); err != nil {
				return nil, err
			}
		}
		rows[r] = t.row
	}
	t := &table{fixed: map[int]int{}, column: make([]int, len(rows[0]))}
	var columns [][]int
	seen := map[string]int{}
	for k := range rows[0] {
		col := make([]int, len(rows))
		same := true
		for r := range rows {
			col[r] = rows[r][k]
			same = same && col[r] == col[0]
		}
		if same {
			t.fixed[k] = col[0]
			continue
		}
		id, ok := seen[fmt.Sprint(col)]
		if !ok {
			id = len(columns)
			seen[fmt.Sprint(col)] = id
			columns = append(columns, col)
		}
		t.column[k] = id
	}
	b := s.newBody(t, s.inTask)
	b.offset = first
	var body []jen.Code
	for i := range sp.period {
		code, err := b.step(steps[i], first+i)
		if err != nil {
			return nil, err
		}
		body = append(body, code...)
	}
	var lines []jen.Code
	for r := range rows {
		var vs []jen.Code
		for _, c := range columns {
			vs = append(vs, jen.Lit(c[r]))
		}
		lines = append(lines, jen.Values(vs...))
	}
	rowType := jen.Index(jen.Lit(len(columns))).Int()
	params := []jen.Code{jen.Id("s").Op("*").Id(s.sig.prefix + "State"), jen.Id("step").Int(), jen.Id("t").Op("*").Add(rowType)}
	s.funcs = append(s.funcs, s.takeLoops()...)
	s.funcs = append(s.funcs, jen.Comment(fmt.Sprintf("// %s runs %d steps that repeat %d times; names are those of the first repetition.", name, sp.period, sp.count)).Line().
		Add(b.functionOf(name, params, body)).Line().Line().
		Comment(fmt.Sprintf("// %sAt holds the places of the buffers of %s in each repetition.", name, name)).Line().
		Var().Id(name+"At").Op("=").Index(jen.Op("...")).Add(rowType.Clone()).Add(multi(lines)).Line())
	call := jen.Id(name).Call(jen.Id("s"), jen.Lit(first).Op("+").Id("i").Op("*").Lit(sp.period), jen.Op("&").Id(name+"At").Index(jen.Id("i")))
	inner := []jen.Code{jen.If(jen.Err().Op("=").Id("s").Dot("Canceled").Call(), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))}
	if b.fails() {
		inner = append(inner, jen.If(jen.Err().Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err())))
	} else {
		inner = append(inner, call)
	}
	return []jen.Code{jen.For(jen.Id("i").Op(":=").Range().Id(name + "At")).Block(inner...)}, nil
}
