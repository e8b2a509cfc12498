package codegen

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// Signature describes a signature for its callers. The signature has one plan, or one plan for each
// allowed combination of the ranks of its feeds.
func Signature(plans []*plan.Plan) *rt.Signature {
	p := plans[0]
	s := &rt.Signature{Name: p.Name, Method: p.Method}
	if s.Method == "" {
		s.Method = methodName(p.Name)
	}
	in, out := scope{}, scope{}
	for _, f := range p.Feeds { // names that the caller chose have priority
		in[f.Field] = true
	}
	for _, f := range p.Fetches {
		out[f.Field] = true
	}
	for i, f := range p.Feeds {
		s.Feeds = append(s.Feeds, port(f.Name, f.Key, f.DType, field(in, f.Field, f.Key, f.Name, "Input"), plans, func(p *plan.Plan) ([]*sym.Expr, bool) {
			return p.Feeds[i].Shape, p.Feeds[i].AnyShape
		}))
		s.Feeds[i].Unused = unused(p, i)
	}
	for i, f := range p.Fetches {
		if _, ok := ir.Watched(f.Key); ok {
			continue // a watched tensor is not a result
		}
		s.Fetches = append(s.Fetches, port(f.Name, f.Key, f.DType, field(out, f.Field, f.Key, f.Name, "Output"), plans, func(p *plan.Plan) ([]*sym.Expr, bool) {
			return p.Fetches[i].Shape, p.Fetches[i].Rank != nil
		}))
	}
	if len(plans) > 1 {
		for _, p := range plans {
			s.Ranks = append(s.Ranks, p.Ranks)
		}
	}
	return s
}

// port describes a feed or fetch by the properties that all plans have in common. The function
// shape returns the shape in a plan, and whether the plan accepts any shape.
func port(name, key string, d tensor.DType, field string, plans []*plan.Plan, shape func(*plan.Plan) (dims []*sym.Expr, any bool)) rt.Port {
	p := rt.Port{Name: name, Key: key, DType: d, Field: field}
	var ranks []int
	var first []*sym.Expr
	for i, pl := range plans {
		dims, any := shape(pl)
		if any {
			p.AnyRank = true
			return p
		}
		if i == 0 {
			first = dims
		}
		ranks = append(ranks, len(dims))
	}
	slices.Sort(ranks)
	if ranks = slices.Compact(ranks); len(ranks) > 1 {
		p.AnyRank, p.Ranks = true, ranks
		return p
	}
	p.Shape = make([]int, len(first))
	for a, x := range first {
		text := plan.DimText(x)
		for _, pl := range plans[1:] {
			if dims, _ := shape(pl); plan.DimText(dims[a]) != text {
				text = "?"
			}
		}
		if n, ok := x.IsInt(); ok && text != "?" {
			p.Shape[a] = n
			continue
		}
		p.Shape[a] = -1
		if text != "?" {
			if p.Dims == nil {
				p.Dims = make([]string, len(first))
			}
			p.Dims[a] = text
		}
	}
	return p
}

// field chooses a field's name: the caller's choice, or one made from the key or the tensor's name.
func field(s scope, wanted, key, name, otherwise string) string {
	if wanted != "" {
		return wanted
	}
	base := exported(key, maxField)
	if base == "" {
		base = exported(name, maxField)
	}
	if base == "" {
		base = otherwise
	}
	return s.take(base, "")
}

// unused reports whether neither a step nor a size needs a feed.
func unused(p *plan.Plan, i int) bool {
	if p.Feeds[i].AnyShape {
		return true
	}
	return p.Feeds[i].Buf == nil && !slices.ContainsFunc(p.Dims, func(d plan.Dim) bool { return d.Feed == i })
}
