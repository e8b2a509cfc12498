package plan

import (
	"github.com/graphc/graphc/ir/sym"
)

// step appends a step to the innermost list being read.
func (p *reader) step(s Step) {
	if len(p.open) == 0 {
		p.plan.Steps = append(p.plan.Steps, s)
		return
	}
	switch o := p.open[len(p.open)-1].(type) {
	case *Par:
		o.Body = append(o.Body, s)
	case *Loop:
		o.Body = append(o.Body, s)
	case *Tasks:
		if len(o.Tasks) == 0 {
			p.fail("a step before the first task")
			return
		}
		t := &o.Tasks[len(o.Tasks)-1]
		t.Steps = append(t.Steps, s)
	case *If:
		if p.other[o] {
			o.Else = append(o.Else, s)
		} else {
			o.Then = append(o.Then, s)
		}
	}
}

// begin appends a step that has lists. Its nested steps are in the lines that follow.
func (p *reader) begin(s Step) {
	if len(p.open) > 0 {
		if _, ok := p.open[len(p.open)-1].(*Par); ok {
			p.fail("a %s within a loop over chunks", verbOf(s))
			return
		}
		if len(p.open) == maxDepth {
			p.fail("steps are nested more than %d deep", maxDepth)
			return
		}
	}
	p.step(s)
	p.open = append(p.open, s)
}

// maxDepth limits the nesting of steps.
const maxDepth = 1000

func verbOf(s Step) string {
	switch s.(type) {
	case *If:
		return "if"
	case *Loop:
		return "loop"
	case *Tasks:
		return "tasks"
	}
	return "par"
}

// flow reads lines that begin with the given verb: lines of transfers, conditionals and loops, and
// of steps that only conditionals and loops contain. It returns false if the verb is none of these.
func (p *reader) flow(verb string) bool {
	switch verb {
	case "if", "unless":
		p.begin(&If{Node: p.quoted(), Op: p.op(), Neg: verb == "unless", Cond: p.view()})
	case "else":
		if len(p.open) > 0 {
			if c, ok := p.open[len(p.open)-1].(*If); ok && !p.other[c] {
				p.other[c] = true
				return true
			}
		}
		p.fail("else without an if")
	case "loop":
		p.begin(&Loop{Node: p.quoted(), Op: p.op()})
	case "tasks":
		t := &Tasks{Node: p.quoted(), Op: p.op()}
		p.want("work")
		t.Work = p.int()
		p.begin(t)
	case "task":
		p.task()
	case "end":
		if len(p.open) == 0 {
			p.fail("unexpected end")
			return true
		}
		p.open = p.open[:len(p.open)-1]
	case "break":
		b := &Break{Node: p.quoted(), Op: p.op()}
		if b.Neg = p.eat("unless "); !b.Neg {
			p.want("if ")
		}
		b.Cond = p.view()
		p.step(b)
	case "let":
		l := &Let{Node: p.quoted(), Op: p.op()}
		for p.err == nil {
			l.Names = append(l.Names, p.word())
			p.want("=")
			l.X = append(l.X, p.expr(","))
			if !p.eat(",") {
				break
			}
		}
		p.step(l)
	case "room":
		p.step(&Room{Node: p.quoted(), Op: p.op(), Buf: p.mentioned()})
	case "object":
		b := p.mentioned()
		c := &Call{}
		p.function(c)
		if b.Object != nil {
			p.fail("the object is declared twice")
		}
		b.Object = &Object{New: c.Fn, Args: c.Args}
		if p.eat("checkpoint") {
			b.Object.Checkpoint = p.quoted()
		}
		if p.eat("slice") {
			b.Object.Slice = p.quoted()
		}
		if p.eat("values") {
			b.Object.Values = p.quoted()
		}
	default:
		return p.transfer(verb)
	}
	return true
}

// task reads the first line of a task, which belongs to the innermost Tasks.
func (p *reader) task() {
	var in *Tasks
	if len(p.open) > 0 {
		in, _ = p.open[len(p.open)-1].(*Tasks)
	}
	if in == nil {
		p.fail("a task outside of tasks")
		return
	}
	p.want("work")
	t := Task{Work: p.int()}
	if p.eat("after") {
		for p.skip(); p.err == nil && p.s != ""; p.skip() {
			t.After = append(t.After, p.int())
		}
	}
	in.Tasks = append(in.Tasks, t)
}

// mentioned reads a buffer in the form %n. It fails if there is no such buffer, but never returns
// nil.
func (p *reader) mentioned() *Buf {
	if b := p.buf(); b != nil {
		return b
	}
	p.fail("expected a buffer")
	return &Buf{Len: sym.Zero}
}
