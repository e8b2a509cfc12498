package math_test

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TestIntegerElements checks the values that are inferred for integers computed from sizes.
func TestIntegerElements(t *testing.T) {
	for _, c := range []struct {
		op   string
		y    []int32 // the elements of the right operand; the left operand is the vector {B, 6}
		want string
	}{
		{"Add", []int32{1, 2}, "i32[2] = {B + 1, 8}"}, {"Sub", []int32{1}, "i32[2] = {B - 1, 5}"}, {"Mul", []int32{2, 3}, "i32[2] = {2*B, 18}"},
		{"FloorDiv", []int32{1, 4}, "i32[2] = {B, 1}"}, {"FloorDiv", []int32{0, 4}, "i32[2]"}, {"FloorMod", []int32{1, 4}, "i32[2] = {0, 2}"},
		{"Maximum", []int32{0, 9}, "i32[2] = {B, 9}"}, {"Minimum", []int32{0, 9}, "i32[2] = {0, 6}"}, {"Mul", []int32{1, 1 << 30}, "i32[2] = {B, -2147483648}"},
		{"Pow", []int32{2, 2}, "i32[2]"}, {"Less", []int32{2, 2}, "bool[2]"}, {"Add", []int32{1, 2, 3}, "InvalidArgument"},
	} {
		s := opstest.New(t)
		x := s.Feed("x", tensor.Float32, "B,6")
		y := s.Op(c.op, nil, s.Op("Shape", map[string]ir.Attr{"out_type": tensor.Int32}, x), s.Ints(c.y...))
		if got := s.Infer(y); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.op, c.y, got, c.want)
		}
	}
	for _, c := range []struct{ op, want string }{
		{"Prod", "i32[] = {6*B}"}, {"Sum", "i32[] = {B + 6}"}, {"Max", "i32[] = {max(6, B)}"}, {"Neg", "i32[2] = {-B, -6}"}, {"Cast", "i64[2] = {B, 6}"},
	} {
		s := opstest.New(t)
		shape := s.Op("Shape", map[string]ir.Attr{"out_type": tensor.Int32}, s.Feed("x", tensor.Float32, "B,6"))
		ins := []ir.Out{shape}
		if c.op != "Neg" && c.op != "Cast" {
			ins = append(ins, s.Ints(0))
		}
		if got := s.Infer(s.Op(c.op, map[string]ir.Attr{"DstT": tensor.Int64}, ins...)); got != c.want {
			t.Errorf("%s: %s, want %s", c.op, got, c.want)
		}
	}
}

// TestBroadcastShapesOfOps checks broadcast shapes and compile-time errors.
func TestBroadcastShapesOfOps(t *testing.T) {
	for _, c := range []struct{ op, a, b, want string }{
		{"AddV2", "B,6", "6", "f32[B,6]"}, {"AddV2", "B,1", "1,C", "f32[B,C]"}, {"AddV2", "B", "C", "f32[bcast(B, C)]"}, {"AddV2", "B,3", "B,4", "InvalidArgument"},
		{"Less", "2,1", "", "bool[2,1]"}, {"Equal", "3", "4", "InvalidArgument"}, {"ReluGrad", "B,6", "C,6", "f32[B,6]"}, {"ReluGrad", "3", "1", "InvalidArgument"},
		{"AddN", "B", "6", "f32[6]"}, {"BiasAdd", "B,7,C", "5", "f32[B,7,5]"}, {"BiasAdd", "B,4", "5", "InvalidArgument"}, {"BiasAdd", "4", "4", "InvalidArgument"},
		{"Complex", "B,1", "3", "c64[B,3]"},
	} {
		s := opstest.New(t)
		y := s.Op(c.op, nil, s.Feed("a", tensor.Float32, c.a), s.Feed("b", tensor.Float32, c.b))
		if got := s.Infer(y); got != c.want {
			t.Errorf("%s of [%s] and [%s]: %s, want %s", c.op, c.a, c.b, got, c.want)
		}
	}
	s := opstest.New(t)
	y := s.Op("Equal", map[string]ir.Attr{"incompatible_shape_error": false}, s.Feed("a", tensor.Float32, "3"), s.Feed("b", tensor.Float32, "4"))
	if got := s.Infer(y); got != "bool[]" {
		t.Errorf("Equal of shapes that do not fit: %s", got)
	}
}

