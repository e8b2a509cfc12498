package pipeline

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"*", "x/y", true}, {"dense/*", "dense/a/b", true}, {"dense/*", "dense", false},
		{"*/MatMul", "a/b/MatMul", true}, {"*a*b", "aab", true}, {"*a*b", "aba", false}, {"a?c", "abc", true}, {"a?c", "ac", false}, {"", "a", false},
		{strings.Repeat("*a", 40) + "b", strings.Repeat("a", 200), false},
		{"a?c", "aéc", true}, {"a?c", "aéé", false}, {"?", "日", true}, {"*?", "日", true}, {"??", "日", false},
	} {
		if got := glob(c.pattern, c.name); got != c.want {
			t.Errorf("%q of %q is %v", c.pattern, c.name, got)
		}
	}
}

func unary(op, name, x string) string {
	return `node { name: "` + name + `" op: "` + op + `" input: "` + x + `" attr { key: "T" value { type: DT_FLOAT } } }
`
}

// watchGraph computes y = neg(log(x - b)). The passes remove the node l/same and fuse other nodes.
// The graph also has an unused node, and a branch with the node minus.
var watchGraph = feed("x", "dim { size: -1 }") + feed("b", "dim { size: -1 }") +
	binary("Sub", "l/sub", "x", "b") + unary("Log", "l/log", "l/sub") + unary("Identity", "l/same", "l/log") + unary("Neg", "y", "l/same") +
	unary("Exp", "unused", "x") + `
node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "shape" value { shape { } } } }
node { name: "s" op: "Switch" input: "y" input: "p" attr { key: "T" value { type: DT_FLOAT } } }
` + unary("Neg", "minus", "s:1") + `
node { name: "m" op: "Merge" input: "s" input: "minus" attr { key: "T" value { type: DT_FLOAT } } attr { key: "N" value { i: 2 } } }
versions { producer: 1000 }`

func TestWatch(t *testing.T) {
	path := write(t, watchGraph)
	o := Options{Feeds: []string{"x", "b", "p"}, Fetches: []string{"m"}, Check: true}
	x, b := f32(tensor.Shape{2}, 3, 5), f32(tensor.Shape{2}, 2, 4)
	for _, c := range []struct {
		patterns []string
		want     string
		err      string
	}{
		{[]string{"l/*"}, "l/sub:0=[1 1] l/log:0=[0 0] l/same:0=[0 0]", ""},
		{[]string{"*sub*", "y"}, "l/sub:0=[1 1] y:0=[-0 -0]", ""},
		{[]string{"x"}, "x:0=[3 5]", ""},
		{[]string{"m:0"}, "m:0=[0 0]", ""},
		{[]string{"minus"}, "", `"minus" (Neg) cannot be watched: it may run several times in a branch of`},
		{[]string{"m*s"}, "", `no node outside of loops and branches matches "m*s"`},
		{[]string{"unused"}, "", `no node outside of loops and branches matches "unused"`},
	} {
		o.Watch = c.patterns
		p, err := Compile([]string{path}, o)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v, want %s", c.patterns, err, c.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.patterns, err)
			continue
		}
		r, err := p.Runner(p.Signatures[0])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		ctx := rt.WithRun(t.Context(), rt.Watch(func(name string, x *tensor.Tensor) error {
			got = append(got, fmt.Sprintf("%s=%v", name, x.Data))
			return nil
		}))
		feeds := map[string]*tensor.Tensor{"x:0": x, "b:0": b, "p:0": tensor.Must(tensor.From(nil, []bool{true}))}
		out, err := r.Run(ctx, feeds)
		if text := strings.Join(got, " "); err != nil || text != c.want {
			t.Errorf("%q: %v, %s, want %s", c.patterns, err, text, c.want)
		}
		if len(out) != 1 || out["m:0"] == nil {
			t.Errorf("%q: the results are %v", c.patterns, out)
		}
		stop := tensor.Errorf(tensor.Aborted, "seen enough")
		if _, err := r.Run(rt.WithRun(t.Context(), rt.Watch(func(string, *tensor.Tensor) error { return stop })), feeds); tensor.CodeOf(err) != tensor.Aborted {
			t.Errorf("%q: a watch that fails gives %v", c.patterns, err)
		}
	}
}

// TestCheckNumerics checks, with and without the optional passes, that a run ends with an error at
// the first node that computes a NaN or an Inf.
func TestCheckNumerics(t *testing.T) {
	path := write(t, watchGraph)
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		x, b []float32
		want string
	}{
		{[]float32{3, 5}, []float32{2, 4}, ""},
		{[]float32{3, 5}, []float32{2, 5}, `node "l/log/check" (CheckNumerics): InvalidArgument: l/log:0 (Log) : Tensor had Inf values`},
		{[]float32{3, 5}, []float32{2, 6}, `node "l/log/check" (CheckNumerics): InvalidArgument: l/log:0 (Log) : Tensor had NaN values`},
		{[]float32{3, 5}, []float32{3, 6}, `node "l/log/check" (CheckNumerics): InvalidArgument: l/log:0 (Log) : Tensor had Inf and NaN values`},
		{[]float32{inf, 5}, []float32{2, 4}, `node "l/sub/check" (CheckNumerics): InvalidArgument: l/sub:0 (Sub) : Tensor had Inf values`},
		{[]float32{inf, 5}, []float32{inf, 4}, `node "l/sub/check" (CheckNumerics): InvalidArgument: l/sub:0 (Sub) : Tensor had NaN values`},
	} {
		for _, noOpt := range []bool{false, true} {
			p, err := Compile([]string{path}, Options{Feeds: []string{"x", "b", "p"}, Fetches: []string{"m"}, CheckNumerics: true, NoOpt: noOpt})
			if err != nil {
				t.Fatal(err)
			}
			out, err := run(t, p, map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{2}, c.x...), "b:0": f32(tensor.Shape{2}, c.b...), "p:0": tensor.Must(tensor.From(nil, []bool{false}))})
			if c.want == "" && (err != nil || !reflect.DeepEqual(out["m:0"].Shape, tensor.Shape{2})) || c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("%v and %v: %v, %v, want %s", c.x, c.b, out, err, c.want)
			}
		}
	}
}

// TestCheckNumericsInBranch: only nodes that run are checked.
func TestCheckNumericsInBranch(t *testing.T) {
	path := write(t, strings.Replace(watchGraph, unary("Neg", "minus", "s:1"), unary("Log", "minus", "s:1"), 1))
	p, err := Compile([]string{path}, Options{Feeds: []string{"x", "b", "p"}, Fetches: []string{"m"}, CheckNumerics: true, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	for taken, want := range map[bool]string{false: "", true: `node "minus/check" (CheckNumerics): InvalidArgument: minus:0 (Log) : Tensor had NaN values`} {
		_, err := run(t, p, map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{1}, 4), "b:0": f32(tensor.Shape{1}, 2), "p:0": tensor.Must(tensor.From(nil, []bool{taken}))})
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("taken %v: %v, want %q", taken, err, want)
		}
	}
}
