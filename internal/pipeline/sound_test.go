package pipeline

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/rt/tensor"
)

// TestPassesKeepGraphsSound compiles recorded cases of control flow, functions, state and training,
// with and without the optional passes. After every pass, ir.Check checks that the graph is
// consistent.
func TestPassesKeepGraphsSound(t *testing.T) {
	all, err := cases.Find(append(testkit.Sample(t, "features"), testkit.SharedCases(t, "features")...))
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	for _, c := range all {
		for _, noopt := range []bool{false, true} {
			o := Options{Check: true, KeepGraph: true, NoOpt: noopt, SoftPlacement: true}
			if c.Signature != "" {
				o.Signatures = []string{c.Signature}
			} else {
				for i, r := range c.Runs {
					o.Calls = append(o.Calls, Call{Name: fmt.Sprint("run", i), Feeds: r.Feeds, Fetches: r.Fetches, Targets: r.Targets})
				}
			}
			if _, err := Compile([]string{c.ModelPath}, o); tensor.CodeOf(err) == tensor.Internal {
				t.Errorf("%s: %v", c.Rel, err)
			}
		}
	}
}
