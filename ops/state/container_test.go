package state_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

var f32x2 = map[string]*tensor.Tensor{
	"x:0": {DType: tensor.Float32, Shape: tensor.Shape{3, 2}, Data: []float32{1, 2, 3, 4, 5, 6}},
	"y:0": {DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{7, 8}},
}

// TestContainers checks the tensors that lists, arrays and stacks return, and their shapes at
// compile time. In an expected shape, n stands for a size known only at run time.
func TestContainers(t *testing.T) {
	unknown := func(g opstest.Graph) ir.Out { return g.Int(-1) }
	dt := tensor.Float32
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph, x, y ir.Out) ir.Out
		shape string
		want  string
		code  tensor.Code
	}{
		{"rows of a tensor are stacked again", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListStack", g.List("TensorListFromTensor", x, unknown(g)), unknown(g))
		}, "[B,2]", "[3,2] [1 2 3 4 5 6]", 0},
		{"an older version stays as it was", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListFromTensor", x, g.Dim(2))
			b := g.List("TensorListSetItem", a, g.Int(1), y)
			c := g.List("TensorListSetItem", b, g.Int(0), y)
			return g.Op("ConcatV2", nil, g.List("TensorListStack", a, unknown(g)), g.List("TensorListStack", b, unknown(g)), g.List("TensorListStack", c, unknown(g)), g.Int(0))
		}, "[3*B,2]", "[9,2] [1 2 3 4 5 6 1 2 7 8 5 6 7 8 7 8 5 6]", 0},
		{"a place that was never set is zeros", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListSetItem", g.List("TensorListReserve", unknown(g), g.Int(3)), g.Int(1), y)
			return g.List("TensorListStack", a, unknown(g))
		}, "[3,2]", "[3,2] [0 0 7 8 0 0]", 0},
		{"a shape that only the list knows", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListPushBack", g.List("EmptyTensorList", unknown(g), g.Int(-1)), y)
			b := g.List("TensorListPushBack", a, g.Op("ConcatV2", nil, y, y, g.Int(0)))
			return g.List("TensorListGetItem", b, g.Int(1), unknown(g))
		}, "n", "[4] [7 8 7 8]", 0},
		{"only the shape of an element", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListPushBack", g.List("EmptyTensorList", unknown(g), g.Int(-1)), y)
			b := g.List("TensorListPushBack", a, g.Op("ConcatV2", nil, y, y, g.Int(0)))
			p := g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), b, unknown(g))
			return g.Op("ConcatV2", nil, g.Op("Shape", nil, p[1]), g.Op("Shape", nil, g.List("TensorListGetItem", p[0], g.Int(0), unknown(g))), g.Int(0))
		}, "[2]", "[2] [4 2]", 0},
		{"the last element", func(g opstest.Graph, x, y ir.Out) ir.Out {
			p := g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), g.List("TensorListFromTensor", x, g.Dim(2)), g.Dim(2))
			q := g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), p[0], g.Dim(2))
			return g.Op("Pack", nil, p[1], q[1])
		}, "[2,2]", "[2,2] [5 6 3 4]", 0},
		{"gathered", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListGather", g.List("TensorListFromTensor", x, g.Dim(2)), g.Ints(2, 0), g.Dim(2))
		}, "[2,2]", "[2,2] [5 6 1 2]", 0},
		{"parts joined", func(g opstest.Graph, x, y ir.Out) ir.Out {
			i64 := func(vs ...int64) ir.Out {
				return g.NewConst("c", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{len(vs)}, Data: vs})
			}
			l := g.List("TensorListSplit", x, g.Ints(-1, 2), i64(2, 1))
			l = g.List("TensorListConcatLists", l, l)
			return g.Ops("TensorListConcatV2", 2, opstest.Attrs("element_dtype", dt), l, g.Ints(-1, 2), i64())[0]
		}, "n", "[6,2] [1 2 3 4 5 6 1 2 3 4 5 6]", 0},
		{"a longer list", func(g opstest.Graph, x, y ir.Out) ir.Out {
			l := g.List("TensorListResize", g.List("TensorListFromTensor", x, g.Dim(2)), g.Int(4))
			return g.Op("TensorListLength", nil, l)
		}, "[]", "[] [4]", 0},
		{"scattered", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListStack", g.List("TensorListScatterV2", x, g.Ints(3, 0, 1), g.Dim(2), g.Int(-1)), g.Dim(2))
		}, "n", "[4,2] [3 4 5 6 0 0 1 2]", 0},
		{"sum of lists", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListFromTensor", x, g.Dim(2))
			z := g.List("TensorListSetItem", g.Op("ZerosLike", nil, a), g.Int(2), y)
			return g.List("TensorListStack", g.Op("AddN", nil, a, z, a), g.Dim(2))
		}, "[B,2]", "[3,2] [2 4 6 8 17 20]", 0},
		{"a list of lists", func(g opstest.Graph, x, y ir.Out) ir.Out {
			in := g.List("TensorListFromTensor", x, g.Dim(2))
			a := opstest.Attrs("element_dtype", tensor.Variant)
			l := g.Op("TensorListPushBack", a, g.Op("EmptyTensorList", a, g.Ints(), g.Int(-1)), in)
			return g.List("TensorListStack", g.Op("TensorListGetItem", a, l, g.Int(0), g.Ints()), unknown(g))
		}, "n", "[3,2] [1 2 3 4 5 6]", 0},
		{"an element is what it is, whatever shape is asked for", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListSetItem", g.List("TensorListReserve", unknown(g), g.Int(3)), g.Int(1), y)
			return g.List("TensorListGetItem", a, g.Int(1), g.Dim(3))
		}, "n", "[2] [7 8]", 0},
		{"zeros of the shape that is asked for", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListSetItem", g.List("TensorListReserve", unknown(g), g.Int(3)), g.Int(1), y)
			return g.List("TensorListGetItem", a, g.Int(0), g.Dim(3))
		}, "n", "[3] [0 0 0]", 0},
		{"the last element is what it is", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListPushBack", g.List("EmptyTensorList", unknown(g), g.Int(-1)), y)
			return g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), a, g.Ints(3, 3))[1]
		}, "n", "[2] [7 8]", 0},
		{"gathered as another shape", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListGather", g.List("TensorListFromTensor", x, g.Dim(2)), g.Ints(2, 0), g.Dim(3))
		}, "refused", "", tensor.InvalidArgument},
		{"elements of a negative size", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListStack", g.List("TensorListReserve", g.Dim(-5), g.Int(3)), unknown(g))
		}, "refused", "", tensor.InvalidArgument},
		{"more elements than can be joined", func(g opstest.Graph, x, y ir.Out) ir.Out {
			none := g.NewConst("c", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{0}, Data: []int64{}})
			l := g.List("TensorListReserve", g.Ints(0, 2), g.Int(1<<31-1))
			return g.Ops("TensorListConcatV2", 2, opstest.Attrs("element_dtype", dt), l, g.Ints(0, 2), none)[0]
		}, "n", "", tensor.ResourceExhausted},
		{"index outside", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListGetItem", g.List("TensorListFromTensor", x, g.Dim(2)), g.Int(3), g.Dim(2))
		}, "[2]", "", tensor.InvalidArgument},
		{"an item of another shape", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.List("TensorListStack", g.List("TensorListSetItem", g.List("TensorListReserve", g.Dim(3), g.Int(1)), g.Int(0), y), g.Dim(3))
		}, "refused", "", tensor.InvalidArgument},
		{"one of two lists of different types", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.List("TensorListPushBack", g.List("EmptyTensorList", unknown(g), g.Int(-1)), y)
			b := g.Op("EmptyTensorList", opstest.Attrs("element_dtype", tensor.Int32), unknown(g), g.Int(-1))
			b = g.Op("TensorListPushBack", opstest.Attrs("element_dtype", tensor.Int32), b, g.Op("Shape", nil, x))
			m := g.Op(ir.MergeOp, nil, g.Op(ir.YieldOp, nil, b), g.Op(ir.YieldOp, nil, a))
			return g.List("TensorListGetItem", m, g.Int(0), unknown(g))
		}, "[2]", "[2] [7 8]", 0},
		{"an empty list whose elements nobody has given a shape", func(g opstest.Graph, x, y ir.Out) ir.Out {
			p := g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), g.List("TensorListPushBack", g.List("EmptyTensorList", unknown(g), g.Int(-1)), y), unknown(g))
			return g.List("TensorListStack", p[0], unknown(g))
		}, "[0,2]", "", tensor.InvalidArgument},
		{"an element of another shape is popped and not used", func(g opstest.Graph, x, y ir.Out) ir.Out {
			l := g.List("TensorListReserve", g.Ints(-1, -1), g.Int(2))
			p := g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), l, g.Ints(4))
			return g.List("TensorListStack", g.List("TensorListPushBack", p[0], x), unknown(g))
		}, "[2,B,2]", "", tensor.InvalidArgument},
		{"the gradient of a slice of nothing", func(g opstest.Graph, x, y ir.Out) ir.Out {
			none := g.Op("StridedSlice", nil, g.Op("Shape", nil, y), g.Ints(1), g.Ints(1), g.Ints(1))
			dy := g.Op("Cast", opstest.Attrs("SrcT", tensor.Int32, "DstT", dt), none)
			l := g.Op("StridedSlice", nil, y, g.Ints(0), g.Op("StridedSlice", nil, g.Op("Shape", nil, none), g.Ints(0), g.Ints(1), g.Ints(1)), g.Ints(1))
			return g.Op("StridedSliceGrad", nil, g.Op("Shape", nil, l), g.Ints(2), g.Ints(2), g.Ints(1), dy)
		}, "n", "[0] []", 0},
		{"pop of an empty list", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.Ops("TensorListPopBack", 2, opstest.Attrs("element_dtype", dt), g.List("EmptyTensorList", unknown(g), g.Int(-1)), unknown(g))[1]
		}, "[]", "", tensor.InvalidArgument},
		{"written and read", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt), g.Int(2))
			f := g.Op("TensorArrayWriteV3", nil, a[0], g.Int(1), y, a[1])
			return g.Op("TensorArrayReadV3", opstest.Attrs("dtype", dt), a[0], g.Int(1), f)
		}, "[2]", "[2] [7 8]", 0},
		{"rows of a tensor are gathered", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt), g.Int(3))
			f := g.Op("TensorArrayScatterV3", nil, a[0], g.Ints(2, 1, 0), x, a[1])
			return g.Op("TensorArrayGatherV3", opstest.Attrs("dtype", dt), a[0], g.Ints(0, 1), f)
		}, "[2,2]", "[2,2] [5 6 3 4]", 0},
		{"gradients add up", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt), g.Int(3))
			f := g.Op("TensorArrayScatterV3", nil, a[0], g.Ints(0, 1, 2), x, a[1])
			b := g.Ops("TensorArrayGradV3", 2, opstest.Attrs("source", "s"), a[0], f)
			f = g.Op("TensorArrayWriteV3", nil, b[0], g.Int(1), y, b[1])
			b = g.Ops("TensorArrayGradV3", 2, opstest.Attrs("source", "s"), a[0], f)
			f = g.Op("TensorArrayWriteV3", nil, b[0], g.Int(1), y, b[1])
			return g.Op("TensorArrayGatherV3", opstest.Attrs("dtype", dt), b[0], g.Ints(0, 1, 2), f)
		}, "[3,2]", "[3,2] [0 0 14 16 0 0]", 0},
		{"split and joined", func(g opstest.Graph, x, y ir.Out) ir.Out {
			n := g.NewConst("c", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{2}, Data: []int64{1, 2}})
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt), g.Int(2))
			f := g.Op("TensorArraySplitV3", nil, a[0], x, n, a[1])
			return g.Ops("TensorArrayConcatV3", 2, opstest.Attrs("dtype", dt), a[0], f)[0]
		}, "n", "[3,2] [1 2 3 4 5 6]", 0},
		{"read twice", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt, "clear_after_read", true), g.Int(2))
			f := g.Op("TensorArrayWriteV3", nil, a[0], g.Int(1), y, a[1])
			r := g.Op("TensorArrayReadV3", opstest.Attrs("dtype", dt), a[0], g.Int(1), f)
			return g.Op("AddV2", nil, r, g.Op("TensorArrayReadV3", opstest.Attrs("dtype", dt), a[0], g.Int(1), f))
		}, "[2]", "", tensor.InvalidArgument},
		{"written twice", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt), g.Int(2))
			f := g.Op("TensorArrayWriteV3", nil, a[0], g.Int(1), y, a[1])
			return g.Op("TensorArrayWriteV3", nil, a[0], g.Int(1), y, f)
		}, "[]", "", tensor.InvalidArgument},
		{"the size is known", func(g opstest.Graph, x, y ir.Out) ir.Out {
			a := g.Ops("TensorArrayV3", 2, opstest.Attrs("dtype", dt), g.At(g.Op("Shape", nil, x), 0))
			r := g.Op("Range", nil, g.Int(0), g.Op("TensorArraySizeV3", nil, a[0], a[1]), g.Int(1))
			f := g.Op("TensorArrayScatterV3", nil, a[0], r, x, a[1])
			return g.Op("TensorArrayGatherV3", opstest.Attrs("dtype", dt), a[0], r, f)
		}, "[B,2]", "[3,2] [1 2 3 4 5 6]", 0},
		{"last in, first out", func(g opstest.Graph, x, y ir.Out) ir.Out {
			s := g.Op("StackV2", opstest.Attrs("elem_type", dt), g.Int(-1))
			a := g.Op("StackPushV2", nil, s, y)
			b := g.Op("StackPushV2", nil, s, g.Op("ConcatV2", nil, a, y, g.Int(0)))
			p := g.Op("StackPopV2", opstest.Attrs("elem_type", dt), s)
			p.Node.Controls = []*ir.Node{b.Node}
			return p
		}, "n", "[4] [7 8 7 8]", 0},
		{"pop of an empty stack", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.Op("StackPopV2", opstest.Attrs("elem_type", dt), g.Op("StackV2", opstest.Attrs("elem_type", dt), g.Int(-1)))
		}, "[]", "", tensor.InvalidArgument},
		{"a full stack", func(g opstest.Graph, x, y ir.Out) ir.Out {
			return g.Op("StackPushV2", nil, g.Op("StackV2", opstest.Attrs("elem_type", dt), g.Int(0)), y)
		}, "[2]", "", tensor.InvalidArgument},
	} {
		g := opstest.New(t)
		x, y := g.Feed("x", dt, "B", 2), g.Feed("y", dt, 2)
		out := c.build(g, x, y)
		p, err := g.Lower(out)
		if c.shape == "refused" { // an error at compile time
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
