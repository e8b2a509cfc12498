package ops_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestRefusedWindows checks which attributes ops with windows reject, and whether at compile time
// or at run time.
func TestRefusedWindows(t *testing.T) {
	conv := func(stride1, stride2 int64) map[string]ir.Attr {
		return map[string]ir.Attr{"T": tensor.Float32, "strides": []int64{1, stride1, stride2, 1}, "ksize": []int64{1, 2, 2, 1}, "padding": "SAME"}
	}
	for _, c := range []struct {
		op      string
		h, w    int64
		filter  []any
		compile bool
	}{
		{"Conv2D", 2, 1, []any{2, 2, 2, 3}, false},
		{"Conv2D", 1 << 40, 1, []any{2, 2, 2, 3}, true},
		{"Conv2D", -1 << 63, 1, []any{2, 2, 2, 3}, true},
		{"MaxPool", 1 << 40, 1, nil, true},
		{"MaxPool", 2, 1, nil, false},
		{"DepthwiseConv2dNative", 2, 2, []any{2, 2, 2, 1}, false},
		{"DepthwiseConv2dNative", 2, 2, []any{2, 2, 2, 0}, false},
		{"DepthwiseConv2dNative", 2, 1, []any{2, 2, 2, 1}, true},
	} {
		g := opstest.New(t)
		ins := []ir.Out{g.Feed("x", tensor.Float32, "B", 4, 4, 2)}
		feeds := map[string]*tensor.Tensor{"x:0": opstest.Zeros(t, tensor.Float32, 2, 4, 4, 2)}
		if c.filter != nil {
			ins = append(ins, g.Feed("f", tensor.Float32, c.filter...))
			var s tensor.Shape
			for _, d := range c.filter {
				s = append(s, d.(int))
			}
			feeds["f:0"] = opstest.Zeros(t, tensor.Float32, s...)
		}
		p, err := g.Lower(g.Op(c.op, conv(c.h, c.w), ins...))
		if c.compile || err != nil {
			if !c.compile || tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s with strides %d and %d: %v", c.op, c.h, c.w, err)
			}
			continue
		}
		x, err := exec.New(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Run(context.Background(), feeds); err != nil {
			t.Errorf("%s with strides %d and %d: %v", c.op, c.h, c.w, err)
		}
	}
}

