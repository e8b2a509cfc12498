package codegen

import (
	"errors"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
)

// TestWantedNames: names that callers choose are used unchanged, and others avoid them.
func TestWantedNames(t *testing.T) {
	plans := func(methods ...string) []*plan.Plan {
		var out []*plan.Plan
		for i, m := range methods {
			p := sumPlan([]string{"score", "rate", "run"}[i], "x", "y", sym.Var("d_x_0")).p
			p.Method = m
			out = append(out, p)
		}
		return out
	}
	named := plans("", "Score", "")
	named[1].Feeds[0].Field, named[1].Fetches[1].Field = "Y", "Sum"
	src := string(emit(t, &Package{Name: "wanted", Plans: named})["wanted.gen.go"])
	for _, want := range []string{") Score2(", ") Score(", ") Run2(", "Y Tensor[float32]", "Y2 Tensor[float32]", "Sum Tensor[int64]", "Sum2 Tensor[float32]", `Method: "Score2"`} {
		if !strings.Contains(src, want) {
			t.Errorf("%s is not there", want)
		}
	}
	for _, c := range []struct {
		methods []string
		why     string
	}{
		{[]string{"Model"}, "the package already declares Model"},
		{[]string{"A", "A"}, "the package already declares A"},
		{[]string{"A", "AInto"}, "the package already declares AInto"},
		{[]string{"AInput", "A"}, "the package already declares AInput"},
	} {
		all := plans(c.methods...)
		err := CheckMethods(all)
		var wrong *MethodError
		if !errors.As(err, &wrong) || wrong.Why != c.why || wrong.Method != all[len(all)-1].Method {
			t.Errorf("%v: %v", c.methods, err)
		}
		if _, emitErr := Emit(&Package{Name: "p", Plans: all}); emitErr == nil || emitErr.Error() != err.Error() {
			t.Errorf("%v: printing says %v, the check %v", c.methods, emitErr, err)
		}
	}
	if err := CheckMethods(named); err != nil {
		t.Error(err)
	}
}
