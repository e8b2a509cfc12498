package casebuild

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
)

// uncounted lists the ops whose nodes checkStructure does not count, because they compute nothing.
var uncounted = []string{"Const", "Placeholder", "Identity", "NoOp", "VarHandleOp"}

// checkStructure returns an error if the optimized graph or the plan does not meet the case's conditions. For
// example, the passes may have kept nodes that they should remove.
func checkStructure(s *pipeline.Signature, want *cases.Structure) error {
	g := s.Graph
	var bad []string
	fail := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	nodes, count := 0, map[string]int{}
	for _, n := range g.Nodes {
		op := tensorFlowOp(n.Op)
		count[op]++
		if op != n.Op {
			count[n.Op]++
		}
		if !slices.Contains(uncounted, n.Op) {
			nodes++
		}
		if most, ok := want.MaxInputs[op]; ok && len(n.Ins) > most {
			fail("%s (%s) has %d inputs, at most %d wanted", n.Name, n.Op, len(n.Ins), most)
		}
		if slices.Contains(want.OutsideLoop, op) && n.Region.InnerLoop() != nil {
			fail("%s (%s) is in a loop", n.Name, n.Op)
		}
	}
	if want.FusedElementwise {
		nodes -= shared(s.Plan, g)
	}
	if want.MaxNodesAfter != nil && nodes > *want.MaxNodesAfter {
		fail("%d nodes are left, at most %d wanted", nodes, *want.MaxNodesAfter)
	}
	for _, op := range want.AbsentOps {
		if count[op] > 0 && slices.ContainsFunc(g.Nodes, func(n *ir.Node) bool { return n.Op == op }) {
			fail("%s is left", op)
		}
	}
	for _, op := range want.PresentOps {
		if count[op] == 0 {
			fail("%s is gone", op)
		}
	}
	for _, op := range slices.Sorted(maps.Keys(want.MaxCount)) {
		if count[op] > want.MaxCount[op] {
			fail("%d nodes %s are left, at most %d wanted", count[op], op, want.MaxCount[op])
		}
	}
	for _, op := range slices.Sorted(maps.Keys(want.MinCount)) {
		if count[op] < want.MinCount[op] {
			fail("%d nodes %s are left, at least %d wanted", count[op], op, want.MinCount[op])
		}
	}
	if want.MaxConstantBytes != nil {
		for _, c := range constantsOf(s.Plan) {
			if size := reflect.ValueOf(c.Data).Len() * c.DType.Size(); size > *want.MaxConstantBytes {
				fail("a constant has %d bytes, at most %d wanted", size, *want.MaxConstantBytes)
			}
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("structure: %s", strings.Join(bad, "; "))
	}
	return nil
}

// tensorFlowOp returns the TensorFlow op to which an op of an optimized graph corresponds. For
// example, it returns MatMul for _FusedMatMul.
func tensorFlowOp(op string) string {
	switch op {
	case "_FusedMatMul", "_FusedConv2D", "_FusedDepthwiseConv2dNative", "_FusedConv2DBackpropInput", "_FusedConv3D":
		return strings.TrimPrefix(op, "_Fused")
	}
	return op
}

// shared returns the number of nodes that the plan computes in the loop of another node. A loop
// with k nodes counts as k-1. Nodes with an op in uncounted are ignored.
func shared(p *plan.Plan, g *ir.Graph) int {
	n := 0
	for _, l := range loopsOf(p) {
		k := 0
		for _, name := range l {
			if m := g.Node(name); m != nil && !slices.Contains(uncounted, m.Op) {
				k++
			}
		}
		n += max(k-1, 0)
	}
	return n
}

func loopsOf(p *plan.Plan) [][]string {
	out := p.Loops
	for _, q := range p.Parts {
		out = append(out[:len(out):len(out)], q.Loops...)
	}
	return out
}

func constantsOf(p *plan.Plan) []*plan.Const {
	out := p.Consts
	for _, q := range p.Parts {
		out = append(out[:len(out):len(out)], q.Consts...)
	}
	return out
}
