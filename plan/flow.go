package plan

import "github.com/graphc/graphc/ir/sym"

// If is a conditional step. It runs the steps in Then when the element of Cond is true, and the
// steps in Else when the element is false. With Neg, it is the other way round. A buffer that only
// one of the two lists writes may be read only by steps that run under the same condition. A buffer
// that both lists write may be read by all later steps.
type If struct {
	Node, Op   string
	Cond       View // one bool, read
	Neg        bool
	Then, Else []Step
}

// Loop runs Body repeatedly until a Break ends the loop. The Break is in Body or in an If in Body.
// Each iteration first checks the context. Sizes that Body binds are bound again in each iteration
// and keep their last value after the loop.
//
// Buffers keep their contents from one iteration to the next. A buffer is live during the whole
// loop in two cases: its first use in the body is a read, or steps outside of the loop also use it.
type Loop struct {
	Node, Op string
	Body     []Step
}

// Break ends the innermost Loop if the element of Cond is true. With Neg, it ends the loop if the
// element is false.
type Break struct {
	Node, Op string
	Cond     View // one bool, read
	Neg      bool
}

// Let binds sizes. It computes all expressions before it binds the first name. Several Lets may
// bind the same name. The name then has the value from the Let that ran last.
type Let struct {
	Node, Op string
	Names    []string
	X        []*sym.Expr
}

// Room allocates storage for a buffer outside the arena. The storage has space for Len elements,
// where Len is evaluated with the current sizes. The old contents may be lost. A buffer for which
// the plan has Room steps gets its storage only from those steps; any other buffer outside the
// arena gets its storage before its first use.
type Room struct {
	Node, Op string
	Buf      *Buf
}

func (*If) isStep()    {}
func (*Loop) isStep()  {}
func (*Break) isStep() {}
func (*Let) isStep()   {}
func (*Room) isStep()  {}

// Views implements Step: it calls f with the condition and the views of both lists.
func (s *If) Views(f func(View)) {
	f(s.Cond)
	for _, l := range [][]Step{s.Then, s.Else} {
		for _, t := range l {
			t.Views(f)
		}
	}
}

// Views implements Step: it calls f with the views of the whole body.
func (s *Loop) Views(f func(View)) {
	for _, t := range s.Body {
		t.Views(f)
	}
}

// Views implements Step.
func (s *Break) Views(f func(View)) { f(s.Cond) }

// Views implements Step. A Let has no views.
func (s *Let) Views(func(View)) {}

// Views implements Step. A Room has no views.
func (s *Room) Views(func(View)) {}
