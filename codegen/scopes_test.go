package codegen

import (
	"testing"

	"github.com/graphc/graphc/plan"
)

// TestFirstDescribed: the table of scopes is where the first steps are, even if a part, a variant
// or a signature without code precedes them.
func TestFirstDescribed(t *testing.T) {
	empty := func() *signature { return &signature{plan: &plan.Plan{}} }
	steps := func() *signature { return &signature{plan: &plan.Plan{Steps: []plan.Step{&plan.Call{}}}} }
	checks := &signature{plan: &plan.Plan{Prologue: []*plan.Call{{}}}}
	whole, shared, in := steps(), steps(), steps()
	whole.parts = []*signature{empty(), in, steps()}
	shared.of = steps()
	for _, c := range []struct {
		variants []*signature
		want     *signature
	}{
		{[]*signature{in}, in},
		{[]*signature{empty(), shared, whole}, in},
		{[]*signature{checks, in}, checks},
		{[]*signature{empty()}, nil},
	} {
		if got := (&entry{variants: c.variants}).firstDescribed(); got != c.want {
			t.Errorf("%v of %v, want %v", got, c.variants, c.want)
		}
	}
}
