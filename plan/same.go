package plan

import "fmt"

// Same is the type of the field Plan.Same. It identifies another plan that computes the same
// results as this plan, and maps this plan's feeds, fetches and sizes to those of the other plan.
type Same struct {
	Plan           *Plan
	Feeds, Fetches []int             // for each feed and each fetch of this plan, its index in Plan
	Sizes          map[string]string // maps the names of this plan's Dims to those in Plan
}

// CheckSame returns an error unless p.Same maps the plan's feeds, fetches and sizes one-to-one to
// those of the other plan.
func (p *Plan) CheckSame() error {
	s := p.Same
	if s == nil {
		return nil
	}
	if !permutation(s.Feeds, len(p.Feeds), len(s.Plan.Feeds)) || !permutation(s.Fetches, len(p.Fetches), len(s.Plan.Fetches)) {
		return fmt.Errorf("plan: feeds %v and fetches %v are not a permutation of those of %q", s.Feeds, s.Fetches, s.Plan.Name)
	}
	for i, j := range s.Feeds {
		if a, b := p.Feeds[i], s.Plan.Feeds[j]; a.DType != b.DType || len(a.Shape) != len(b.Shape) {
			return fmt.Errorf("plan: feed %q is not like %q of %q", a.Name, b.Name, s.Plan.Name)
		}
	}
	for i, j := range s.Fetches {
		if a, b := p.Fetches[i], s.Plan.Fetches[j]; a.DType != b.DType || len(a.Shape) != len(b.Shape) {
			return fmt.Errorf("plan: fetch %q is not like %q of %q", a.Name, b.Name, s.Plan.Name)
		}
	}
	there := map[string]bool{}
	for _, d := range s.Plan.Dims {
		there[d.Name] = true
	}
	for _, d := range p.Dims {
		if !there[s.Sizes[d.Name]] {
			return fmt.Errorf("plan: the size %s has no counterpart in %q", d.Name, s.Plan.Name)
		}
		delete(there, s.Sizes[d.Name])
	}
	if len(there) > 0 {
		return fmt.Errorf("plan: %d sizes of %q have no counterpart", len(there), s.Plan.Name)
	}
	return nil
}

// permutation reports whether ns contains each of the numbers 0, …, n-1 exactly once, and n = m.
func permutation(ns []int, n, m int) bool {
	seen := make([]bool, n)
	for _, i := range ns {
		if i < 0 || i >= n || seen[i] {
			return false
		}
		seen[i] = true
	}
	return len(ns) == n && n == m
}
