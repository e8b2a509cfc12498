package pipeline

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
)

// Same refers to another signature of the program that computes the same results from the same
// feeds. The order of the feeds and fetches may differ.
type Same struct {
	Of             *Signature
	Feeds, Fetches []int // for each feed and fetch of this signature: the index of the equal one in Of
}

// LeftOut is a signature of the model that is not part of the program, because another signature
// computes the same results. The field Name is the name of the former signature, and Same is the
// name of the latter.
type LeftOut struct{ Name, Same string }

// kerasServe and kerasDefault are the names of the two equal signatures that Keras exports.
// TensorFlow's tools use the signature called kerasDefault.
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
		if k < 0 { // kerasDefault is not in the program, because it does not compile
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

// sameAs reports whether signature s computes the same results as signature t. The condition is that
// each variant of s equals a variant of t whose feeds have the same ranks. If this is so, sameAs
// records the relation in s.Same. Signatures for partial runs never share code, because the parts of
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

// sameAs returns a description of how the feeds, fetches and sizes of variant v correspond to those
// of w. It returns nil if the two variants do not compute the same results.
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

// sameState reports whether the two nodes of each pair in m use the same variables, tables and
// states of random number generators. The plan p is that of the first graph that was matched, and q
// that of the second. State is compared by name, because nodes with state of different names have
// separate state.
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

// kept maps the name of each node that has state to the sorted names of its state.
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
