package plan

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Scalar is a step that computes a single element, such as a loop's counter or condition. It reads
// one element of each view in Src, and writes the result to the one element of Dst. Emitted code
// uses Go's arithmetic for the computation, and keeps the element in a variable if possible.
//
// The step reads all views in Src before it writes Dst, so Dst may share storage with any of them.
type Scalar struct {
	Node, Op string
	Dst      View   // written
	Src      []View // the inputs of the program, in order
	// Sizes are the program's integer arguments.
	Sizes []*sym.Expr
	// Program must be Exact: its results have the same bits as those of the host's kernels, and it
	// cannot fail.
	Program *scalar.Program
}

func (*Scalar) isStep() {}

// Views implements Step.
func (s *Scalar) Views(f func(View)) {
	f(s.Dst)
	for _, v := range s.Src {
		f(v)
	}
}

// mapped returns a copy of s. In the copy, every view v is replaced by f(v), and the slice Sizes is
// replaced by the result of the function named list.
func (s *Scalar) mapped(f func(View) View, list func([]*sym.Expr) []*sym.Expr) *Scalar {
	c := *s
	c.Dst, c.Src = f(s.Dst), make([]View, len(s.Src))
	for i, v := range s.Src {
		c.Src[i] = f(v)
	}
	if len(s.Sizes) > 0 {
		c.Sizes = list(s.Sizes)
	}
	return &c
}

// inPlace returns pairs of buffers that may share storage: the buffer of Dst, and the buffer of a
// view in Src that has the same element type as Dst.
func (s *Scalar) inPlace() [][2]*Buf {
	var out [][2]*Buf
	for _, v := range s.Src {
		if v.Buf.DType == s.Dst.Buf.DType {
			out = append(out, [2]*Buf{s.Dst.Buf, v.Buf})
		}
	}
	return out
}

// takes reports whether the step computes its output correctly even if its output (the buffer out)
// shares the storage of its operand (the buffer in).
func (s *Scalar) takes(out, in *Buf) bool {
	for _, pair := range s.inPlace() {
		if pair[0].Root() == out && pair[1].Root() == in && wholeBuf(pair[0]) && wholeBuf(pair[1]) {
			return true
		}
	}
	return false
}

// write writes the text of the step, which is one line.
func (s *Scalar) write(w *strings.Builder) {
	fmt.Fprintf(w, "scalar %q %s %q ", s.Node, opName(s.Op), programText(s.Program))
	if len(s.Sizes) > 0 {
		w.WriteString(exprs(s.Sizes) + " ")
	}
	w.WriteString(viewText(s.Dst))
	for _, v := range s.Src {
		w.WriteString(", " + viewText(v))
	}
	w.WriteByte('\n')
}

// The method scalar parses the line of a Scalar. The first word of the line has already been read.
func (p *reader) scalar() *Scalar {
	s := &Scalar{Node: p.quoted(), Op: p.op()}
	prog, err := scalar.Parse(p.quoted())
	if err != nil {
		p.fail("%v", err)
		return s
	}
	s.Program = prog
	if p.skip(); strings.HasPrefix(p.s, "[") {
		s.Sizes = p.exprs()
	}
	s.Dst = p.view()
	for p.err == nil && p.eat(",") {
		s.Src = append(s.Src, p.view())
	}
	return s
}

// The method scalar checks that the step is valid: its program is Exact and matches the views, and
// each view is a single element in host memory.
func (c *checker) scalar(s *Scalar) {
	if s.Program == nil || !s.Program.Exact() || len(s.Src) != len(s.Program.Ins) || len(s.Sizes) != s.Program.Args {
		c.errorf("the program is missing or inexact, or does not match %d elements and %d sizes", len(s.Src), len(s.Sizes))
		return
	}
	for _, e := range s.Sizes {
		c.expr(e)
	}
	ok := c.element(s.Dst, Write, s.Program.Outs[0].DType)
	for i, v := range s.Src {
		ok = c.element(v, Read, s.Program.Ins[i].DType) && ok
	}
	if ok {
		c.uses(s)
	}
}

// element checks that a view of a Scalar has mode m, and is one element of type d in host memory.
func (c *checker) element(v View, m Mode, d tensor.DType) bool {
	if !c.window(v) {
		return false
	}
	if v.Buf.DType != d || !v.Len.Is(1) || v.Mode != m {
		c.errorf("expected one %v with mode %s, got %s of type %v", d, modeNames[m], viewText(v), v.Buf.DType)
		return false
	}
	if v.Buf.Root().Place.OnDevice() {
		c.errorf("an element must be in host memory, but %s is in device memory", v.Buf.Name)
		return false
	}
	return true
}
