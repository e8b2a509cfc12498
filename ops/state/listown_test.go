package state_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// loopOfLists builds a loop that carries a list: each iteration sets one item of the list. The list
// after the last iteration is stacked. loopOfLists returns the node that sets the item. The
// function change, if it is not nil, changes the loop for the test.
func loopOfLists(g opstest.Graph, change func(list ir.Out, body *ir.Region, set, next *ir.Node)) *ir.Node {
	x := g.Feed("x", tensor.Float32, 2)
	n := g.Feed("n", tensor.Int32)
	made := g.List("TensorListReserve", g.Int(-1), g.Int(4))
	loop := &ir.Region{Name: "loop", Loop: true}
	i := g.Op(ir.LoopVarOp, nil, g.Int(0), ir.Out{})
	l := g.Op(ir.LoopVarOp, nil, made, ir.Out{})
	cond := g.Op("Less", nil, i, n)
	for _, o := range []ir.Out{i, l, cond} {
		o.Node.Region = loop
	}
	loop.Cond = cond
	body := &ir.Region{Name: "body", Parent: loop, Cond: cond}
	set := g.List("TensorListSetItem", l, i, x)
	next := g.Op(ir.NextOp, nil, set)
	step := g.Op("AddV2", nil, i, g.Int(1))
	inext := g.Op(ir.NextOp, nil, step)
	for _, o := range []ir.Out{set, next, step, inext} {
		o.Node.Region = body
	}
	i.Node.Ins[1], l.Node.Ins[1] = inext, next
	y := g.Op(ir.YieldOp, nil, l)
	y.Node.Region = loop
	out := g.List("TensorListStack", g.Op(ir.MergeOp, nil, y), g.Int(-1))
	g.Fetches = append(g.Fetches, ir.Fetch{Name: "out", Key: "out", Out: out})
	if change != nil {
		change(l, body, set.Node, next.Node)
	}
	return set.Node
}

// TestOwnsList checks that a list carried by a loop is changed in place if it has no other readers.
func TestOwnsList(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(g opstest.Graph) func(list ir.Out, body *ir.Region, set, next *ir.Node)
		want   bool
	}{
		{"carried", nil, true},
		{"read beside", func(g opstest.Graph) func(ir.Out, *ir.Region, *ir.Node, *ir.Node) {
			return func(l ir.Out, body *ir.Region, _, _ *ir.Node) {
				g.Op("TensorListLength", nil, l).Node.Region = body
			}
		}, false},
		{"read before", func(g opstest.Graph) func(ir.Out, *ir.Region, *ir.Node, *ir.Node) {
			return func(l ir.Out, _ *ir.Region, _, _ *ir.Node) { g.Op("TensorListLength", nil, l.Node.Ins[0]) }
		}, false},
		{"set in the last iteration too", func(g opstest.Graph) func(ir.Out, *ir.Region, *ir.Node, *ir.Node) {
			return func(_ ir.Out, body *ir.Region, set, _ *ir.Node) { set.Region = body.Parent }
		}, false},
		{"carried on under a condition", func(g opstest.Graph) func(ir.Out, *ir.Region, *ir.Node, *ir.Node) {
			return func(_ ir.Out, body *ir.Region, _, next *ir.Node) {
				next.Region = &ir.Region{Name: "if", Parent: body, Cond: body.Cond}
			}
		}, false},
		{"made for an outer loop", func(g opstest.Graph) func(ir.Out, *ir.Region, *ir.Node, *ir.Node) {
			return func(_ ir.Out, body *ir.Region, _, _ *ir.Node) {
				body.Parent.Parent = &ir.Region{Name: "outer", Loop: true}
			}
		}, false},
	} {
		g := opstest.New(t)
		var f func(ir.Out, *ir.Region, *ir.Node, *ir.Node)
		if c.change != nil {
			f = c.change(g)
		}
		set := loopOfLists(g, f)
		w := lower.NewListOwners(g.Graph, ops.Ops())
		for _, when := range []string{"first", "second"} {
			if got := w.Owns(set); got != c.want {
				t.Errorf("%s, asked the %s time: %v, want %v", c.name, when, got, c.want)
			}
		}
	}
}

// TestOwnsListInTurn checks that a ListOwners can be used for several lists one after the other,
// and that its results are then equal to those of a new ListOwners for each list.
func TestOwnsListInTurn(t *testing.T) {
	// the index of a list that a second node reads; -1 if each list has one reader
	for _, shared := range []int{-1, 0, 3, 7} {
		g := opstest.New(t)
		l := g.List("TensorListReserve", g.Int(4), g.Int(2))
		x := g.Feed("x", tensor.Float32, 2)
		var sets []*ir.Node
		for i := range 8 {
			if i == shared {
				g.Op("TensorListLength", nil, l)
			}
			l = g.List("TensorListSetItem", l, g.Int(int32(i%4)), x)
			sets = append(sets, l.Node)
		}
		w := lower.NewListOwners(g.Graph, ops.Ops())
		for i, n := range sets {
			if got, alone := w.Owns(n), lower.NewListOwners(g.Graph, ops.Ops()).Owns(n); got != alone || got != (shared < 0 || i < shared) {
				t.Errorf("list %d of a chain whose list %d is shared: %v, asked alone %v", i, shared, got, alone)
			}
		}
	}
}

// TestLoopOfLists checks the inferred shape of a list that a loop carries and that is stacked after
// the loop.
func TestLoopOfLists(t *testing.T) {
	g := opstest.New(t)
	loopOfLists(g, nil)
	if err := ops.Ops().Infer(g.Graph); err != nil {
		t.Fatal(err)
	}
	if got := g.Fetches[0].Out.Fact().Shape; !got.Equal(ir.ShapeOf(sym.Int(4), sym.Int(2))) {
		t.Errorf("the stacked list has the shape %v", got)
	}
	if _, err := ops.Ops().Lower(g.Graph, "test"); err != nil {
		t.Error(err)
	}
}
