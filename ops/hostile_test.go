package ops

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHostileNumbers feeds sizes, indices and lengths that nobody means to what
// keeps tensors: a run ends with TensorFlow's errors or with a result, takes
// little memory and little time, and nothing panics.
func TestHostileNumbers(t *testing.T) {
	f32 := tensor.Float32
	unknown := func(g graph) ir.Out { return g.int(-1) }
	list := func(g graph, n ir.Out) ir.Out { return g.list("TensorListReserve", unknown(g), n) }
	empty := func(g graph) ir.Out { return g.list("EmptyTensorList", unknown(g), g.int(-1)) }
	array := func(g graph, n ir.Out, more ...any) []ir.Out {
		return g.ops("TensorArrayV3", 2, attrs(append([]any{"dtype", f32}, more...)...), n)
	}
	wide := func(g graph, n ir.Out) ir.Out {
		return g.op("Cast", attrs("SrcT", tensor.Int32, "DstT", tensor.Int64), n)
	}
	vec := func(g graph, n ir.Out) ir.Out { return g.op("ExpandDims", nil, n, g.int(0)) }
	queue := func(g graph) (q, put ir.Out) {
		types := []tensor.DType{f32}
		q = g.op("FIFOQueueV2", attrs("component_types", types, "shapes", []ir.PartialShape{{Dims: []int64{2}}}, "capacity", int64(4)))
		return q, g.effect("QueueEnqueueManyV2", attrs("Tcomponents", types), q, g.op("Fill", nil, g.ints(3, 2), g.NewConst("c", &tensor.Tensor{DType: f32, Shape: tensor.Shape{}, Data: []float32{1}})))
	}
	for _, c := range []struct {
		name  string
		build func(g graph, n, y ir.Out) ir.Out
	}{
		{"size of a list", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListStack", g.list("TensorListSetItem", list(g, n), g.int(0), y), unknown(g))
		}},
		{"size of a list of nothing", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListGetItem", list(g, n), g.int(0), g.ints(0))
		}},
		{"new size of a list", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListGetItem", g.list("TensorListResize", g.list("TensorListPushBack", empty(g), y), n), g.int(0), unknown(g))
		}},
		{"place in a list", func(g graph, n, y ir.Out) ir.Out {
			return g.op("TensorListLength", nil, g.list("TensorListSetItem", list(g, g.int(2)), n, y))
		}},
		{"place in a list that grows", func(g graph, n, y ir.Out) ir.Out {
			a := attrs("element_dtype", f32, "resize_if_index_out_of_bounds", true)
			return g.op("TensorListLength", nil, g.op("TensorListSetItem", a, list(g, g.int(2)), g.op("Minimum", nil, n, g.int(1<<20)), y))
		}},
		{"element", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListGetItem", g.list("TensorListPushBack", empty(g), y), n, unknown(g))
		}},
		{"element's size", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListGetItem", g.list("TensorListReserve", g.op("Pack", nil, n, n), g.int(3)), g.int(1), unknown(g))
		}},
		{"asked size", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListStack", list(g, g.int(3)), g.op("Pack", nil, n, n))
		}},
		{"places of rows", func(g graph, n, y ir.Out) ir.Out {
			return g.op("TensorListLength", nil, g.list("TensorListScatterV2", y, g.op("Pack", nil, n, g.int(0)), g.ints(), g.int(4)))
		}},
		{"number of rows", func(g graph, n, y ir.Out) ir.Out {
			return g.op("TensorListLength", nil, g.list("TensorListScatterV2", y, g.ints(1, 0), g.ints(), n))
		}},
		{"gathered elements", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListGather", g.list("TensorListPushBack", empty(g), y), vec(g, n), unknown(g))
		}},
		{"lengths of parts", func(g graph, n, y ir.Out) ir.Out {
			return g.op("TensorListLength", nil, g.list("TensorListSplit", y, unknown(g), vec(g, wide(g, n))))
		}},
		{"leading sizes", func(g graph, n, y ir.Out) ir.Out {
			return g.ops("TensorListConcatV2", 2, attrs("element_dtype", f32), list(g, g.int(1)), g.ints(-1, 2), vec(g, wide(g, n)))[0]
		}},
		{"most elements", func(g graph, n, y ir.Out) ir.Out {
			return g.op("TensorListLength", nil, g.list("TensorListPushBack", g.list("EmptyTensorList", unknown(g), n), y))
		}},
		{"size of an array", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, n)
			return g.op("TensorArraySizeV3", nil, a[0], g.op("TensorArrayWriteV3", nil, a[0], g.int(0), y, a[1]))
		}},
		{"size of an array that is packed", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, n, "element_shape", ir.PartialShape{Dims: []int64{0}})
			return g.op("TensorArrayPack", attrs("dtype", f32), a[0], a[1])
		}},
		{"size of an array that is joined", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, n, "element_shape", ir.PartialShape{Dims: []int64{0}})
			return g.ops("TensorArrayConcatV3", 2, attrs("dtype", f32), a[0], a[1])[0]
		}},
		{"size of a list of nothing that is stacked", func(g graph, n, y ir.Out) ir.Out {
			return g.list("TensorListStack", list(g, n), g.ints(0))
		}},
		{"place in an array", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, g.int(2))
			return g.op("TensorArrayWriteV3", nil, a[0], n, y, a[1])
		}},
		{"read of an array", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, g.int(2))
			return g.op("TensorArrayReadV3", attrs("dtype", f32), a[0], n, g.op("TensorArrayWriteV3", nil, a[0], g.int(0), y, a[1]))
		}},
		{"gathered of an array", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, g.int(2))
			return g.op("TensorArrayGatherV3", attrs("dtype", f32), a[0], vec(g, n), g.op("TensorArrayWriteV3", nil, a[0], g.int(0), y, a[1]))
		}},
		{"scattered to an array", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, g.int(2))
			return g.op("TensorArrayScatterV3", nil, a[0], g.op("Pack", nil, n, g.int(0)), y, a[1])
		}},
		{"split into an array", func(g graph, n, y ir.Out) ir.Out {
			a := array(g, g.int(1))
			return g.op("TensorArraySplitV3", nil, a[0], y, vec(g, wide(g, n)), a[1])
		}},
		{"most of a stack", func(g graph, n, y ir.Out) ir.Out {
			return g.op("StackPushV2", nil, g.op("StackV2", attrs("elem_type", f32), n), y)
		}},
		{"number of elements of a queue", func(g graph, n, y ir.Out) ir.Out {
			q, put := queue(g)
			end := after(g.effect("QueueCloseV2", nil, q), put)
			return after(g.op("QueueDequeueManyV2", attrs("component_types", []tensor.DType{f32}), q, n), end)
		}},
		{"at most so many of a queue", func(g graph, n, y ir.Out) ir.Out {
			q, put := queue(g)
			end := after(g.effect("QueueCloseV2", nil, q), put)
			return after(g.op("QueueDequeueUpToV2", attrs("component_types", []tensor.DType{f32}), q, n), end)
		}},
		{"place in a staging area", func(g graph, n, y ir.Out) ir.Out {
			types := attrs("dtypes", []tensor.DType{f32}, "shared_name", "s")
			put := g.effect("Stage", types, y)
			return after(g.op("StagePeek", types, n), put)
		}},
		{"component of a staged tuple", func(g graph, n, y ir.Out) ir.Out {
			types := attrs("dtypes", []tensor.DType{f32, f32}, "shared_name", "s")
			put := g.effect("MapStage", types, g.longs(nil, 1), vec(g, n), y)
			return after(g.op("MapIncompleteSize", types), put)
		}},
		{"number of gradients", func(g graph, n, y ir.Out) ir.Out {
			a := attrs("dtype", f32, "shape", ir.PartialShape{Dims: []int64{2}}, "reduction_type", "MEAN")
			h := g.op("ResourceConditionalAccumulator", a)
			put := g.effect("ResourceAccumulatorApplyGradient", attrs("dtype", f32), h, g.longs(nil, 0), y)
			return after(g.op("ResourceAccumulatorTakeGradient", attrs("dtype", f32), h, n), put)
		}},
		{"slices of a gradient", func(g graph, n, y ir.Out) ir.Out {
			a := attrs("dtype", f32, "shape", ir.PartialShape{Dims: []int64{-1, 2}}, "reduction_type", "SUM")
			h := g.op("SparseConditionalAccumulator", a)
			put := g.effect("SparseAccumulatorApplyGradient", attrs("dtype", f32, "has_known_shape", true), h, g.longs(nil, 0),
				vec(g, wide(g, n)), g.op("ExpandDims", nil, y, g.int(0)), g.longs(tensor.Shape{2}, math.MaxInt64, 2))
			return after(g.op("AccumulatorNumAccumulated", nil, h), put)
		}},
	} {
		g := newGraph(t)
		out := c.build(g, g.feed("n", tensor.Int32), g.feed("y", f32, 2))
		stateops.NoteElements(Ops(), g.Graph)
		p, err := g.lower(out)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, n := range []int32{math.MinInt32, -7, -1, 0, 1, 5, math.MaxInt32} {
			run, err := exec.New(p)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			run.MaxBytes = 1 << 24
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			_, err = run.Run(ctx, map[string]*tensor.Tensor{
				"n:0": {DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{n}},
				"y:0": {DType: f32, Shape: tensor.Shape{2}, Data: []float32{1, 2}},
			})
			cancel()
			switch tensor.CodeOf(err) {
			case 0, tensor.InvalidArgument, tensor.Unimplemented, tensor.ResourceExhausted, tensor.OutOfRange, tensor.DeadlineExceeded:
			default:
				t.Errorf("%s %d: %v", c.name, n, err)
			}
		}
	}
}
