package passes

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// computed are the passes whose goldens' graphs are run.
var computed = set("activation", "batchnorm", "contract", "dense", "dilated", "fusebias", "layernorm", "pad", "reshape", "sink",
	"softmax", "strength", "stride", "transpose")

// feedsFor makes feeds of a graph: each symbol is a small size, each element a
// small number.
func feedsFor(g *ir.Graph, seed string) (map[string]*tensor.Tensor, error) {
	h := fnv.New64()
	h.Write([]byte(seed))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	feeds := map[string]*tensor.Tensor{}
	for _, f := range g.Feeds {
		s := make(tensor.Shape, len(f.Shape.Dims))
		for i, d := range f.Shape.Dims {
			v, ok := d.IsInt()
			if !ok {
				v = 2
			}
			s[i] = v
		}
		t, err := tensor.New(f.Out.Fact().DType, s, 0)
		if err != nil {
			return nil, err
		}
		switch d := t.Data.(type) {
		case []float32:
			for i := range d {
				d[i] = float32(r.NormFloat64())
			}
		case []int32:
			for i := range d {
				d[i] = int32(r.IntN(2))
			}
		}
		feeds[f.Name] = t
	}
	return feeds, nil
}

// TestGoldensCompute runs the graphs of the rewrites' goldens with all passes and
// with the required ones alone: the answers agree up to rounding.
func TestGoldensCompute(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, file := range files {
		pass := filepath.Base(filepath.Dir(file))
		if !computed[pass] {
			continue
		}
		ran++
		t.Run(pass+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got [2]map[string]*tensor.Tensor
			for i := range got {
				g := parse(t, section(a, "in"))
				if err := Run(g, Options{NoOpt: i == 0, Eval: eval, Check: true}); err != nil {
					t.Fatal(err)
				}
				feeds, err := feedsFor(g, file)
				if err != nil {
					t.Fatal(err)
				}
				if got[i], err = run(g, feeds); err != nil {
					t.Fatalf("%v\n%s", err, g.Text(ir.PrintOptions{}))
				}
			}
			for name, w := range got[0] {
				g := got[1][name]
				if !g.Shape.Equal(w.Shape) || g.DType != w.DType {
					t.Fatalf("%s is %v, want %v", name, g, w)
				}
				wd, ok := w.Data.([]float32)
				if !ok {
					continue
				}
				for i, v := range wd {
					u := tensor.Data[float32](g)[i]
					if d := math.Abs(float64(u - v)); !(d <= 2e-5*(1+math.Abs(float64(v)))) && u != v && (u == u || v == v) {
						t.Fatalf("%s[%d] is %v, want %v", name, i, u, v)
					}
				}
			}
		})
	}
	if ran < 10 {
		t.Errorf("%d graphs ran", ran)
	}
}
