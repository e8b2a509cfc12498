package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// functions returns the text of a library of functions f0, f1, …, f(n-1). Each function calls the
// next one several times in sequence; the parameter calls is the number of times. The last function
// has Neg nodes instead of calls.
func functions(n, calls int) string {
	var b strings.Builder
	b.WriteString("library {\n")
	for i := range n {
		op, attr := fmt.Sprintf("f%d", i+1), ""
		if i == n-1 {
			op, attr = "Neg", ` attr { key: "T" value { type: DT_FLOAT } }`
		}
		fmt.Fprintf(&b, "function { signature { name: \"f%d\" input_arg { name: \"a\" type: DT_FLOAT } output_arg { name: \"r\" type: DT_FLOAT } }\n", i)
		in := "a"
		for k := range calls {
			fmt.Fprintf(&b, "node_def { name: \"n%d\" op: %q input: %q%s }\n", k, op, in, attr)
			in = fmt.Sprintf("n%d:r:0", k)
			if op == "Neg" {
				in = fmt.Sprintf("n%d:y:0", k)
			}
		}
		fmt.Fprintf(&b, "ret { key: \"r\" value: %q } }\n", in)
	}
	return b.String() + "}\n"
}

// filled returns the text of a Const node whose elements are all 0.5. The parameter sizes has the
// sizes of its dimensions.
func filled(name string, sizes ...int) string {
	dims := ""
	for _, d := range sizes {
		dims += fmt.Sprintf(" dim { size: %d }", d)
	}
	return fmt.Sprintf(`node { name: %q op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {%s } float_val: 0.5 } } } }
`, name, dims)
}

// nested returns the text of a node with an attribute that is a function. This function has an
// attribute that is a function, and so on, to the given depth.
func nested(depth int) string {
	return `node { name: "n" op: "NoOp" attr { key: "_a" value { ` + strings.Repeat(`func { name: "f" attr { key: "_a" value { `, depth) +
		`i: 1` + strings.Repeat(` } } }`, depth) + " } } }\n"
}

// TestLimits: a graph that exceeds a limit gives an error. Its text names the flag that raises the
// limit and, for some limits, the node or function.
func TestLimits(t *testing.T) {
	x := feed("x", "dim { size: 4 }")
	call := `node { name: "y" op: "f0" input: "x" }` + "\n"
	for name, c := range map[string]struct {
		graph        string
		tight, loose ir.Limits
		code         tensor.Code
		// The field want is a text in the error for the limits in the field tight. The field
		// otherwise is a text in the error for the limits in the field loose; if it is "",
		// compiling succeeds with these limits.
		want, otherwise string
	}{
		"depth":    {x + binary("AddV2", "y", "x", "x") + nested(10), ir.Limits{Depth: 20}, ir.Limits{Depth: 60}, tensor.InvalidArgument, "more than 20 deep; --max-depth", ""},
		"default":  {x + binary("AddV2", "y", "x", "x") + nested(40), ir.Limits{}, ir.Limits{Depth: 1000}, tensor.InvalidArgument, "more than 100 deep; --max-depth", ""},
		"nodes":    {x + binary("AddV2", "y", "x", "x"), ir.Limits{Nodes: 1}, ir.Limits{Nodes: 2}, tensor.ResourceExhausted, `node "y" (AddV2): ResourceExhausted: the graph has 2 nodes, at most 1 are accepted; --max-nodes`, ""},
		"function": {x + call + functions(1, 3), ir.Limits{Nodes: 4}, ir.Limits{Nodes: 5}, tensor.ResourceExhausted, `function "f0": node "n2" (Neg): ResourceExhausted: the graph has 5 nodes, at most 4 are accepted; --max-nodes`, ""},
		"inlined":  {x + call + functions(4, 8), ir.Limits{Inlined: 4000}, ir.Limits{Inlined: 6000}, tensor.ResourceExhausted, `node "y" (f0): ResourceExhausted: inlining functions makes the graph larger than 4000 nodes; --max-inlined`, ""},
		// Inlining would give 2^40 nodes. The compiler counts them and does not make them.
		"inlined twice": {x + call + functions(40, 2), ir.Limits{}, ir.Limits{Inlined: 1}, tensor.ResourceExhausted, `inlining functions makes the graph larger than 4000000 nodes; --max-inlined`, "larger than 1 nodes"},
		"calls":         {x + call + functions(5, 1), ir.Limits{Calls: 4}, ir.Limits{Calls: 5}, tensor.ResourceExhausted, `function "f0": ResourceExhausted: calls in the function nest deeper than 4; --max-calls`, ""},
		"default calls": {x + call + functions(101, 1), ir.Limits{}, ir.Limits{Calls: 101}, tensor.ResourceExhausted,
			`calls in the function nest deeper than 100; --max-calls`, ""},
		"time": {x + binary("AddV2", "y", "x", "x"), ir.Limits{Time: 1}, ir.Limits{}, tensor.ResourceExhausted, "compiling takes longer than 1ns", ""},
	} {
		path := write(t, c.graph)
		if _, err := Compile([]string{path}, Options{Limits: c.tight}); tensor.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s and %s", name, err, c.code, c.want)
		}
		if _, err := Compile([]string{path}, Options{Limits: c.loose}); (err == nil) != (c.otherwise == "") || err != nil && !strings.Contains(err.Error(), c.otherwise) {
			t.Errorf("%s with more: %v, want %q", name, err, c.otherwise)
		}
	}
}

