package ir_test

import (
	"testing"

	"github.com/graphc/graphc/ir"
)

const loopText = `graph "g" producer=0
feed "n:0" = n:0 key="n" shape=[]
fetch "out:0" = out:0 key="out"
region "loop" while less:0
region "body" in "loop" if less:0
node n = Placeholder() {dtype=i32} -> i32[]
node zero = Const() {value=i32[]{0}} -> i32[] const
node i = _LoopVar(zero:0, next:0) in "loop" -> i32[]
node less = Less(i:0, n:0) in "loop" -> bool[]
node one = Const() {value=i32[]{1}} -> i32[] const
node add = AddV2(i:0, one:0) in "body" -> i32[]
node next = _Next(add:0) in "body" -> i32[]
node yield = _Yield(i:0) in "loop" -> i32[]
node out = _Merge(yield:0) -> i32[]
`

// TestRegions reads, checks, prints and copies a graph with a loop.
func TestRegions(t *testing.T) {
	g, err := ir.Parse(loopText)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Check(g); err != nil {
		t.Fatal(err)
	}
	if got := g.Text(ir.PrintOptions{}); got != loopText {
		t.Errorf("printed:\n%s", got)
	}
	c := g.Clone()
	if got := c.Text(ir.PrintOptions{}); got != loopText {
		t.Errorf("copied:\n%s", got)
	}
	if c.Node("add").Region == g.Node("add").Region || c.Node("add").Region.Parent != c.Node("i").Region {
		t.Error("the copy shares regions with the graph, or has them twice")
	}
	if r := c.Node("add").Region; r.Cond.Node != c.Node("less") {
		t.Error("the copy's condition is the graph's")
	}
	if b, l := g.Node("add").Region, g.Node("i").Region; b.Common(l) != l || b.Common(nil) != nil || !l.Encloses(b) || b.Encloses(l) || b.InnerLoop() != l {
		t.Error("the tree of regions is not that of the text")
	}
	g.Node("out").Ins[0] = ir.Out{Node: g.Node("add")}
	if ir.Check(g) == nil {
		t.Error("a value left its region without a _Yield")
	}
}
