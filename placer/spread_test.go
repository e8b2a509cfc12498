package placer

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSpread: the nodes of a group are on one device, all devices are used, and the draw depends
// only on the names.
func TestSpread(t *testing.T) {
	set := devices(t, "cpu:0", "cpu:1", "cpu:2")
	lines := []string{"v VarHandleOp dtype=f32 @/cpu:2", "w VariableV2 dtype=f32", "c Const dtype=f32", "read ReadVariableOp v dtype=f32 @/cpu:0",
		"assign Assign w c T=f32", "near Mul read c T=f32 loc:@w @/gpu:0"}
	for i := range 300 {
		lines = append(lines, fmt.Sprintf("n%d Neg c T=f32 @/cpu:1", i))
	}
	spread := func(seed uint64, shuffle bool) map[string]string {
		g := build(t, lines...)
		if shuffle {
			rand.New(rand.NewSource(1)).Shuffle(len(g.Nodes), func(i, j int) { g.Nodes[i], g.Nodes[j] = g.Nodes[j], g.Nodes[i] })
		}
		p, err := Spread(g, set, seed, Options{})
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]string{}
		for _, n := range g.Nodes {
			at[n.Name] = n.Device
			if p.Of(n.Name).Device != n.Device || p.Of(n.Name).Reason == "" {
				t.Errorf("%s: %+v", n.Name, p.Of(n.Name))
			}
		}
		return at
	}
	count := map[string]int{}
	groups := map[string]bool{}
	for seed := range uint64(50) {
		at := spread(seed, false)
		if at["v"] != at["read"] || at["w"] != at["assign"] || at["near"] != at["w"] {
			t.Errorf("seed %d: a group is apart", seed)
		}
		groups[at["v"]+at["w"]+at["c"]] = true
		for _, d := range at {
			count[d]++
		}
		for n, d := range spread(seed, true) {
			if d != at[n] {
				t.Errorf("seed %d: %s is on %s in another order, on %s in this", seed, n, d, at[n])
			}
		}
	}
	for _, d := range set.Devices() {
		if c := count[d.FullName]; c < 4500 || c > 5700 {
			t.Errorf("%s has %d nodes of %d", d.FullName, c, 50*306)
		}
	}
	if len(groups) < 20 {
		t.Errorf("only %d of 27 ways to place three groups", len(groups))
	}
}

func TestSpreadKeeps(t *testing.T) {
	set := devices(t, "cpu:0", "cpu:1", "gpu:0")
	g := build(t, "a Const dtype=f32", "b Neg a T=f32 loc:@a", "c Neg a T=f32")
	for seed := range uint64(20) {
		if _, err := Spread(g, set, seed, Options{Assigned: map[string]string{"b": cpu(1)}}); err != nil {
			t.Fatal(err)
		}
		if g.Node("a").Device != cpu(1) || g.Node("b").Device != cpu(1) {
			t.Errorf("a is on %s, b on %s", g.Node("a").Device, g.Node("b").Device)
		}
		if d := set.Find(g.Node("c").Device); d == nil || d.Type != "CPU" {
			t.Errorf("c is on %s, for which it has no kernel", g.Node("c").Device)
		}
	}
	apart := build(t, "a Const dtype=f32", "b Neg a T=f32 loc:@a")
	kernels := func(n *ir.Node) []Kernel {
		if n.Op == "Neg" {
			return []Kernel{{"GPU", 0}}
		}
		return []Kernel{{"CPU", 0}}
	}
	if _, err := Spread(apart, set, 1, Options{Kernels: kernels}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a group without a device: %v", err)
	}
}