// TestCodes checks the codes of errors for inputs at run time.
func TestCodes(t *testing.T) {
	type feeds map[string]*tensor.Tensor
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph) ir.Out
		feeds feeds
		want  tensor.Code
	}{
		{"Cross of pairs", func(g opstest.Graph) ir.Out {
			return g.Op("Cross", nil, g.Feed("x", tensor.Float32, "B", "N"), g.Feed("y", tensor.Float32, "B", "N"))
		}, feeds{"x:0": opstest.Zeros(t, tensor.Float32, 1, 2), "y:0": opstest.Zeros(t, tensor.Float32, 1, 2)}, tensor.FailedPrecondition},
		{"IRFFT of no length", func(g opstest.Graph) ir.Out {
			return g.Op("IRFFT", map[string]ir.Attr{"Treal": tensor.Float32}, g.Feed("x", tensor.Complex64, 3), g.Feed("n", tensor.Int32, 1))
		}, feeds{"x:0": opstest.Zeros(t, tensor.Complex64, 3), "n:0": opstest.Zeros(t, tensor.Int32, 1)}, tensor.InvalidArgument},
		{"ReduceJoin over an axis twice", func(g opstest.Graph) ir.Out {
			return g.Op("ReduceJoin", nil, g.Feed("s", tensor.String, "B", "N"), g.Feed("axes", tensor.Int32, 2))
		}, feeds{"s:0": opstest.Zeros(t, tensor.String, 2, 2), "axes:0": tensor.Must(tensor.From(tensor.Shape{2}, []int32{1, -1}))}, tensor.InvalidArgument},
		{"MaxPool3DGradGrad of nothing", func(g opstest.Graph) ir.Out {
			return g.Op("MaxPool3DGradGrad", map[string]ir.Attr{"T": tensor.Float32, "ksize": []int64{1, 2, 2, 2, 1}, "strides": []int64{1, 2, 2, 2, 1}, "padding": "SAME"},
				g.Feed("x", tensor.Float32, "B", 4, 4, 4, 1), g.Feed("y", tensor.Float32, "B", 2, 2, 2, 1), g.Feed("d", tensor.Float32, "B", 4, 4, 4, 1))
		}, feeds{"x:0": opstest.Zeros(t, tensor.Float32, 0, 4, 4, 4, 1), "y:0": opstest.Zeros(t, tensor.Float32, 0, 2, 2, 2, 1), "d:0": opstest.Zeros(t, tensor.Float32, 0, 4, 4, 4, 1)},
			tensor.InvalidArgument},
	} {
		g := opstest.New(t)
		p, err := g.Lower(c.build(g))
		if err != nil {
			t.Errorf("%s: compiling: %v", c.name, err)
			continue
		}
		x, err := exec.New(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.Run(context.Background(), c.feeds); tensor.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestRefusedStrings checks compile-time errors of ops on strings.
func TestRefusedStrings(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph) ir.Out
		ok    bool
	}{
		{"padded to -4", func(g opstest.Graph) ir.Out {
			return g.Op("DecodePaddedRaw", map[string]ir.Attr{"out_type": tensor.Float32}, g.Feed("s", tensor.String, "B"), g.Int(-4))
		}, false},
		{"padded to 8", func(g opstest.Graph) ir.Out {
			return g.Op("DecodePaddedRaw", map[string]ir.Attr{"out_type": tensor.Float32}, g.Feed("s", tensor.String, "B"), g.Int(8))
		}, true},
		{"no placeholder", func(g opstest.Graph) ir.Out {
			return g.Op("StringFormat", map[string]ir.Attr{"template": "none", "placeholder": "{}"}, g.Feed("x", tensor.Float32, "B"))
		}, false},
		{"a placeholder", func(g opstest.Graph) ir.Out {
			return g.Op("StringFormat", map[string]ir.Attr{"template": "x {}", "placeholder": "{}"}, g.Feed("x", tensor.Float32, "B"))
		}, true},
	} {
		g := opstest.New(t)
		_, err := g.Lower(c.build(g))
		if c.ok && err != nil || !c.ok && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestJoinFedAxes checks that the axes along which strings are joined may be fed if their number is
// known.
func TestJoinFedAxes(t *testing.T) {
	src := tensor.Must(tensor.From(tensor.Shape{2, 3}, []string{"a", "b", "c", "d", "e", "f"}))
	for _, c := range []struct {
		axes []int32
		keep bool
		want string
	}{
		{[]int32{0}, false, "[3] [ad be cf]"}, {[]int32{-1}, false, "[2] [abc def]"}, {[]int32{1}, true, "[2,1] [abc def]"},
		{[]int32{1, 0}, false, "[] [abcdef]"}, {[]int32{0, -1}, true, "[1,1] [adbecf]"},
	} {
		for _, fed := range []bool{false, true} {
			g := opstest.New(t)
			axes := g.Ints(c.axes...)
			feeds := map[string]*tensor.Tensor{"s:0": src}
			if fed {
				axes = g.Feed("axes", tensor.Int32, len(c.axes))
				feeds["axes:0"] = tensor.Must(tensor.From(tensor.Shape{len(c.axes)}, c.axes))
			}
			p, err := g.Lower(g.Op("ReduceJoin", map[string]ir.Attr{"keep_dims": c.keep}, g.Feed("s", tensor.String, "B", "N"), axes))
			if err != nil {
				t.Fatal(err)
			}
			x, err := exec.New(p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Run(context.Background(), feeds)
			if err != nil {
				t.Errorf("%v, fed %v: %v", c.axes, fed, err)
				continue
			}
			y := got["reducejoin:0"]
			if s := fmt.Sprint(y.Shape, y.Data); s != c.want {
				t.Errorf("%v, keep_dims %v, fed %v: %s, want %s", c.axes, c.keep, fed, s, c.want)
			}
		}
	}
}
