package passes

import (
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestWithout checks that option Without can switch off an optional pass. The name of a required or
// unknown pass is an error.
func TestWithout(t *testing.T) {
	for name, want := range map[string]tensor.Code{"fusebias": tensor.OK, "dce": tensor.InvalidArgument, "none": tensor.InvalidArgument} {
		g, o := dense(t)
		o.Without = []string{name}
		err := Run(g, o)
		if tensor.CodeOf(err) != want {
			t.Errorf("without %s: %v", name, err)
		}
		if err != nil {
			continue
		}
		for _, n := range g.Nodes {
			if n.Op == "_FusedMatMul" {
				t.Errorf("without %s there is %s", name, n.Name)
			}
		}
	}
}
