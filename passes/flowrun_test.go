package passes

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// TestFlowRuns lowers and runs random graphs with control flow of TensorFlow 1, with and without
// the optional passes. It checks that the outcome is that of the executor in flow_test.go.
func TestFlowRuns(t *testing.T) {
	// These seeds make graphs in which values are used after their iteration, loops never run, or
	// the conditions of loops are outside of the loops. Further seeds follow.
	seeds := []uint64{108, 345, 429, 458, 1123, 2739, 53241, 54892, 55052, 101722}
	for seed := range uint64(testkit.Times(70, 200)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		for _, noOpt := range []bool{true, false} {
			if err := flowRuns(seed, noOpt); err != nil {
				t.Fatalf("seed %d, NoOpt %v: %v", seed, noOpt, err)
			}
		}
	}
}

func flowRuns(seed uint64, noOpt bool) error {
	g := randomFlow(seed)
	typed(g)
	before := g.Clone()
	before.Keep(edit.Needed(before))
	if err := Run(g, edit.Options{Ops: ops.Ops(), NoOpt: noOpt, Check: true, Eval: eval}); err != nil {
		return err
	}
	for v := range 16 {
		feeds := map[string]int{"p0": v & 1, "p1": v >> 1 & 1, "p2": v >> 2 & 1, "x0": v - 3, "x1": 2, "x2": v >> 3}
		want, err := execute(before, feeds)
		if err != nil {
			continue // TensorFlow does not define the outcome for these feeds
		}
		fed := map[string]*tensor.Tensor{}
		for k, x := range feeds {
			if k[0] == 'p' {
				fed[k+":0"] = tensor.Must(tensor.From(nil, []bool{x == 1}))
			} else {
				fed[k+":0"] = tensor.Must(tensor.From(nil, []int32{int32(x)}))
			}
		}
		got, err := run(g.Clone(), fed)
		if len(want.values) < len(g.Fetches) {
			if tensor.CodeOf(err) != tensor.InvalidArgument {
				return fmt.Errorf("%v: a fetch is dead, the error is %v", feeds, err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("%v: %w", feeds, err)
		}
		for k, x := range want.values {
			if vs, _ := got[k].Ints(); len(vs) != 1 || int(vs[0]) != x {
				return fmt.Errorf("%v: %s is %v, want %d\n%s", feeds, k, vs, x, g.Text(ir.PrintOptions{}))
			}
		}
	}
	return nil
}

// typed sets the attributes of the nodes in a random graph that are needed for lowering.
func typed(g *ir.Graph) {
	for _, n := range g.Nodes {
		if n.Op == "PrintV2" {
			n.Op = "Identity"
		}
		if n.Attrs == nil {
			n.Attrs = map[string]ir.Attr{}
		}
		switch n.Op {
		case "Const", "LogicalNot", "LoopCond":
		case "Placeholder":
			n.Attrs["dtype"], n.Attrs["shape"] = n.Outs[0].DType, ir.PartialShape{}
			n.Outs[0].Shape = ir.StaticShape()
		default:
			n.Attrs["T"] = n.Ins[0].Fact().DType
			if n.Op == "Merge" {
				n.Attrs["N"] = int64(len(n.Ins))
			}
			if n.Op == "_SwitchN" {
				n.Attrs["num_outs"] = int64(len(n.Outs))
			}
		}
	}
	for i := range g.Feeds {
		f := &g.Feeds[i]
		f.Shape, f.Name = ir.StaticShape(), f.Name+":0"
		f.Key = f.Name
	}
	for i := range g.Fetches {
		g.Fetches[i].Key = g.Fetches[i].Name
	}
	g.Targets = nil
}
