package ops

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// scene is a graph under construction.
type scene struct {
	t *testing.T
	g *ir.Graph
}

func newScene(t *testing.T) *scene { return &scene{t, ir.NewGraph("test")} }

// feed adds a fed placeholder; dims are as in "B,3".
func (s *scene) feed(name string, d tensor.DType, dims string) ir.Out {
	shape := ir.Shape{Known: true}
	for _, f := range strings.FieldsFunc(dims, func(r rune) bool { return r == ',' }) {
		e, err := sym.Parse(f)
		if err != nil {
			s.t.Fatal(err)
		}
		shape.Dims = append(shape.Dims, e)
	}
	n := s.g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": d}, 1)
	o := ir.Out{Node: n}
	s.g.Feeds = append(s.g.Feeds, ir.Feed{Name: name + ":0", Key: name, Out: o, Shape: shape})
	return o
}

func (s *scene) ints(vs ...int32) ir.Out {
	return s.g.NewConst("c", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{len(vs)}, Data: vs})
}

func (s *scene) op(op string, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	return ir.Out{Node: s.g.NewNode("y", op, attrs, 1, ins...)}
}

func (s *scene) infer(y ir.Out) string {
	s.t.Helper()
	if err := Ops().Infer(s.g); err != nil {
		return tensor.CodeOf(err).String()
	}
	return y.Fact().String()
}

// TestIntegerElements checks what is known of integers computed from sizes.
func TestIntegerElements(t *testing.T) {
	for _, c := range []struct {
		op   string
		y    []int32 // the right operand, beside the shape of x[B,6]
		want string
	}{
		{"Add", []int32{1, 2}, "i32[2] = {B + 1, 8}"}, {"Sub", []int32{1}, "i32[2] = {B - 1, 5}"}, {"Mul", []int32{2, 3}, "i32[2] = {2*B, 18}"},
		{"FloorDiv", []int32{1, 4}, "i32[2] = {B, 1}"}, {"FloorDiv", []int32{0, 4}, "i32[2]"}, {"FloorMod", []int32{1, 4}, "i32[2] = {0, 2}"},
		{"Maximum", []int32{0, 9}, "i32[2] = {B, 9}"}, {"Minimum", []int32{0, 9}, "i32[2] = {0, 6}"}, {"Mul", []int32{1, 1 << 30}, "i32[2] = {B, -2147483648}"},
		{"Pow", []int32{2, 2}, "i32[2]"}, {"Less", []int32{2, 2}, "bool[2]"}, {"Add", []int32{1, 2, 3}, "InvalidArgument"},
	} {
		s := newScene(t)
		x := s.feed("x", tensor.Float32, "B,6")
		y := s.op(c.op, nil, s.op("Shape", map[string]ir.Attr{"out_type": tensor.Int32}, x), s.ints(c.y...))
		if got := s.infer(y); got != c.want {
			t.Errorf("%s with %v: %s, want %s", c.op, c.y, got, c.want)
		}
	}
	for _, c := range []struct{ op, want string }{
		{"Prod", "i32[] = {6*B}"}, {"Sum", "i32[] = {B + 6}"}, {"Max", "i32[] = {max(6, B)}"}, {"Neg", "i32[2] = {-B, -6}"}, {"Cast", "i64[2] = {B, 6}"},
	} {
		s := newScene(t)
		shape := s.op("Shape", map[string]ir.Attr{"out_type": tensor.Int32}, s.feed("x", tensor.Float32, "B,6"))
		ins := []ir.Out{shape}
		if c.op != "Neg" && c.op != "Cast" {
			ins = append(ins, s.ints(0))
		}
		if got := s.infer(s.op(c.op, map[string]ir.Attr{"DstT": tensor.Int64}, ins...)); got != c.want {
			t.Errorf("%s: %s, want %s", c.op, got, c.want)
		}
	}
}