// TestFoldLimits: nodes beyond the limits of folding are computed in each run, with the same
// result.
func TestFoldLimits(t *testing.T) {
	text := feed("x", "dim { size: 1 }") + filled("a", 8, 2) + filled("b", 2, 8) + binary("MatMul", "m", "a", "b") + binary("AddV2", "y", "x", "m")
	path := write(t, text)
	for name, c := range map[string]struct {
		limits ir.Limits
		folded bool
	}{
		"enough":    {ir.Limits{FoldNode: 256, FoldTotal: 256}, true},
		"a node":    {ir.Limits{FoldNode: 100}, true}, // FoldNode does not apply to a tensor that is at most four times as large as the node's inputs
		"in all":    {ir.Limits{FoldTotal: 100}, false},
		"no longer": {ir.Limits{Time: time.Minute}, true},
	} {
		p, err := Compile([]string{path}, Options{Limits: c.limits})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		folded := true
		for _, n := range p.Signatures[0].Graph.Nodes {
			folded = folded && n.Op != "MatMul"
		}
		if folded != c.folded {
			t.Errorf("%s: folded is %t", name, folded)
		}
		got, err := run(t, p, map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{1}, 1)})
		if err != nil || tensor.Data[float32](got["y:0"])[63] != 1.5 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	// The outer product of two vectors of 64 elements is 64 times as large as one of the vectors.
	path = write(t, feed("x", "dim { size: 1 }")+filled("a", 64, 1)+filled("b", 1, 64)+binary("MatMul", "m", "a", "b")+binary("AddV2", "y", "x", "m"))
	for _, most := range []int{64*64*4 - 1, 64 * 64 * 4} {
		p, err := Compile([]string{path}, Options{Limits: ir.Limits{FoldNode: most}})
		if err != nil {
			t.Fatal(err)
		}
		if kept := p.Signatures[0].Graph.Node("m") != nil; kept != (most < 64*64*4) {
			t.Errorf("with %d bytes a node the product stays is %t", most, kept)
		}
	}
}

// TestFoldTime: a product whose estimated time exceeds the limit of folding is computed at run
// time.
func TestFoldTime(t *testing.T) {
	path := write(t, feed("x", "dim { size: 1 }")+filled("a", 3000, 3000)+binary("MatMul", "m", "a", "a")+binary("AddV2", "y", "x", "m"))
	p, err := Compile([]string{path}, Options{Limits: ir.Limits{Time: 10 * time.Second, FoldNode: 1 << 30, FoldTotal: 1 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Signatures[0].Graph.Node("m") == nil {
		t.Error("2.7·10¹⁰ multiplications are made in the 2.5 seconds that folding may take")
	}
}

// TestWithin: Within does not wait for a function that ignores the deadline, and a panic becomes an
// error.
func TestWithin(t *testing.T) {
	stop := make(chan struct{})
	defer close(stop)
	start := time.Now()
	_, err := Within(ir.In(context.Background(), 10*time.Millisecond), func() (int, error) {
		<-stop
		return 1, nil
	})
	if tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "--max-time") {
		t.Errorf("too long: %v", err)
	}
	if d := time.Since(start); d > grace+5*time.Second {
		t.Errorf("it took %v", d)
	}
	for _, d := range []ir.Deadline{{}, ir.In(context.Background(), time.Minute)} {
		var none []int
		_, err = Within(d, func() (int, error) { return none[len(none)], nil })
		if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "limits_test.go:") {
			t.Errorf("a panic: %v", err)
		}
		if v, err := Within(d, func() (int, error) { return 7, nil }); v != 7 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	}
	if _, err := Load([]string{"no such file"}, frontend.Options{}); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no file: %v", err)
	}
}

