package pipeline

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
)

// Same says that a signature computes the same results from the same feeds as another signature of
// the program. The order of feeds and fetches may differ.
type Same struct {
	Of             *Signature
	Feeds, Fetches []int // for each feed and fetch, its index in Of
}

// LeftOut is a signature of the model that is not part of the program, because another one computes
// the same.
type LeftOut struct{ Name, Same string }

// kerasServe and kerasDefault are the names of the two equal signatures that Keras exports.
// TensorFlow's tools look for the second.
const (
	kerasServe   = "serve"
	kerasDefault = "serving_default"
)

// share finds signatures that compute the same results and makes them share code. If one of two
// such signatures is optional, it uses the code of the other. Otherwise the later one uses the code
// of the earlier one.
func (p *Program) share(o *Options, optional map[string]bool) {
	order := slices.Clone(p.Signatures)
	slices.SortStableFunc(order, func(s, t *Signature) int {
		switch {
		case optional[s.Name] == optional[t.Name]:
			return 0
		case optional[s.Name]:
			return 1
		}
		return -1
	})
	for i, s := range order {
		for _, t := range order[:i] {
			if t.Same == nil && s.sameAs(t, o) {
				break
			}
		}
	}
	p.Signatures = slices.DeleteFunc(slices.Clone(p.Signatures), func(s *Signature) bool {
		if !optional[s.Name] || s.Same == nil {
			return false
		}
		of, k := s.Same.Of, slices.IndexFunc(p.Signatures, func(s *Signature) bool { return s.Declared == kerasDefault })
		if k < 0 { // the signature kerasDefault does not compile
			return false
		}
		other := p.Signatures[k]
		if of != other && (other.Same == nil || other.Same.Of != of) {
			return false
		}
		p.LeftOut = append(p.LeftOut, LeftOut{s.Name, other.Name})
		return true
	})
}

// sameAs reports and records whether s computes the same as t: each variant of s must equal one of
// t for feeds of the same ranks. Signatures for partial runs never share code, since the parts of
// their plans refer to feeds and fetches by index.
func (s *Signature) sameAs(t *Signature, o *Options) bool {
	if s.Plan == nil || t.Plan == nil || s.Plan.Partial || t.Plan.Partial || len(s.Variants) != len(t.Variants) {
		return false
	}
	var first *plan.Same
	pairs := make([]*plan.Same, len(s.Variants))
	for i, v := range s.Variants {
		for _, w := range t.Variants {
			x := v.sameAs(w, o)
			if x != nil && (first == nil || slices.Equal(x.Feeds, first.Feeds) && slices.Equal(x.Fetches, first.Fetches)) {
				pairs[i] = x
				break
			}
		}
		if pairs[i] == nil {
			return false
		}
		if first == nil {
			first = pairs[i]
		}
	}
	for i, v := range s.Variants {
		v.Plan.Same = pairs[i]
	}
	s.Same = &Same{t, first.Feeds, first.Fetches}
	return true
}

// sameAs returns how variant v corresponds to w, or nil if they do not compute the same.
func (v *Variant) sameAs(w *Variant, o *Options) *plan.Same {
	p, q := v.Plan, w.Plan
	if len(p.Dims) != len(q.Dims) || len(p.Ranks) != len(q.Ranks) {
		return nil
	}
	m := ir.MatchOf(w.Graph, v.Graph, func(x, y *ir.Node) bool { return o.Methods[x.Name] == o.Methods[y.Name] })
	if m == nil || !sameState(m, q, p) {
		return nil
	}
	for i, r := range p.Ranks {
		if q.Ranks[m.Feeds[i]] != r {
			return nil
		}
	}
	for _, d := range p.Dims {
		if m.Sizes[d.Name] == "" {
			return nil
		}
	}
	return &plan.Same{Plan: q, Feeds: m.Feeds, Fetches: m.Fetches, Sizes: m.Sizes}
}

// sameState reports whether paired nodes use the same state: variables, tables and states of random
// numbers. p is the plan of the match's first graph, q that of its second. State is compared by
// name: nodes that are equal except for the names of their state have separate states.
func sameState(m *ir.Match, p, q *plan.Plan) bool {
	ours, theirs := kept(p), kept(q)
	n := 0
	for y, x := range m.Nodes {
		if !slices.Equal(ours[x.Name], theirs[y.Name]) {
			return false
		}
		if theirs[y.Name] != nil {
			n++
		}
	}
	return n == len(ours) && n == len(theirs)
}

// kept returns the names of the state that each node uses, by node.
func kept(p *plan.Plan) map[string][]string {
	by := map[string][]string{}
	for _, part := range p.Partitions() {
		for _, b := range part.Bufs {
			if b.Place == plan.Kept && b.Alias == nil && !slices.Contains(by[b.Keeper], b.Name) {
				by[b.Keeper] = append(by[b.Keeper], b.Name)
			}
		}
	}
	for _, names := range by {
		slices.Sort(names)
	}
	return by
}
