package codegen

import (
	"github.com/dave/jennifer/jen"

	"github.com/graphc/graphc/plan"
)

func (s *funcBody) copyStep(c *plan.Copy, i int) ([]jen.Code, error) {
	outs := s.makes(c.Dst)
	if set, ok, err := s.moves(c); ok {
		return append(s.begin(c.Node, c.Op, outs, i), set...), err
	}
	dst, err := s.view(c.Dst)
	if err != nil {
		return nil, err
	}
	src, err := s.view(c.Src)
	if err != nil {
		return nil, err
	}
	code := s.begin(c.Node, c.Op, outs, i)
	if plan.Recorded(c) {
		return append(code, s.queue().Dot("At").Call(jen.Lit(s.sig.short(c.Node)), jen.Lit(c.Op)),
			s.queue().Dot("Move").Call(dst, src, s.checked(c.Dst.Len.MulInt(c.Dst.Buf.DType.Size())))), nil
	}
	return append(code, jen.Copy(dst, src)), nil
}

// moves returns the assignment for a copy of one element whose source or destination is a Go
// variable. It returns false for any other copy.
func (s *funcBody) moves(c *plan.Copy) ([]jen.Code, bool, error) {
	dst, src := s.vars.of(c.Dst), s.vars.of(c.Src)
	if !isElement(c.Dst) || !isElement(c.Src) || dst == nil && src == nil {
		return nil, false, nil
	}
	if dst == src {
		return nil, true, nil
	}
	x, err := s.element(c.Src)
	if err != nil {
		return nil, true, err
	}
	to, err := s.element(c.Dst)
	if err != nil {
		return nil, true, err
	}
	stored, err := s.store(c.Dst)
	return append([]jen.Code{s.target(to, c.Dst, c).Add(x)}, stored...), true, err
}
