package codegen

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// nameSizes names the sizes of a signature, all parts together: they are fields of structs, and comments speak of them.
func nameSizes(s *signature) {
	s.sizes = s.plan.SizeNames()
	for _, q := range s.parts {
		q.sizes = s.sizes
	}
}

// field is the field of a size.
func (s *signature) field(symbol string) string {
	if name := s.sizes[symbol]; name != "" {
		return name
	}
	return symbol
}

// text is an expression of sizes as comments have it.
func (s *signature) text(x *sym.Expr) string { return plan.NamedSizes(x, s.sizes).Key() }

// typeText formats a type and a shape for comments.
func (s *signature) typeText(d tensor.DType, shape []*sym.Expr) string {
	return plan.TypeText(d, shape, s.text)
}
