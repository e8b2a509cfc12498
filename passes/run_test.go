package passes

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
	"golang.org/x/tools/txtar"
)

// dense returns the graph of testdata/run/dense.txtar, and options that supply the value of the
// graph's variable.
func dense(t *testing.T) (*ir.Graph, edit.Options) {
	a, err := txtar.ParseFile("testdata/run/dense.txtar")
	if err != nil {
		t.Fatal(err)
	}
	values := parse(t, section(a, "values"))
	return parse(t, section(a, "in")), edit.Options{Ops: ops.Ops(), Eval: eval, Check: true, Values: func(node string) (*tensor.Tensor, error) {
		return values.Node(node).Value(), nil
	}}
}

// TestFuel checks that the graph computes the same result for every limit on the number of edits,
// that is, wherever the passes stop.
func TestFuel(t *testing.T) {
	feeds := map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{2, 2}, []float32{1, -2, 3, 4}))}
	var want []float32
	seen := map[int]bool{}
	for fuel := 0; ; fuel++ {
		g, o := dense(t)
		left := fuel
		o.Fuel = &left
		if err := Run(g, o); err != nil {
			t.Fatalf("fuel %d: %v", fuel, err)
		}
		seen[len(g.Nodes)] = true
		got, err := run(g, feeds)
		if err != nil {
			t.Fatalf("fuel %d: %v", fuel, err)
		}
		y := tensor.Data[float32](got["y:0"])
		if fuel == 0 {
			want = y
		}
		for i := range want {
			if math.Abs(float64(y[i]-want[i])) > 1e-4 {
				t.Fatalf("fuel %d: got %v, want %v", fuel, y, want)
			}
		}
		if left > 0 {
			if fuel < 5 || len(seen) < 3 {
				t.Errorf("all is done after %d edits, with %d sizes of the graph in between", fuel, len(seen))
			}
			return
		}
	}
}

// TestDeterministic checks that two runs of the passes on the same graph result in graphs with the
// same text.
func TestDeterministic(t *testing.T) {
	var texts [2]string
	for i := range texts {
		g, o := dense(t)
		if err := Run(g, o); err != nil {
			t.Fatal(err)
		}
		texts[i] = g.Text(ir.PrintOptions{Origins: true})
	}
	if texts[0] != texts[1] {
		t.Errorf("first\n%s\nsecond\n%s", texts[0], texts[1])
	}
}

// TestDump: Options.Dump is called for every pass.
func TestDump(t *testing.T) {
	g, o := dense(t)
	var names []string
	o.Dump = func(pass string, g *ir.Graph) { names = append(names, pass) }
	if err := Run(g, o); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(names, " ")
	for _, p := range Table() {
		if !strings.Contains(" "+got+" ", " "+p.Name+" ") {
			t.Errorf("%s is missing from the dumps %s", p.Name, got)
		}
	}
}

// TestCheckNamesThePass: if a pass breaks the graph or panics, the error contains the name of the
// pass.
func TestCheckNamesThePass(t *testing.T) {
	g, o := dense(t)
	s := edit.NewState(g, o)
	_, err := one(s, Pass{Name: "bad", run: func(s *edit.State) (bool, error) {
		s.G.Nodes = s.G.Nodes[1:]
		return true, nil
	}}, 1)
	if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "after pass bad") {
		t.Errorf("got %v", err)
	}
	_, err = one(s, Pass{Name: "worse", run: func(*edit.State) (bool, error) { panic("oops") }}, 1)
	if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "pass worse: oops") {
		t.Errorf("got %v", err)
	}
}

