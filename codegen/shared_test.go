package codegen

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sumPlan adds 1 to x, and returns sizes.
func sumPlan(name, x, y string, size *sym.Expr) *maker {
	m := newPlan(name)
	in := m.feed(x+":0", x, tensor.Float32, size, three)
	m.feed(y+":0", y, tensor.Float32, size)
	a := m.buf("a:0", plan.Arena, tensor.Float32, size, three)
	m.call("a", "AddV2", kern.Add, w(a), r(in), r(m.constant("c", f32(1))))
	d := m.buf("d:0", plan.Arena, tensor.Int64, sym.Int(5))
	m.call("d", "Shape", kern.Dims, w(d), []*sym.Expr{size, sym.Int(7), sym.Int(7)}, kern.Mode(0), kern.Name("a"))
	m.fetch("a:0", "sum", a, size, three)
	m.fetch("d:0", "dims", d, sym.Int(5))
	return m
}

// turned returns plan p with its feeds and fetches in the opposite order, and with other keys. The
// second parameter is the plan whose code the result shares.
func turned(p, of *plan.Plan, name string) *plan.Plan {
	p.Name = name
	n := len(p.Feeds)
	p.Same = &plan.Same{Plan: of, Sizes: map[string]string{}}
	feeds, fetches := make([]plan.Feed, n), make([]plan.Fetch, len(p.Fetches))
	var ranks []int
	for i := range feeds {
		j := n - 1 - i
		feeds[i] = p.Feeds[j]
		feeds[i].Key = "other_" + feeds[i].Key
		p.Same.Feeds = append(p.Same.Feeds, j)
		if p.Ranks != nil {
			ranks = append(ranks, p.Ranks[j])
		}
	}
	for i := range fetches {
		j := len(fetches) - 1 - i
		fetches[i] = p.Fetches[j]
		fetches[i].Key = "other_" + fetches[i].Key
		p.Same.Fetches = append(p.Same.Fetches, j)
	}
	for i, d := range p.Dims {
		p.Dims[i].Feed = n - 1 - d.Feed
		p.Same.Sizes[d.Name] = d.Name
	}
	p.Feeds, p.Fetches, p.Ranks = feeds, fetches, ranks
	return p
}

// sharedPlans returns signatures that use the code of another signature: one with the same fields,
// one with other fields in another order, and one for several ranks.
func sharedPlans() []*plan.Plan {
	of := sumPlan("predict", "x", "y", sym.Var("d_x_0")).p
	again := sumPlan("again", "x", "y", sym.Var(plan.NamedDim+"rows")).p
	again.Feeds[0].Name, again.Feeds[1].Name = "again_x:0", "again_y:0"
	again.Same = &plan.Same{Plan: of, Feeds: []int{0, 1}, Fetches: []int{0, 1}, Sizes: map[string]string{plan.NamedDim + "rows": "d_x_0"}}
	plans := []*plan.Plan{again, of, turned(sumPlan("", "x", "y", sym.Var("d_x_0")).p, of, "turned")}
	ranks, others := ranksPlans(), ranksPlans()
	for i, p := range others {
		plans = append(plans, turned(p, ranks[i], "turned_ranks"))
	}
	return append(plans, ranks...)
}

// TestSharedCode checks that code that several signatures share is emitted only once.
func TestSharedCode(t *testing.T) {
	files := emit(t, &Package{Name: "shared", Plans: sharedPlans()})
	var all strings.Builder
	for name, b := range files {
		if strings.HasSuffix(name, ".go") {
			all.Write(b)
		}
		if strings.Contains(name, "turned") || strings.Contains(name, "again") {
			t.Errorf("there is a file %s", name)
		}
	}
	for text, want := range map[string]int{"kern.Add(": 4, "rt.Pool[": 4, "= rt.Code[": 4, "= rt.Signature{": 3 + 2 + 2*3, "\tcase \"": 5} {
		if got := strings.Count(all.String(), text); got != want {
			t.Errorf("%s stands %d times, want %d", text, got, want)
		}
	}
	alone := sharedPlans()[0] // the plan whose code this one would share is not emitted
	if !strings.Contains(string(emit(t, &Package{Name: "alone", Plans: []*plan.Plan{alone}})["alone_again.gen.go"]), "kern.Add(") {
		t.Error("a signature without the one that it is the same as has no code")
	}
	for what, damage := range map[string]func(*plan.Same){
		"feeds":   func(s *plan.Same) { s.Feeds[0] = 1 },
		"fetches": func(s *plan.Same) { s.Fetches = s.Fetches[:1] },
		"sizes":   func(s *plan.Same) { clear(s.Sizes) },
		"types":   func(s *plan.Same) { s.Fetches[0], s.Fetches[1] = 1, 0 },
	} {
		plans := sharedPlans()
		damage(plans[0].Same)
		if _, err := Emit(&Package{Name: "wrong", Plans: plans}); err == nil {
			t.Errorf("wrong %s are printed", what)
		}
	}
	chain := sharedPlans()
	chain[2].Same.Plan = chain[0]
	if _, err := Emit(&Package{Name: "chain", Plans: chain}); err == nil || !strings.Contains(err.Error(), "which has no code itself") {
		t.Error(err)
	}
}
