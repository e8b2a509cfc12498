package exec_test

import (
	"context"
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/trace"
)

// TestHook: a hook in the context traces the run, including the steps in loops. A run without a
// hook is not traced.
func TestHook(t *testing.T) {
	x, err := exec.New(planOf(t, growing))
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.New()
	if _, err := x.Run(rt.WithRun(t.Context(), rt.Observe(tr)), feedsOf(4)); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(context.Background(), feedsOf(4)); err != nil {
		t.Fatal(err)
	}
	runs := tr.Runs()
	if len(runs) != 1 || runs[0].Device != "/job:localhost/replica:0/task:0/device:CPU:0" || runs[0].Peak == 0 {
		t.Fatalf("%+v", runs)
	}
	var nodes []string
	for _, s := range runs[0].Steps {
		nodes = append(nodes, s.Node+" "+s.Op)
	}
	if !slices.Equal(nodes[:3], []string{"w Enter", "g Enter", "g Set"}) {
		t.Errorf("%q", nodes)
	}
	for _, c := range tr.Profile().Nodes {
		if c.Node == "p" && (c.Times != 4 || c.Runs != 1) || c.Node == "k" && c.Times != 1 {
			t.Errorf("%+v", c)
		}
	}
}
