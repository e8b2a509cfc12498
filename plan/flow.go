package plan

import "github.com/graphc/graphc/ir/sym"

// If runs Then where Cond's element is true, or false with Neg, and Else where
// it is not. What the steps of one list write, only steps read that run under
// the same condition, but for buffers that both lists write.
type If struct {
	Node, Op   string
	Cond       View // one bool, read
	Neg        bool
	Then, Else []Step
}

// Loop runs Body again and again until a Break of it, or of an If in it, ends it.
// The context is looked at before each iteration. Sizes that Body binds are bound
// anew in each iteration and keep their last value after the loop.
//
// What the body's steps leave in a buffer, the next iteration finds there: a
// buffer whose first use in the body reads it, or that is used outside of the
// loop as well, is the loop's from before it to its end.
type Loop struct {
	Node, Op string
	Body     []Step
}

// Break ends the innermost Loop where Cond's element is true, or false with Neg.
type Break struct {
	Node, Op string
	Cond     View // one bool, read
	Neg      bool
}

// Let binds sizes: all expressions are computed before the first name is bound.
// Other than a call, several steps may bind one name: it has the value of the
// one that ran last.
type Let struct {
	Node, Op string
	Names    []string
	X        []*sym.Expr
}

// Room gives a buffer outside of the arena room for its Len elements as the
// sizes are now. What it held may be gone. A buffer with Rooms has no other room
// than what they give; any other buffer is given room before its first use.
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

// Views implements Step: there are none.
func (s *Let) Views(func(View)) {}

// Views implements Step: there are none.
func (s *Room) Views(func(View)) {}
