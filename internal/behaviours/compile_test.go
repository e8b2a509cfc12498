//go:build emitted

package behaviours

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/behaviours/model"
	"github.com/graphc/graphc/internal/behaviours/plain"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// graph builds the text form of a GraphDef.
type graph struct{ strings.Builder }

func (g *graph) node(name, op string, inputs ...string) {
	fmt.Fprintf(g, "node { name: %q op: %q", name, op)
	for _, in := range inputs {
		fmt.Fprintf(g, " input: %q", in)
	}
	fmt.Fprint(g, ` attr { key: "T" value { type: DT_INT64 } } }`+"\n")
}

func (g *graph) feed(name string) {
	fmt.Fprintf(g, `node { name: %q op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "shape" value { shape { } } } }`+"\n", name)
}

// run compiles the graph and interprets its plan, with the number v as the feed.
func (g *graph) run(t *testing.T, o pipeline.Options, v int64) map[string]*tensor.Tensor {
	t.Helper()
	path := filepath.Join(t.TempDir(), "g.pbtxt")
	must(t, os.WriteFile(path, []byte(g.String()+"versions { producer: 1882 }\n"), 0o666))
	p, err := pipeline.Compile([]string{path}, o)
	must(t, err)
	r, err := p.Runner(p.Signatures[0])
	must(t, err)
	x := tensor.Must(tensor.New(tensor.Int64, nil, 0))
	x.Data.([]int64)[0] = v
	out, err := r.Run(rt.WithRun(t.Context(), rt.Threads(1)), map[string]*tensor.Tensor{"x:0": x})
	must(t, err)
	return out
}

// TestLarge checks behaviours of large graphs.
func TestLarge(t *testing.T) {
	for _, s := range []struct {
		name string
		f    func(t *testing.T)
	}{
		{"caller_thread", func(t *testing.T) {
			const n = 10000
			var g graph
			g.feed("x")
			last, want := "x", int64(5)
			for i := range n {
				name := fmt.Sprint("n", i)
				if i%3 == 0 {
					g.node(name, "Neg", last)
					want = -want
				} else {
					g.node(name, "AddV2", last, "x")
					want += 5
				}
				last = name
			}
			for _, o := range []pipeline.Options{{}, {NoOpt: true}, {Devices: []string{"cpu:0", "cpu:1"}, Spread: 1}} {
				o.Feeds, o.Fetches = []string{"x"}, []string{last}
				if v := g.run(t, o, 5)[last+":0"].Data.([]int64)[0]; v != want {
					t.Errorf("%d, want %d", v, want)
				}
			}
		}},
		{"add_chain", func(t *testing.T) {
			const leaves = 4096
			rng := rand.New(rand.NewPCG(1, 2))
			var g graph
			g.feed("x")
			type sum struct {
				name string
				v    int64 // expected value for x = 1
			}
			all := make([]sum, leaves)
			for i := range all {
				all[i] = sum{"x", 1}
			}
			for i := 0; len(all) > 1; i++ {
				a, b := rng.IntN(len(all)), rng.IntN(len(all)-1)
				if b >= a {
					b++
				}
				s := sum{fmt.Sprint("a", i), all[a].v + all[b].v}
				g.node(s.name, "AddV2", all[a].name, all[b].name)
				all[a] = s
				all = slices.Delete(all, b, b+1)
			}
			for _, noOpt := range []bool{false, true} {
				got := g.run(t, pipeline.Options{Feeds: []string{"x"}, Fetches: []string{all[0].name}, NoOpt: noOpt}, 3)
				if v := got[all[0].name+":0"].Data.([]int64)[0]; v != 3*leaves || all[0].v != leaves {
					t.Errorf("%d, want %d", v, 3*leaves)
				}
			}
		}},
	} {
		t.Run(s.name, s.f)
	}
}

// TestTypes: types generated for one program are not assignable to those of another program.
func TestTypes(t *testing.T) {
	t.Run("two_graphs", func(t *testing.T) {
		for _, c := range [][2]reflect.Type{
			{reflect.TypeFor[model.TargetInput](), reflect.TypeFor[plain.TargetInput]()},
			{reflect.TypeFor[model.TargetOutput](), reflect.TypeFor[plain.TargetOutput]()},
			{reflect.TypeFor[*model.Model](), reflect.TypeFor[*plain.Model]()},
		} {
			if c[0].AssignableTo(c[1]) || c[1].AssignableTo(c[0]) {
				t.Errorf("%v and %v mix", c[0], c[1])
			}
		}
	})
}