// TestMerging checks how dimensions are merged for kernels, which dimensions are checked at run
// time, and how the loop over the outermost dimension is divided.
func TestMerging(t *testing.T) {
	for _, c := range []struct {
		a, b string
		// items is the number of iterations of the loop, such as "49*B". If no chunk of iterations
		// may cross a multiple of some number k, " by k" is appended. If there is no loop, items is "".
		items string
		// A:B for each dimension of a chunk, where A and B are the fields of the kernel's parameter
		// Dims
		dims   string
		checks int
	}{
		{"B,7,7,64", "B,7,7,64", "3136*B", "_n:_n", 0}, {"B,7,7,64", "64", "49*B", "_n:1 64:64", 0}, {"B,7,7,64", "", "3136*B", "_n:1", 0}, {"1,1", "1", "", "", 0},
		{"B,1,4", "1,C,4", "B", "_n:1 1:C 4:4", 0}, {"B,4", "C,4", "", "B:C 4:4", 1}, {"B,4,1", "B,1,5", "4*B by 4", "_n:1 1:5", 0}, {"B,4", "3,4", "", "B:3 4:4", 1},
	} {
		s := opstest.New(t)
		y := s.Op("Sub", nil, s.Feed("a", tensor.Float32, c.a), s.Feed("b", tensor.Float32, c.b))
		s.Fetches = []ir.Fetch{{Name: "y:0", Key: "y", Out: y}}
		if err := ops.Ops().Infer(s.Graph); err != nil {
			t.Fatal(err)
		}
		p, err := ops.Ops().Lower(s.Graph, "f")
		if err != nil {
			t.Fatal(err)
		}
		items := ""
		if l, ok := p.Steps[len(p.Steps)-1].(*plan.Par); ok {
			if items = l.Total.String(); l.Wrap != nil {
				items += " by " + l.Wrap.String()
			}
		}
		steps := plan.Flat(p.Steps)
		d := steps[len(steps)-1].(*plan.Call).Args[3].(plan.Struct)
		var got []string
		for i, a := range d.Fields["A"] {
			got = append(got, a.String()+":"+d.Fields["B"][i].String())
		}
		if g := strings.Join(got, " "); items != c.items || g != c.dims || len(p.Prologue) != c.checks {
			t.Errorf("[%s] - [%s]: %q with %s and %d checks, want %q with %s and %d", c.a, c.b, items, g, len(p.Prologue), c.items, c.dims, c.checks)
		}
	}
}

// TestReductionShapes checks result shapes and rejected axes.
func TestReductionShapes(t *testing.T) {
	for _, c := range []struct {
		axes []int32
		keep bool
		want string
	}{
		{[]int32{1, 2}, false, "f32[B,64]"}, {[]int32{-1}, true, "f32[B,7,7,1]"}, {nil, false, "f32[B,7,7,64]"}, {[]int32{0, 1, 2, 3}, false, "f32[]"},
		{[]int32{4}, false, "InvalidArgument"}, {[]int32{-5}, false, "InvalidArgument"}, {[]int32{0, -4}, false, "InvalidArgument"},
	} {
		s := opstest.New(t)
		y := s.Op("Mean", map[string]ir.Attr{"keep_dims": c.keep}, s.Feed("x", tensor.Float32, "B,7,7,64"), s.Ints(c.axes...))
		if got := s.Infer(y); got != c.want {
			t.Errorf("axes %v: %s, want %s", c.axes, got, c.want)
		}
	}
}
