package ops

import (
	"context"
	"fmt"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// attrs makes attributes of pairs.
func attrs(kv ...any) map[string]ir.Attr {
	m := map[string]ir.Attr{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return m
}

func (g graph) ops(op string, nout int, a map[string]ir.Attr, ins ...ir.Out) []ir.Out {
	n := g.NewNode("n", op, a, nout, ins...)
	outs := make([]ir.Out, nout)
	for i := range outs {
		outs[i] = ir.Out{Node: n, Index: i}
	}
	return outs
}

// list is an op of lists of f32.
func (g graph) list(op string, ins ...ir.Out) ir.Out {
	return g.op(op, attrs("element_dtype", tensor.Float32, "num_elements", int64(-1)), ins...)
}

func (g graph) dim(v int32) ir.Out { return g.ints(v) }

var f32x2 = map[string]*tensor.Tensor{
	"x:0": {DType: tensor.Float32, Shape: tensor.Shape{3, 2}, Data: []float32{1, 2, 3, 4, 5, 6}},
	"y:0": {DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{7, 8}},
}

// TestContainers: what lists, arrays and stacks give back, and what is known of
// its shape when compiling; n stands for a size that the step finds out.
func TestContainers(t *testing.T) {
	unknown := func(g graph) ir.Out { return g.int(-1) }
	dt := tensor.Float32
	for _, c := range []struct {
		name  string
		build func(g graph, x, y ir.Out) ir.Out
		shape string
		want  string
		code  tensor.Code
	}{
		{"rows of a tensor are stacked again", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListStack", g.list("TensorListFromTensor", x, unknown(g)), unknown(g))
		}, "[B,2]", "[3,2] [1 2 3 4 5 6]", 0},
		{"an older version stays as it was", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListFromTensor", x, g.dim(2))
			b := g.list("TensorListSetItem", a, g.int(1), y)
			c := g.list("TensorListSetItem", b, g.int(0), y)
			return g.op("ConcatV2", nil, g.list("TensorListStack", a, unknown(g)), g.list("TensorListStack", b, unknown(g)), g.list("TensorListStack", c, unknown(g)), g.int(0))
		}, "[3*B,2]", "[9,2] [1 2 3 4 5 6 1 2 7 8 5 6 7 8 7 8 5 6]", 0},
		{"a place that was never set is zeros", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListSetItem", g.list("TensorListReserve", unknown(g), g.int(3)), g.int(1), y)
			return g.list("TensorListStack", a, unknown(g))
		}, "[3,2]", "[3,2] [0 0 7 8 0 0]", 0},
		{"a shape that only the list knows", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListPushBack", g.list("EmptyTensorList", unknown(g), g.int(-1)), y)
			b := g.list("TensorListPushBack", a, g.op("ConcatV2", nil, y, y, g.int(0)))
			return g.list("TensorListGetItem", b, g.int(1), unknown(g))
		}, "n", "[4] [7 8 7 8]", 0},
		{"only the shape of an element", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListPushBack", g.list("EmptyTensorList", unknown(g), g.int(-1)), y)
			b := g.list("TensorListPushBack", a, g.op("ConcatV2", nil, y, y, g.int(0)))
			p := g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), b, unknown(g))
			return g.op("ConcatV2", nil, g.op("Shape", nil, p[1]), g.op("Shape", nil, g.list("TensorListGetItem", p[0], g.int(0), unknown(g))), g.int(0))
		}, "[2]", "[2] [4 2]", 0},
		{"the last element", func(g graph, x, y ir.Out) ir.Out {
			p := g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), g.list("TensorListFromTensor", x, g.dim(2)), g.dim(2))
			q := g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), p[0], g.dim(2))
			return g.op("Pack", nil, p[1], q[1])
		}, "[2,2]", "[2,2] [5 6 3 4]", 0},
		{"gathered", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListGather", g.list("TensorListFromTensor", x, g.dim(2)), g.ints(2, 0), g.dim(2))
		}, "[2,2]", "[2,2] [5 6 1 2]", 0},
		{"parts joined", func(g graph, x, y ir.Out) ir.Out {
			i64 := func(vs ...int64) ir.Out {
				return g.NewConst("c", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{len(vs)}, Data: vs})
			}
			l := g.list("TensorListSplit", x, g.ints(-1, 2), i64(2, 1))
			l = g.list("TensorListConcatLists", l, l)
			return g.ops("TensorListConcatV2", 2, attrs("element_dtype", dt), l, g.ints(-1, 2), i64())[0]
		}, "n", "[6,2] [1 2 3 4 5 6 1 2 3 4 5 6]", 0},
		{"a longer list", func(g graph, x, y ir.Out) ir.Out {
			l := g.list("TensorListResize", g.list("TensorListFromTensor", x, g.dim(2)), g.int(4))
			return g.op("TensorListLength", nil, l)
		}, "[]", "[] [4]", 0},
		{"scattered", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListStack", g.list("TensorListScatterV2", x, g.ints(3, 0, 1), g.dim(2), g.int(-1)), g.dim(2))
		}, "n", "[4,2] [3 4 5 6 0 0 1 2]", 0},
		{"sum of lists", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListFromTensor", x, g.dim(2))
			z := g.list("TensorListSetItem", g.op("ZerosLike", nil, a), g.int(2), y)
			return g.list("TensorListStack", g.op("AddN", nil, a, z, a), g.dim(2))
		}, "[B,2]", "[3,2] [2 4 6 8 17 20]", 0},
		{"a list of lists", func(g graph, x, y ir.Out) ir.Out {
			in := g.list("TensorListFromTensor", x, g.dim(2))
			a := attrs("element_dtype", tensor.Variant)
			l := g.op("TensorListPushBack", a, g.op("EmptyTensorList", a, g.ints(), g.int(-1)), in)
			return g.list("TensorListStack", g.op("TensorListGetItem", a, l, g.int(0), g.ints()), unknown(g))
		}, "n", "[3,2] [1 2 3 4 5 6]", 0},
		{"an element is what it is, whatever shape is asked for", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListSetItem", g.list("TensorListReserve", unknown(g), g.int(3)), g.int(1), y)
			return g.list("TensorListGetItem", a, g.int(1), g.dim(3))
		}, "n", "[2] [7 8]", 0},
		{"zeros of the shape that is asked for", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListSetItem", g.list("TensorListReserve", unknown(g), g.int(3)), g.int(1), y)
			return g.list("TensorListGetItem", a, g.int(0), g.dim(3))
		}, "n", "[3] [0 0 0]", 0},
		{"the last element is what it is", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListPushBack", g.list("EmptyTensorList", unknown(g), g.int(-1)), y)
			return g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), a, g.ints(3, 3))[1]
		}, "n", "[2] [7 8]", 0},
		{"gathered as another shape", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListGather", g.list("TensorListFromTensor", x, g.dim(2)), g.ints(2, 0), g.dim(3))
		}, "refused", "", tensor.InvalidArgument},
		{"elements of a negative size", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListStack", g.list("TensorListReserve", g.dim(-5), g.int(3)), unknown(g))
		}, "refused", "", tensor.InvalidArgument},
		{"more elements than can be joined", func(g graph, x, y ir.Out) ir.Out {
			none := g.NewConst("c", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{0}, Data: []int64{}})
			l := g.list("TensorListReserve", g.ints(0, 2), g.int(1<<31-1))
			return g.ops("TensorListConcatV2", 2, attrs("element_dtype", dt), l, g.ints(0, 2), none)[0]
		}, "n", "", tensor.ResourceExhausted},
		{"index outside", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListGetItem", g.list("TensorListFromTensor", x, g.dim(2)), g.int(3), g.dim(2))
		}, "[2]", "", tensor.InvalidArgument},
		{"an item of another shape", func(g graph, x, y ir.Out) ir.Out {
			return g.list("TensorListStack", g.list("TensorListSetItem", g.list("TensorListReserve", g.dim(3), g.int(1)), g.int(0), y), g.dim(3))
		}, "refused", "", tensor.InvalidArgument},
		{"one of two lists of different types", func(g graph, x, y ir.Out) ir.Out {
			a := g.list("TensorListPushBack", g.list("EmptyTensorList", unknown(g), g.int(-1)), y)
			b := g.op("EmptyTensorList", attrs("element_dtype", tensor.Int32), unknown(g), g.int(-1))
			b = g.op("TensorListPushBack", attrs("element_dtype", tensor.Int32), b, g.op("Shape", nil, x))
			m := g.op(ir.MergeOp, nil, g.op(ir.YieldOp, nil, b), g.op(ir.YieldOp, nil, a))
			return g.list("TensorListGetItem", m, g.int(0), unknown(g))
		}, "[2]", "[2] [7 8]", 0},
		{"an empty list whose elements nobody has given a shape", func(g graph, x, y ir.Out) ir.Out {
			p := g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), g.list("TensorListPushBack", g.list("EmptyTensorList", unknown(g), g.int(-1)), y), unknown(g))
			return g.list("TensorListStack", p[0], unknown(g))
		}, "[0,2]", "", tensor.InvalidArgument},
		{"an element of another shape is popped and not used", func(g graph, x, y ir.Out) ir.Out {
			l := g.list("TensorListReserve", g.ints(-1, -1), g.int(2))
			p := g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), l, g.ints(4))
			return g.list("TensorListStack", g.list("TensorListPushBack", p[0], x), unknown(g))
		}, "[2,B,2]", "", tensor.InvalidArgument},
		{"the gradient of a slice of nothing", func(g graph, x, y ir.Out) ir.Out {
			none := g.op("StridedSlice", nil, g.op("Shape", nil, y), g.ints(1), g.ints(1), g.ints(1))
			dy := g.op("Cast", attrs("SrcT", tensor.Int32, "DstT", dt), none)
			l := g.op("StridedSlice", nil, y, g.ints(0), g.op("StridedSlice", nil, g.op("Shape", nil, none), g.ints(0), g.ints(1), g.ints(1)), g.ints(1))
			return g.op("StridedSliceGrad", nil, g.op("Shape", nil, l), g.ints(2), g.ints(2), g.ints(1), dy)
		}, "n", "[0] []", 0},
		{"pop of an empty list", func(g graph, x, y ir.Out) ir.Out {
			return g.ops("TensorListPopBack", 2, attrs("element_dtype", dt), g.list("EmptyTensorList", unknown(g), g.int(-1)), unknown(g))[1]
		}, "[]", "", tensor.InvalidArgument},
		{"written and read", func(g graph, x, y ir.Out) ir.Out {
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt), g.int(2))
			f := g.op("TensorArrayWriteV3", nil, a[0], g.int(1), y, a[1])
			return g.op("TensorArrayReadV3", attrs("dtype", dt), a[0], g.int(1), f)
		}, "[2]", "[2] [7 8]", 0},
		{"rows of a tensor are gathered", func(g graph, x, y ir.Out) ir.Out {
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt), g.int(3))
			f := g.op("TensorArrayScatterV3", nil, a[0], g.ints(2, 1, 0), x, a[1])
			return g.op("TensorArrayGatherV3", attrs("dtype", dt), a[0], g.ints(0, 1), f)
		}, "[2,2]", "[2,2] [5 6 3 4]", 0},
		{"gradients add up", func(g graph, x, y ir.Out) ir.Out {
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt), g.int(3))
			f := g.op("TensorArrayScatterV3", nil, a[0], g.ints(0, 1, 2), x, a[1])
			b := g.ops("TensorArrayGradV3", 2, attrs("source", "s"), a[0], f)
			f = g.op("TensorArrayWriteV3", nil, b[0], g.int(1), y, b[1])
			b = g.ops("TensorArrayGradV3", 2, attrs("source", "s"), a[0], f)
			f = g.op("TensorArrayWriteV3", nil, b[0], g.int(1), y, b[1])
			return g.op("TensorArrayGatherV3", attrs("dtype", dt), b[0], g.ints(0, 1, 2), f)
		}, "[3,2]", "[3,2] [0 0 14 16 0 0]", 0},
		{"split and joined", func(g graph, x, y ir.Out) ir.Out {
			n := g.NewConst("c", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{2}, Data: []int64{1, 2}})
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt), g.int(2))
			f := g.op("TensorArraySplitV3", nil, a[0], x, n, a[1])
			return g.ops("TensorArrayConcatV3", 2, attrs("dtype", dt), a[0], f)[0]
		}, "n", "[3,2] [1 2 3 4 5 6]", 0},
		{"read twice", func(g graph, x, y ir.Out) ir.Out {
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt, "clear_after_read", true), g.int(2))
			f := g.op("TensorArrayWriteV3", nil, a[0], g.int(1), y, a[1])
			r := g.op("TensorArrayReadV3", attrs("dtype", dt), a[0], g.int(1), f)
			return g.op("AddV2", nil, r, g.op("TensorArrayReadV3", attrs("dtype", dt), a[0], g.int(1), f))
		}, "[2]", "", tensor.InvalidArgument},
		{"written twice", func(g graph, x, y ir.Out) ir.Out {
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt), g.int(2))
			f := g.op("TensorArrayWriteV3", nil, a[0], g.int(1), y, a[1])
			return g.op("TensorArrayWriteV3", nil, a[0], g.int(1), y, f)
		}, "[]", "", tensor.InvalidArgument},
		{"the size is known", func(g graph, x, y ir.Out) ir.Out {
			a := g.ops("TensorArrayV3", 2, attrs("dtype", dt), g.at(g.op("Shape", nil, x), 0))
			r := g.op("Range", nil, g.int(0), g.op("TensorArraySizeV3", nil, a[0], a[1]), g.int(1))
			f := g.op("TensorArrayScatterV3", nil, a[0], r, x, a[1])
			return g.op("TensorArrayGatherV3", attrs("dtype", dt), a[0], r, f)
		}, "[B,2]", "[3,2] [1 2 3 4 5 6]", 0},
		{"last in, first out", func(g graph, x, y ir.Out) ir.Out {
			s := g.op("StackV2", attrs("elem_type", dt), g.int(-1))
			a := g.op("StackPushV2", nil, s, y)
			b := g.op("StackPushV2", nil, s, g.op("ConcatV2", nil, a, y, g.int(0)))
			p := g.op("StackPopV2", attrs("elem_type", dt), s)
			p.Node.Controls = []*ir.Node{b.Node}
			return p
		}, "n", "[4] [7 8 7 8]", 0},
		{"pop of an empty stack", func(g graph, x, y ir.Out) ir.Out {
			return g.op("StackPopV2", attrs("elem_type", dt), g.op("StackV2", attrs("elem_type", dt), g.int(-1)))
		}, "[]", "", tensor.InvalidArgument},
		{"a full stack", func(g graph, x, y ir.Out) ir.Out {
			return g.op("StackPushV2", nil, g.op("StackV2", attrs("elem_type", dt), g.int(0)), y)
		}, "[2]", "", tensor.InvalidArgument},
	} {
		g := newGraph(t)
		x, y := g.feed("x", dt, "B", 2), g.feed("y", dt, 2)
		out := c.build(g, x, y)
		p, err := g.lower(out)
		if c.shape == "refused" { // when compiling
			if tensor.CodeOf(err) != c.code {
				t.Errorf("%s: %v, want the code %v", c.name, err, c.code)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := out.Fact().Shape.String(); got != c.shape && c.shape != "n" {
			t.Errorf("%s: shape %s, want %s", c.name, got, c.shape)
		}
		run, err := exec.New(p)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for range 2 {
			got, err := run.Run(context.Background(), f32x2)
			if tensor.CodeOf(err) != c.code {
				t.Errorf("%s: %v, want the code %v", c.name, err, c.code)
			} else if v := got[out.String()]; err == nil && fmt.Sprint(v.Shape, " ", v.Data) != c.want {
				t.Errorf("%s: %v %v, want %s", c.name, v.Shape, v.Data, c.want)
			}
		}
	}
}
