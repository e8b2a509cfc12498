package plan

import "fmt"

// Same says which plan computes the same as the one that it is part of, and how the two correspond.
type Same struct {
	Plan           *Plan
	Feeds, Fetches []int             // for each feed and fetch, the number that it has in Plan
	Sizes          map[string]string // for the name of each of Dims, that in Plan
}

// CheckSame reports what is wrong with Same: each feed, fetch and size has one in the other plan, and no two have one in common.
func (p *Plan) CheckSame() error {
	s := p.Same
	if s == nil {
		return nil
	}
	if !permutation(s.Feeds, len(p.Feeds), len(s.Plan.Feeds)) || !permutation(s.Fetches, len(p.Fetches), len(s.Plan.Fetches)) {
		return fmt.Errorf("plan: feeds %v and fetches %v are not those of %q in some order", s.Feeds, s.Fetches, s.Plan.Name)
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
			return fmt.Errorf("plan: the size %s is none of %q", d.Name, s.Plan.Name)
		}
		delete(there, s.Sizes[d.Name])
	}
	if len(there) > 0 {
		return fmt.Errorf("plan: %d sizes of %q are not read", len(there), s.Plan.Name)
	}
	return nil
}

// permutation reports whether ns are the numbers below n, each once, and m is n.
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
