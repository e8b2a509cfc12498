package ir_test

import (
	"fmt"
	"strings"
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

// TestRegions parses, checks, prints and copies a graph with a loop.
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

// TestRegionFaults: graphs with invalid regions, and graphs with an invalid order, are rejected.
func TestRegionFaults(t *testing.T) {
	const head = "graph \"g\" producer=0\n"
	long := head
	for i := range 20 {
		long += fmt.Sprintf("node n%02d = A(n%02d:0) -> f32[]\n", i, (i+1)%20)
	}
	for _, c := range []struct{ name, text, want string }{
		{"two of a name", head + "region \"r\" if c:0\nnode c = C() -> bool[]\nnode a = A() in \"r\" -> f32[]\nregion \"r\" unless c:0\nnode b = B() in \"r\" -> f32[]\n", `two regions are named "r"`},
		{"no condition", head + "region \"r\" if none\nnode a = A() in \"r\"\n", "the condition of region r is not a tensor"},
		{"condition of a branch", head + "region \"r\" if c:0\nnode a = A() in \"r\"\nregion \"s\" if d:0\nnode d = D() in \"s\" -> bool[]\nnode c = C() -> bool[]\n", "the condition of region s is not outside the region"},
		{"condition of a loop", head + "region \"r\" while c:0\nregion \"s\" if d:0\nnode d = D() -> bool[]\nnode c = C() in \"s\" -> bool[]\nnode a = A() in \"r\"\n", "the condition of loop r is not in the loop"},
		{"variable outside of a loop", head + "node a = A() -> f32[]\nnode v = _LoopVar(a:0, a:0) -> f32[]\n", "a _LoopVar must be in a loop and have two inputs"},
		{"variable of one input", strings.Replace(loopText, "_LoopVar(zero:0, next:0)", "_LoopVar(zero:0)", 1), "a _LoopVar must be in a loop and have two inputs"},
		{"variable's next", strings.Replace(loopText, "_LoopVar(zero:0, next:0)", "_LoopVar(zero:0, add:0)", 1), "input 1 is add:0: it must be a _Next of the loop"},
		{"variable's first value", strings.Replace(loopText, "_LoopVar(zero:0, next:0)", "_LoopVar(add:0, next:0)", 1), "input 0 is add:0, which is in the region body, which does not enclose the whole graph"},
		{"merge", strings.Replace(loopText, "_Merge(yield:0)", "_Merge(zero:0)", 1), "input 0 is zero:0: a _Merge needs a _Yield"},
		{"out of a region", strings.Replace(loopText, "_LoopVar(zero:0, next:0)", "_LoopVar(zero:0, next:0)", 1) + "node r = Relu(add:0) in \"loop\" -> i32[]\n", "which does not enclose loop"},
		{"condition behind its region", head + "region \"r\" if c:0\nnode a = A() in \"r\" -> f32[]\nnode y = _Yield(a:0) in \"r\" -> f32[]\nnode m = _Merge(y:0) -> f32[]\nnode c = C(m:0) -> bool[]\n", "a cycle outside a loop: a ← c ← m ← y ← a"},
		{"control cycle", head + "node a = A(^b)\nnode b = B(^a)\n", "a cycle outside a loop: a ← b ← a"},
		{"long cycle", long, "n00 ← n01 ← n02 ← n03 ← n04 ← n05 ← … ← n16 ← n17 ← n18 ← n19 ← n00"},
	} {
		g, err := ir.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if err := ir.Check(g); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	g, err := ir.Parse(head + "region \"r\" if none\nnode a = A() in \"r\"\nnode b = B()\n")
	if err != nil {
		t.Fatal(err)
	}
	if order, err := g.Order(); err != nil || len(order) != 2 {
		t.Errorf("a region without a condition: %v, %v", order, err)
	}
}
