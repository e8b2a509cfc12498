package codegen

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// nameSizes names the sizes of a signature and all its parts. The names are those of struct fields,
// and appear in comments.
func nameSizes(s *signature) {
	s.sizes = s.plan.SizeNames()
	for _, q := range s.parts {
		q.sizes = s.sizes
	}
}

// field returns the name of the struct field that holds a size.
func (s *signature) field(symbol string) string {
	if name := s.sizes[symbol]; name != "" {
		return name
	}
	return symbol
}

// text returns an expression of sizes as comments show it.
func (s *signature) text(x *sym.Expr) string { return plan.NamedSizes(x, s.sizes).Key() }

// typeText formats a type and a shape for comments.
func (s *signature) typeText(d tensor.DType, shape []*sym.Expr) string {
	return plan.TypeText(d, shape, s.text)
}
