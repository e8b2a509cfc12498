package passes

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
	"golang.org/x/tools/txtar"
)

// computed lists the passes for which TestGoldensCompute runs the graphs of the goldens.
var computed = edit.Set("activation", "addn", "batchnorm", "constants", "contract", "dense", "dilated", "embedding", "factor", "fill", "functions", "fusebias",
	"involution", "layernorm", "lift", "neutral", "pad", "pieces", "prescale", "reshape", "settle", "sink", "softmax", "strength", "stride", "subpixel", "sumto", "transpose")

// feedsFor makes feeds for a graph: each symbolic size is 2, each element a small random number.
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
		case []bool:
			for i := range d {
				d[i] = r.IntN(2) == 1
			}
		}
		feeds[f.Name] = t
	}
	return feeds, nil
}

// answers runs a golden's graph with the given options.
func answers(t *testing.T, text []byte, seed string, o edit.Options) map[string]*tensor.Tensor {
	t.Helper()
	g := parse(t, text)
	o.Eval, o.Check = eval, true
	if err := Run(g, o); err != nil {
		t.Fatal(err)
	}
	feeds, err := feedsFor(g, seed)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(g, feeds)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.Text(ir.PrintOptions{}))
	}
	return got
}

// same compares answers up to rounding.
func same(t *testing.T, got, want map[string]*tensor.Tensor, when string) {
	t.Helper()
	for name, w := range want {
		g := got[name]
		if !g.Shape.Equal(w.Shape) || g.DType != w.DType {
			t.Fatalf("%s: %s is %v, want %v", when, name, g, w)
		}
		if w.DType.IsInteger() || w.DType == tensor.Bool {
			if !reflect.DeepEqual(g.Data, w.Data) {
				t.Fatalf("%s: %s is %v, want %v", when, name, g.Data, w.Data)
			}
		}
		wd, ok := w.Data.([]float32)
		if !ok {
			continue
		}
		for i, v := range wd {
			u := tensor.Data[float32](g)[i]
			if d := math.Abs(float64(u - v)); !(d <= 2e-5*(1+math.Abs(float64(v)))) && u != v && (u == u || v == v) {
				t.Fatalf("%s: %s[%d] is %v, want %v", when, name, i, u, v)
			}
		}
	}
}

// TestGoldensCompute runs the graph of each golden with only the required passes, and with all
// passes stopped after 0, 1, 2, … edits. The answers must agree up to rounding.
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
			in := section(a, "in")
			want := answers(t, in, file, edit.Options{Ops: ops.Ops(), NoOpt: true})
			for edits := 0; ; edits++ {
				left := edits
				same(t, answers(t, in, file, edit.Options{Ops: ops.Ops(), Fuel: &left}), want, fmt.Sprint(edits, " edits"))
				if left > 0 {
					break
				}
			}
		})
	}
	if ran < 10 {
		t.Errorf("%d graphs ran", ran)
	}
}
