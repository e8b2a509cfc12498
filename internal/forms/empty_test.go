package forms

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// hugeDims are sizes of a dimension that only a tensor without elements can have.
var hugeDims = []int{1 << 31, 1<<40 + 1, 1 << 62}

// emptyTime is the time limit for compiling and running a graph with an empty feed. It is far more
// than needed.
const emptyTime = 20 * time.Second

// hollow changes the shape of input i to one without elements and with a huge dimension. If the
// parameter others is set, it also changes the other inputs that have the same shape.
func (d *damaged) hollow(i int, others bool) bool {
	t := d.value(d.n.Ins[i])
	if t == nil || !t.DType.IsData() || len(t.Shape) == 0 {
		return false
	}
	shape := slices.Clone(t.Shape)
	if len(shape) < 2 && others {
		return false
	}
	zero := d.rng.IntN(len(shape))
	if len(shape) == 1 {
		shape = append(shape, 0)
		zero = 1
	}
	huge := (zero + 1 + d.rng.IntN(len(shape)-1)) % len(shape)
	shape[zero], shape[huge] = 0, hugeDims[d.rng.IntN(len(hugeDims))]
	if _, err := tensor.Shape(shape).Len(); err != nil {
		return false
	}
	for j, o := range slices.Clone(d.n.Ins) {
		u := d.value(o)
		if j != i && (!others || u == nil || !u.DType.IsData() || !slices.Equal(u.Shape, t.Shape)) {
			continue
		}
		u = &tensor.Tensor{DType: u.DType, Shape: shape, Data: tensor.MakeSlice(u.DType, 0)}
		d.note("input %d is %v", j, u)
		name := d.g.Fresh(fmt.Sprintf("hollow_%d", j))
		n := &ir.Node{Name: name, Op: "Placeholder", Outs: []ir.Fact{{DType: u.DType}},
			Attrs: map[string]ir.Attr{"dtype": u.DType, "shape": ir.PartialShape{Dims: slices.Repeat([]int64{-1}, len(shape))}}}
		if err := d.g.Add(n); err != nil {
			panic(err)
		}
		d.n.Ins[j] = ir.Out{Node: n}
		d.feeds[name+":0"] = u
	}
	return true
}

// TestEmpty feeds recorded cases tensors without elements and with a huge dimension: no loop may
// iterate over the huge dimension. The test uses an eighth of the cases, or all cases if the flag
// -damages is above 10.
func TestEmpty(t *testing.T) {
	dirs := []string{filepath.Join("..", "..", "testdata", "cases", "ops")}
	if s := cases.Shared(); s != "" && *damages > 10 {
		dirs = append(dirs, filepath.Join(s, "cases", "ops"))
	}
	list, err := cases.Find(dirs)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "graph.pb")
	ends, left := map[string]int{}, 0
	for _, c := range list {
		if c.Err != nil || c.ConfigPath != "" || filepath.Base(c.ModelPath) == "saved_model" {
			continue
		}
		if *damageOps != "" && !slices.Contains(strings.Split(*damageOps, ","), filepath.Base(filepath.Dir(c.Dir))) {
			continue
		}
		m, err := frontend.Load([]string{c.ModelPath}, frontend.Options{})
		if err != nil {
			continue // the recorded graph itself is invalid
		}
		fed, _, err := c.LoadRun(0)
		if err != nil {
			t.Fatal(err)
		}
		seed := fnv.New64()
		fmt.Fprint(seed, c.Rel)
		if *damages <= 10 && *damageOps == "" && seed.Sum64()%8 != *damageSeed%8 {
			continue // only a sample is tested; -damageseed chooses other cases
		}
		rng := rand.New(rand.NewPCG(seed.Sum64(), *damageSeed))
		for _, n := range m.Graph.Nodes {
			delete(n.Attrs, "_output_shapes")
			if n.Op == "Const" || n.Op == "Placeholder" || n.Op == "Identity" || n.Op == "NoOp" {
				continue
			}
			for k := range max(1, *damages/2) * len(n.Ins) {
				d := &damaged{g: m.Graph.Clone(), feeds: maps.Clone(fed), fetches: c.Runs[0].Fetches, targets: c.Runs[0].Targets, rng: rng}
				d.n = d.g.Node(n.Name)
				if !d.hollow(k%len(n.Ins), rng.IntN(2) == 0) {
					continue
				}
				what := fmt.Sprintf("%s: %s (%s): %s", c.Rel, n.Name, n.Op, strings.Join(d.text, "; "))
				before := allocated()
				done := make(chan error, 1)
				go func() { done <- d.run(path) }()
				select {
				case err = <-done:
				case <-time.After(emptyTime):
					if left++; left > 1 {
						t.Fatalf("%s: does not end", what)
					}
					t.Errorf("%s: does not end", what)
					continue
				}
				if took := allocated() - before; took > damageHeap {
					t.Errorf("%s: allocates %d MiB", what, took>>20)
				}
				ends[tensor.CodeOf(err).String()]++
				if faulty(err) {
					t.Errorf("%s: %.1000v", what, err)
				}
			}
		}
	}
	t.Log(ends)
}
