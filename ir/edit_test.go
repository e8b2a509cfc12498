package ir

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// chain builds a → b → c → d with a control edge b → e.
func chain(t *testing.T) (*Graph, map[string]*Node) {
	t.Helper()
	g := NewGraph("test")
	n := map[string]*Node{}
	var prev *Node
	for _, name := range []string{"a", "b", "c", "d"} {
		var ins []Out
		if prev != nil {
			ins = []Out{{prev, 0}}
		}
		prev = g.NewNode(name, "Identity", nil, 1, ins...)
		n[name] = prev
	}
	n["e"] = g.NewNode("e", "NoOp", nil, 0)
	n["e"].Controls = []*Node{n["b"]}
	g.Fetches = []Fetch{{Name: "d:0", Out: Out{n["d"], 0}}}
	return g, n
}

func TestReplaceAndRemove(t *testing.T) {
	g, n := chain(t)
	e := g.Edit("test", nil)
	e.Replace(Out{n["b"], 0}, Out{n["a"], 0}, "forwards")
	e.Replace(Out{n["c"], 0}, Out{n["b"], 0}, "forwards") // b is replaced, too
	e.Remove(n["b"], "forwards")
	if !e.Apply() {
		t.Fatal("Apply reports no edit")
	}
	if got := n["d"].Ins[0]; got.Node != n["a"] {
		t.Errorf("d reads %v, want a:0", got)
	}
	if g.Node("b") != nil {
		t.Error("b is still found by name")
	}
	if len(n["e"].Controls) != 1 || n["e"].Controls[0] != n["a"] {
		t.Errorf("e waits for %v, want a: the input's producer of the removed node", n["e"].Controls)
	}
	if len(g.Journal) != 3 {
		t.Errorf("%d journal entries, want 3", len(g.Journal))
	}
}

func TestReplaceFetch(t *testing.T) {
	g, n := chain(t)
	e := g.Edit("test", nil)
	e.Replace(Out{n["d"], 0}, Out{n["a"], 0}, "x")
	e.Apply()
	if g.Fetches[0].Out.Node != n["a"] || g.Fetches[0].Name != "d:0" {
		t.Errorf("fetch is %+v", g.Fetches[0])
	}
}

func TestFuel(t *testing.T) {
	g, n := chain(t)
	fuel := 1
	e := g.Edit("test", &fuel)
	if !e.Replace(Out{n["b"], 0}, Out{n["a"], 0}, "x") || e.Replace(Out{n["c"], 0}, Out{n["a"], 0}, "x") || e.Remove(n["b"], "x") {
		t.Error("one edit is allowed, and only one")
	}
	e.Apply()
	if n["d"].Ins[0].Node != n["c"] {
		t.Error("a refused edit was applied")
	}
}

func TestOrder(t *testing.T) {
	g, n := chain(t)
	g.Nodes[0], g.Nodes[4] = g.Nodes[4], g.Nodes[0]
	order, err := g.Order()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range order {
		names = append(names, n.Name)
	}
	if s := strings.Join(names, ""); s != "abecd" {
		t.Errorf("order is %s", s)
	}
	n["a"].Ins = []Out{{n["c"], 0}}
	_, err = g.Order()
	if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "b ← a ← c ← b") {
		t.Errorf("a cycle gives %v", err)
	}
	n["c"].Op = "NextIteration"
	if _, err := g.Order(); err != nil {
		t.Errorf("a loop closed by NextIteration gives %v", err)
	}
}

func TestLookup(t *testing.T) {
	g, _ := chain(t)
	for _, c := range []struct {
		name string
		code tensor.Code
		says string
	}{
		{"a", tensor.OK, ""}, {"a:0", tensor.OK, ""},
		{"a:1", tensor.OutOfRange, "1 outputs"}, {"a:x", tensor.InvalidArgument, "not an output number"},
		{"a:-1", tensor.InvalidArgument, "not an output number"}, {"aa", tensor.NotFound, `did you mean "a"?`},
		{"zebra", tensor.NotFound, "no node"},
	} {
		_, err := g.Lookup(c.name)
		if tensor.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("Lookup(%q) gives %v, want %v %q", c.name, err, c.code, c.says)
		}
	}
}

func TestClone(t *testing.T) {
	g, n := chain(t)
	c := g.Clone()
	c.Edit("x", nil).Apply()
	e := c.Edit("x", nil)
	e.Replace(Out{c.Node("b"), 0}, Out{c.Node("a"), 0}, "x")
	e.Apply()
	if n["c"].Ins[0].Node != n["b"] || c.Node("c").Ins[0].Node != c.Node("a") || c.Node("a") == n["a"] {
		t.Error("an edit of the copy shows in the original")
	}
	if c.Fetches[0].Out.Node != c.Node("d") || c.Node("e").Controls[0] != c.Node("b") {
		t.Error("the copy points into the original")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"input", "dense/kernel", "output_1", "x"}
	for name, want := range map[string]string{"inptu": "input", "inpt": "input", "dense/kernal": "dense/kernel", "outptu_1": "output_1", "zebra": "", "xy": "x"} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestFreshSymbolOfMerged merges two nodes whose sizes have symbols. The remaining node then has
// two symbols, and FreshSymbol must always choose the same one.
func TestFreshSymbolOfMerged(t *testing.T) {
	for range 20 { // repeated, because the result must not depend on the iteration order of a map
		g := NewGraph("test")
		a, b := g.NewNode("a", "Where", nil, 1), g.NewNode("b", "Where", nil, 1)
		want := g.FreshSymbol(Out{a, 0}, -1).String()
		g.FreshSymbol(Out{b, 0}, -1)
		e := g.Edit("test", nil)
		e.ReplaceNode(b, a, "computes the same")
		e.Apply()
		if got := g.FreshSymbol(Out{a, 0}, -1).String(); got != want {
			t.Fatalf("the symbol is %s, want %s", got, want)
		}
	}
}