// TestBroadcastShapesOfOps checks joint shapes, and refusals when compiling.
func TestBroadcastShapesOfOps(t *testing.T) {
	for _, c := range []struct{ op, a, b, want string }{
		{"AddV2", "B,6", "6", "f32[B,6]"}, {"AddV2", "B,1", "1,C", "f32[B,C]"}, {"AddV2", "B", "C", "f32[bcast(B, C)]"}, {"AddV2", "B,3", "B,4", "InvalidArgument"},
		{"Less", "2,1", "", "bool[2,1]"}, {"Equal", "3", "4", "InvalidArgument"}, {"ReluGrad", "B,6", "C,6", "f32[B,6]"}, {"ReluGrad", "3", "1", "InvalidArgument"},
		{"AddN", "B", "6", "f32[6]"}, {"BiasAdd", "B,7,C", "5", "f32[B,7,5]"}, {"BiasAdd", "B,4", "5", "InvalidArgument"}, {"BiasAdd", "4", "4", "InvalidArgument"},
		{"Complex", "B,1", "3", "c64[B,3]"},
	} {
		s := newScene(t)
		y := s.op(c.op, nil, s.feed("a", tensor.Float32, c.a), s.feed("b", tensor.Float32, c.b))
		if got := s.infer(y); got != c.want {
			t.Errorf("%s of [%s] and [%s]: %s, want %s", c.op, c.a, c.b, got, c.want)
		}
	}
	s := newScene(t)
	y := s.op("Equal", map[string]ir.Attr{"incompatible_shape_error": false}, s.feed("a", tensor.Float32, "3"), s.feed("b", tensor.Float32, "4"))
	if got := s.infer(y); got != "bool[]" {
		t.Errorf("Equal of shapes that do not fit: %s", got)
	}
}

// TestMerging checks how dimensions are merged for kernels, that those a run
// must compare are checked, and how the loop over the outermost is divided.
func TestMerging(t *testing.T) {
	for _, c := range []struct {
		a, b   string
		items  string // of the loop, with what no chunk crosses; empty for a call alone
		dims   string // A against B, of a chunk
		checks int
	}{
		{"B,7,7,64", "B,7,7,64", "3136*B", "_n:_n", 0}, {"B,7,7,64", "64", "49*B", "_n:1 64:64", 0}, {"B,7,7,64", "", "3136*B", "_n:1", 0}, {"1,1", "1", "", "", 0},
		{"B,1,4", "1,C,4", "B", "_n:1 1:C 4:4", 0}, {"B,4", "C,4", "", "B:C 4:4", 1}, {"B,4,1", "B,1,5", "4*B by 4", "_n:1 1:5", 0}, {"B,4", "3,4", "", "B:3 4:4", 1},
	} {
		s := newScene(t)
		y := s.op("Sub", nil, s.feed("a", tensor.Float32, c.a), s.feed("b", tensor.Float32, c.b))
		s.g.Fetches = []ir.Fetch{{Name: "y:0", Key: "y", Out: y}}
		if err := Ops().Infer(s.g); err != nil {
			t.Fatal(err)
		}
		p, err := Ops().Lower(s.g, "f")
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

// TestReductionShapes checks results, and refusals of axes.
func TestReductionShapes(t *testing.T) {
	for _, c := range []struct {
		axes []int32
		keep bool
		want string
	}{
		{[]int32{1, 2}, false, "f32[B,64]"}, {[]int32{-1}, true, "f32[B,7,7,1]"}, {nil, false, "f32[B,7,7,64]"}, {[]int32{0, 1, 2, 3}, false, "f32[]"},
		{[]int32{4}, false, "InvalidArgument"}, {[]int32{-5}, false, "InvalidArgument"}, {[]int32{0, -4}, false, "InvalidArgument"},
	} {
		s := newScene(t)
		y := s.op("Mean", map[string]ir.Attr{"keep_dims": c.keep}, s.feed("x", tensor.Float32, "B,7,7,64"), s.ints(c.axes...))
		if got := s.infer(y); got != c.want {
			t.Errorf("axes %v: %s, want %s", c.axes, got, c.want)
		}
	}
}
