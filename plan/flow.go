package plan

import "github.com/graphc/graphc/ir/sym"

// If runs Then if Cond's element is true (false with Neg), otherwise Else. Only steps that run
// under the same condition read what one list writes, except for buffers that both lists write.
type If struct {
	Node, Op   string
	Cond       View // one bool, read
	Neg        bool
	Then, Else []Step
}

// Loop runs Body repeatedly until a Break in it, or in an If in it, ends the loop. Each iteration
// first checks the context. Sizes that Body binds are bound again in each iteration and keep their
// last value after the loop.
//
// Buffers keep their contents from one iteration to the next. A buffer belongs to the loop from
// before it to its end in two cases: its first use in the body is a read, or steps outside the loop
// also use it.
type Loop struct {
	Node, Op string
	Body     []Step
}

// Break ends the innermost Loop if Cond's element is true (false with Neg).
type Break struct {
	Node, Op string
	Cond     View // one bool, read
	Neg      bool
}

// Let binds sizes. All expressions are computed before the first name is bound. Several Lets may
// bind one name, which then has the value of the last one that ran.
type Let struct {
	Node, Op string
	Names    []string
	X        []*sym.Expr
}

// Room makes room for the Len elements of a buffer outside the arena, with the current sizes. The
// old contents may be lost. A buffer with Rooms gets its storage from them alone; any other buffer
// gets it before its first use.
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
