package plan

import (
	"fmt"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/names"
)

// Binds returns the names of the sizes to which a step gives values. Steps nested in the step do
// not count.
func Binds(st Step) []string {
	switch st := st.(type) {
	case *Call:
		return st.Rets
	case *Let:
		return st.Names
	}
	return nil
}

// SizeNames returns readable names for the sizes of the plan and its parts. In the returned map,
// the key is the symbol of a size. A dimension of a feed is named after the feed's key, or after
// the fed tensor if the feed has no key.
func (p *Plan) SizeNames() map[string]string {
	var all []names.Size
	plans := append([]*Plan{p}, p.Parts...)
	for _, q := range plans {
		for _, d := range q.Dims {
			s := names.Size{Symbol: d.Name, Of: strings.TrimPrefix(d.Name, NamedDim)}
			if strings.HasPrefix(d.Name, FedDim) {
				f := q.Feeds[d.Feed]
				s.Of, s.Suffix = strings.TrimSuffix(f.Name, ":0"), fmt.Sprintf("Dim%d", d.Axis)
				if f.Key != "" { // the key is the name that callers use
					s.Of = f.Key
				}
			}
			all = append(all, s)
		}
	}
	for _, q := range plans {
		Walk(q.Steps, func(_ int, st Step) {
			node, _ := NodeOf(st)
			for _, symbol := range Binds(st) {
				all = append(all, q.found(symbol, node))
			}
		})
	}
	return names.Sizes(all)
}

// found returns a description of a size whose value a node determines at run time. The name of the
// size is made from this description. The parameter symbol consists of a letter for the kind of
// size, an underscore, the node's name as an identifier, and a suffix that distinguishes the sizes
// of one node; see ir.Graph.FreshSymbol.
func (p *Plan) found(symbol, node string) names.Size {
	_, rest, ok := strings.Cut(symbol, "_")
	if !ok {
		rest = symbol
	}
	if suffix, ok := strings.CutPrefix(rest, ir.Ident(node)); ok && node != "" {
		return names.Size{Symbol: symbol, Of: p.Names.Short(node), Suffix: names.Words(suffix), Found: true}
	}
	return names.Size{Symbol: symbol, Of: strings.ReplaceAll(rest, "_", "/"), Found: true}
}

// NamedSizes replaces the symbols of sizes in an expression by their names.
func NamedSizes(x *sym.Expr, names map[string]string) *sym.Expr {
	in := map[string]bool{}
	x.Vars(in)
	by := map[string]*sym.Expr{}
	for symbol := range in {
		if name := names[symbol]; name != "" {
			by[symbol] = sym.Var(name)
		}
	}
	return x.Subst(by)
}

// InBatch reports whether a tensor of the given shape has elements for each item of the plan's
// batch; see Plan.Batch. It returns false if the plan has no batch.
func (p *Plan) InBatch(shape []*sym.Expr) bool {
	set := map[string]bool{}
	if len(shape) > 0 {
		shape[0].Vars(set)
	}
	return p.Batch != "" && set[p.Batch]
}