// chain builds a graph with n functions f0, f1, … Each function calls the next function several
// times; the parameter calls is the number of times.
func chain(n, calls int) *ir.Graph {
	g := ir.NewGraph("g")
	g.Library = &ir.Library{Functions: map[string]*ir.Function{}}
	for i := range n {
		b := ir.NewGraph(fmt.Sprintf("f%d", i))
		out := ir.Out{Node: b.NewNode("a", "_Arg", map[string]ir.Attr{"index": int64(0)}, 1)}
		for range calls {
			op := fmt.Sprintf("f%d", i+1)
			if i == n-1 {
				op = "Neg"
			}
			out = ir.Out{Node: b.NewNode("n", op, nil, 1, out)}
		}
		b.NewNode("r", "_Retval", map[string]ir.Attr{"index": int64(0)}, 0, out)
		f := fmt.Sprintf("f%d", i)
		g.Library.Functions[f] = &ir.Function{Name: f, Args: make([]ir.Param, 1), Rets: make([]ir.Param, 1), Body: b}
	}
	x := g.NewNode("x", "Placeholder", map[string]ir.Attr{"dtype": tensor.Float32}, 1)
	y := g.NewNode("y", "f0", nil, 1, ir.Out{Node: x})
	g.Feeds = []ir.Feed{{Name: "x:0", Out: ir.Out{Node: x}}}
	g.Fetches = []ir.Fetch{{Name: "y:0", Out: ir.Out{Node: y}}}
	return g
}

func TestInlineLimits(t *testing.T) {
	if err := Run(chain(edit.MaxDepth, 1), edit.Options{Ops: ops.Ops(), NoOpt: true}); err != nil {
		t.Errorf("calls %d deep: %v", edit.MaxDepth, err)
	}
	err := Run(chain(edit.MaxDepth+1, 1), edit.Options{Ops: ops.Ops(), NoOpt: true})
	if tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("calls %d deep: %v, want ResourceExhausted", edit.MaxDepth+1, err)
	}
	// Every level of calls multiplies the number of nodes by 64, so the third level exceeds the
	// limit. The graph is rejected before any of these nodes is made.
	err = Run(chain(6, 64), edit.Options{Ops: ops.Ops(), NoOpt: true, Limits: ir.Limits{Inlined: 10000}})
	if tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("64⁶ calls: %v, want ResourceExhausted", err)
	}
}

// TestCycle: a graph with a cycle of data edges is rejected.
func TestCycle(t *testing.T) {
	g := chain(1, 1)
	y := g.Node("y")
	z := g.NewNode("z", "f0", nil, 1, ir.Out{Node: y})
	y.Ins[0] = ir.Out{Node: z}
	if err := Run(g, edit.Options{Ops: ops.Ops()}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("got %v, want InvalidArgument", err)
	}
}

// TestLevels checks the levels of ops. Passes that merge, move and drop nodes use these levels.
func TestLevels(t *testing.T) {
	l := edit.NewLevels(ops.Ops(), nil)
	for op, want := range map[string]lower.Level{"AddV2": lower.Pure, "StatefulRandomBinomial": lower.Effects, "Const": lower.Pure, "Placeholder": lower.Source, "VarHandleOp": lower.Source,
		"ReadVariableOp": lower.Reads, "RandomUniform": lower.Reads, "StatelessRandomUniform": lower.Pure, "AssignVariableOp": lower.Effects,
		"Assign": lower.Effects, "PrintV2": lower.Effects, "CheckNumerics": lower.Effects, "QueueEnqueueV2": lower.Effects, "NoOp": lower.Pure, "StatelessIf": lower.Pure,
		"TensorListSetItem": lower.Pure, "TensorArrayV3": lower.Reads, "TensorArrayReadV3": lower.Reads, "TensorArrayWriteV2": lower.Effects, "TensorArrayWriteV3": lower.Effects,
		"StackV2": lower.Reads, "StackPopV2": lower.Effects, "FIFOQueueV2": lower.Source, "QueueDequeueV2": lower.Effects, "LookupTableFindV2": lower.Reads,
		"LookupTableInsertV2": lower.Effects, "StatelessRandomGetAlg": lower.Pure, "_LoopVar": lower.Pure, "_Alive": lower.Effects, "ResourceApplyAdam": lower.Effects} {
		if got := l.Of(&ir.Node{Name: "n", Op: op}); got != want {
			t.Errorf("%s is of level %d, want %d", op, got, want)
		}
	}
}
