package pipeline

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/plan"
)

// TestControlEdgesOfSteps: in a partial run, an effect that waits for a pure node needs the feeds
// of that node.
func TestControlEdgesOfSteps(t *testing.T) {
	path := write(t, `
node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape { dim { size: 2 } } } } }
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value { shape {} } } attr { key: "shared_name" value { s: "v" } } attr { key: "container" value { s: "" } } }
node { name: "one" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 1 } } } }
node { name: "neg" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "set" op: "AssignVariableOp" input: "v" input: "one" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "add" op: "AssignAddVariableOp" input: "v" input: "one" input: "^neg" attr { key: "dtype" value { type: DT_FLOAT } } }
`)
	p, err := Compile([]string{path}, Options{Partial: true, Init: []string{"set"}, Feeds: []string{"a"}, Targets: []string{"add"}})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, q := range p.Signatures[0].Plan.Partitions() {
		for _, s := range plan.Flat(q.Steps) {
			if c, ok := s.(*plan.Call); ok && c.Node == "add" {
				found = true
				if !slices.Equal(q.Needs, []int{0}) {
					t.Errorf("the part of %s needs the feeds %v", c.Node, q.Needs)
				}
			}
		}
	}
	if !found {
		t.Error("no part has the addition")
	}
}