// TestRunBytes checks the limit for the buffers of a run. In interpreted plans, a run that exceeds
// the limit fails, and the error contains the name of the node. The code of an emitted package
// opens the model with this limit.
func TestRunBytes(t *testing.T) {
	path := write(t, feed("x", "dim { size: -1 } dim { size: 1 }")+filled("a", 1, 1000)+binary("MatMul", "y", "x", "a"))
	feeds := map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{4, 1}, 1, 2, 3, 4)}
	for _, most := range []int{16_000 - 1, 100_000} {
		p, err := Compile([]string{path}, Options{Limits: ir.Limits{RunBytes: most}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = run(t, p, feeds)
		if most == 100_000 {
			if err != nil {
				t.Errorf("with %d bytes: %v", most, err)
			}
		} else if tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), `node "y" (MatMul)`) || !strings.Contains(err.Error(), "max-bytes") {
			t.Errorf("with %d bytes: %v", most, err)
		}
		files, err := codegen.Emit(&codegen.Package{Name: "m", Model: "m.pb", Plans: p.Plans(), Defaults: codegen.Defaults{MaxBytes: p.Defaults.MaxBytes}})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("rt.WithMaxBytes(%d)", most); !strings.Contains(openedWith(files), want) {
			t.Errorf("the package does not open its model with %s", want)
		}
	}
	p, err := Compile([]string{path}, Options{})
	if err != nil || p.Defaults.MaxBytes != 0 {
		t.Errorf("without a limit of its own: %d, %v", p.Defaults.MaxBytes, err)
	}
	files, err := codegen.Emit(&codegen.Package{Name: "m", Model: "m.pb", Plans: p.Plans(), Defaults: codegen.Defaults{MaxBytes: 1 << 40}})
	if err != nil || !strings.Contains(openedWith(files), "rt.WithMaxBytes(min(1099511627776, math.MaxInt))") {
		t.Errorf("a limit that a short int does not hold: %v", err)
	}
}

// openedWith returns the statements of generated files that open a model.
func openedWith(files map[string][]byte) string {
	var b strings.Builder
	for _, data := range files {
		if _, open, ok := strings.Cut(string(data), "rt.Open("); ok {
			open, _, _ = strings.Cut(open, "if err")
			b.WriteString(open)
		}
	}
	return b.String()
}

// TestMostElements: a tensor with as many elements as an int can count is too large, and a
// dimension that no int can hold is invalid, as in TensorFlow.
func TestMostElements(t *testing.T) {
	p, err := Compile([]string{write(t, feed("x", "dim { size: -1 }")+`node { name: "m" op: "Const" attr { key: "dtype" value { type: DT_INT64 } } attr { key: "value" value { tensor { dtype: DT_INT64 tensor_shape { dim { size: 1 } } int64_val: 9223372036854775807 } } } }
node { name: "y" op: "Tile" input: "x" input: "m" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tmultiples" value { type: DT_INT64 } } }`)},
		Options{Feeds: []string{"x:0"}, Fetches: []string{"y:0"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Runner(p.Signatures[0])
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []tensor.Code{tensor.OK, tensor.ResourceExhausted, tensor.InvalidArgument} {
		_, err := r.Run(context.Background(), map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{n}, make([]float32, n)...)})
		if tensor.CodeOf(err) != want {
			t.Errorf("%d elements: %v, %s is wanted", n, err, want)
		}
	}
}
