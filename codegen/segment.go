package codegen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// Calls that only append to the queue of a device are emitted in separate functions. Adjacent calls
// of this kind form a segment, which is recorded once and then replayed.

// segments joins the recorded steps of each segment into one span. The copies between host and
// device that are in the segment are also part of the span.
func (s *stepsFile) segments(steps []plan.Step, all []span) []span {
	var out []span
	of := s.sig.plan.Segments(steps)
	for _, sp := range all {
		k := of[sp.start]
		sp.recorded = k >= 0 // each recorded step is a separate span: see key
		if n := len(out); n > 0 && sp.recorded && of[out[n-1].start] == k {
			out[n-1].period++
		} else {
			out = append(out, sp)
		}
	}
	return out
}

// segment emits functions for recorded steps, and returns the code that records and replays them.
// The host executes its part of a copy to the device before the replay, and its part of a copy from
// the device after it.
func (s *funcBody) segment(steps []plan.Step) ([]jen.Code, error) {
	k := s.sig.segments
	s.sig.segments++
	first := s.index[steps[0]]
	text := fmt.Sprintf("// Segment %d: %s", k, s.sig.nodeOf(steps[0]))
	if n := len(steps); n > 1 {
		text += fmt.Sprintf(" to %s, %d steps", s.sig.nodeOf(steps[n-1]), n)
	}
	numbers, feeds, fetches, err := s.hostSides(steps)
	if err != nil {
		return nil, err
	}
	var record []jen.Code
	fixed := s.fixedSegment(steps)
	uses := plan.Holds(steps, s.sig.devVars)
	s.sig.holds = append(s.sig.holds, uses)
	for part := 0; len(steps) > 0; part++ {
		n := min(blockSize, len(steps))
		name := fmt.Sprintf("%sSegment%d", s.sig.prefix, k)
		if part > 0 {
			name += fmt.Sprintf("Part%d", part)
		}
		b := s.newBody(nil, s.inTask)
		var body []jen.Code
		for _, st := range steps[:n] {
			code, err := b.recorded(st, numbers[st])
			if err != nil {
				return nil, err
			}
			body = append(body, code...)
		}
		s.funcs = append(s.funcs, jen.Comment(fmt.Sprintf("// %s records a part of segment %d.", name, k)).Line().
			Add(b.functionOf(name, []jen.Code{jen.Id("s").Op("*").Id(s.sig.prefix + "State")}, body)))
		record = append(record, jen.Id(name).Call(jen.Id("s")))
		steps = steps[n:]
	}
	s.errs = true
	if fixed && !s.inTask {
		s.sig.recorded = append(s.sig.recorded, jen.Id("s").Dot("X").Dot("Work").Dot("Queue").Dot("Begin").Call(jen.Lit(k), jen.True()))
		s.sig.recorded = append(s.sig.recorded, record...)
	}
	do := func(call *jen.Statement) jen.Code {
		return jen.If(jen.Err().Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))
	}
	code := []jen.Code{jen.Comment(text), s.under(first)}
	end := s.queue().Dot("End").Call()
	if len(uses) > 0 {
		code = append(code, do(s.local("g").Dot("Hold").Call(jen.Lit(k))))
		end = s.local("g").Dot("Release").Call()
	}
	code = append(code, jen.If(s.queue().Dot("Begin").Call(jen.Lit(k), jen.Lit(fixed))).Block(record...))
	code = append(code, feeds...)
	return append(append(code, do(end)), fetches...), nil
}

// hostSides numbers the copies between host and device among the steps of a segment. It returns the
// parts of these copies that the host executes: the code in feeds must run before the segment, and
// the code in fetches after it.
func (s *funcBody) hostSides(steps []plan.Step) (numbers map[plan.Step]int, feeds, fetches []jen.Code, err error) {
	numbers = map[plan.Step]int{}
	for _, st := range steps {
		number := jen.Lit(s.sig.copies)
		var host *jen.Statement
		switch st := st.(type) {
		case *plan.Put:
			host, err = s.view(st.Src)
			feeds = append(feeds, s.queue().Dot("Feed").Call(number, host))
		case *plan.Get:
			host, err = s.view(st.Dst)
			fetches = append(fetches, s.begin(st.Node, st.Op, nil, s.index[st])...)
			fetches = append(fetches, s.results(st.Call(), s.queue().Dot("Fetch").Call(number, host))...)
		default:
			continue
		}
		if err != nil {
			return nil, nil, nil, err
		}
		numbers[st] = s.sig.copies
		s.sig.copies++
	}
	return numbers, feeds, fetches, nil
}

// recorded returns the code for a step in the function that records a segment. If the step is a
// copy between host and device, k is the number of the copy, and the code is the part that the
// device executes.
func (s *funcBody) recorded(st plan.Step, k int) ([]jen.Code, error) {
	i := s.index[st]
	switch st := st.(type) {
	case *plan.Put:
		code := s.begin(st.Node, st.Op, nil, i)
		return s.deviceSide(code, st, "Upload", k, st.Dst, st.Src.Len)
	case *plan.Get:
		code := []jen.Code{jen.Comment(fmt.Sprintf("// %s", s.sig.nodeOf(st))), s.under(i)}
		return s.deviceSide(code, st, "Download", k, st.Src, st.Dst.Len)
	}
	return s.step(st, i)
}

// deviceSide appends two calls to code. They record the part of copy k that the device executes.
// The copy is to or from the view v, and has the given number of bytes. The parameter method is the
// name of the queue's method.
func (s *funcBody) deviceSide(code []jen.Code, st plan.Transfer, method string, k int, v plan.View, bytes *sym.Expr) ([]jen.Code, error) {
	at, err := s.view(v)
	if err != nil {
		return nil, err
	}
	name, op := plan.NodeOf(st)
	return append(code, s.queue().Dot("At").Call(jen.Lit(s.sig.short(name)), jen.Lit(op)), s.queue().Dot(method).Call(jen.Lit(k), at, s.expr(bytes))), nil
}

// nodeOf returns the node and op of a recorded step, for comments.
func (s *signature) nodeOf(st plan.Step) string {
	name, op := plan.NodeOf(st)
	return fmt.Sprintf("%s %s", s.node(name), plain(op))
}

// fixedSegment reports whether recorded steps are the same in each run with the same sizes of the
// feeds.
func (s *stepsFile) fixedSegment(steps []plan.Step) bool {
	return !slices.ContainsFunc(steps, func(st plan.Step) bool { return !s.sig.plan.Fixed(st) })
}
