package codegen

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sizeNames are the names of a signature's sizes in its code and comments: fields of structs.
type sizeNames struct {
	names map[string]string    // by symbol
	exprs map[string]*sym.Expr // the same, as expressions
}

// nameSizes names the sizes of a signature, all parts together: one of a feed after the feed and its dimension, one
// that the caller has named by that name, one that a step finds after its node.
func nameSizes(s *signature) {
	n := &sizeNames{map[string]string{}, map[string]*sym.Expr{}}
	taken := scope{}
	take := func(symbol, base string) {
		if n.names[symbol] == "" {
			n.names[symbol] = taken.take(base, "")
			n.exprs[symbol] = sym.Var(n.names[symbol])
		}
	}
	all := append([]*signature{s}, s.parts...)
	for _, q := range all {
		for _, d := range q.plan.Dims {
			if strings.HasPrefix(d.Name, plan.FedDim) {
				feed := path.Base(strings.TrimSuffix(q.plan.Feeds[d.Feed].Name, ":0"))
				take(d.Name, fmt.Sprintf("%sDim%d", sizeName(feed), d.Axis))
			} else {
				take(d.Name, sizeName(strings.TrimPrefix(d.Name, plan.NamedDim)))
			}
		}
	}
	for _, q := range all {
		for _, b := range q.bound {
			// A letter for the kind of size, an underscore, and the node's name with underscores for slashes.
			_, node, ok := strings.Cut(b, "_")
			if !ok {
				node = b
			}
			take(b, sizeName(lastWords(node)))
		}
		q.sizes = n
	}
}

// maxSizeName bounds what is made of a node's name.
const maxSizeName = 28

// lastWords are the last words of an identifier that fit maxSizeName.
func lastWords(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '_' })
	n := 0
	for i, w := range slices.Backward(parts) {
		if n += len(w); n > maxSizeName {
			if i+1 == len(parts) {
				return w[:maxSizeName]
			}
			return strings.Join(parts[i+1:], "_")
		}
	}
	return s
}

// sizeName makes the field of a name: the name itself if that can be one, else its words.
func sizeName(name string) string {
	if token.IsIdentifier(name) && !strings.Contains(name, "_") && len(name) <= maxSizeName+len("Dim0") {
		return name
	}
	s := unexported(exported(name))
	if s == "" || token.IsKeyword(s) {
		s += "size"
	}
	return beginning(s, maxSizeName)
}

// field is the field of a size.
func (s *signature) field(symbol string) string {
	if s.sizes != nil {
		if name := s.sizes.names[symbol]; name != "" {
			return name
		}
	}
	return sizeName(symbol)
}

// text is an expression of sizes as comments have it.
func (s *signature) text(x *sym.Expr) string {
	if s.sizes != nil {
		x = x.Subst(s.sizes.exprs)
	}
	return x.Key()
}

// typeText formats a type and a shape for comments.
func (s *signature) typeText(d tensor.DType, shape []*sym.Expr) string {
	return plan.TypeText(d, shape, s.text)
}
