package ops_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHostileNumbers feeds absurd sizes, indices and lengths to ops on containers. A run must end
// with TensorFlow's error or with a result, use little memory and time, and never panic.
func TestHostileNumbers(t *testing.T) {
	f32 := tensor.Float32
	unknown := func(g opstest.Graph) ir.Out { return g.Int(-1) }
	list := func(g opstest.Graph, n ir.Out) ir.Out { return g.List("TensorListReserve", unknown(g), n) }
	empty := func(g opstest.Graph) ir.Out { return g.List("EmptyTensorList", unknown(g), g.Int(-1)) }
	array := func(g opstest.Graph, n ir.Out, more ...any) []ir.Out {
		return g.Ops("TensorArrayV3", 2, opstest.Attrs(append([]any{"dtype", f32}, more...)...), n)
	}
	wide := func(g opstest.Graph, n ir.Out) ir.Out {
		return g.Op("Cast", opstest.Attrs("SrcT", tensor.Int32, "DstT", tensor.Int64), n)
	}
	vec := func(g opstest.Graph, n ir.Out) ir.Out { return g.Op("ExpandDims", nil, n, g.Int(0)) }
	queue := func(g opstest.Graph) (q, put ir.Out) {
		types := []tensor.DType{f32}
		q = g.Op("FIFOQueueV2", opstest.Attrs("component_types", types, "shapes", []ir.PartialShape{{Dims: []int64{2}}}, "capacity", int64(4)))
		return q, g.Effect("QueueEnqueueManyV2", opstest.Attrs("Tcomponents", types), q, g.Op("Fill", nil, g.Ints(3, 2), g.NewConst("c", &tensor.Tensor{DType: f32, Shape: tensor.Shape{}, Data: []float32{1}})))
	}
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph, n, y ir.Out) ir.Out
	}{
		{"size of a list", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListStack", g.List("TensorListSetItem", list(g, n), g.Int(0), y), unknown(g))
		}},
		{"size of a list of nothing", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListGetItem", list(g, n), g.Int(0), g.Ints(0))
		}},
		{"new size of a list", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListGetItem", g.List("TensorListResize", g.List("TensorListPushBack", empty(g), y), n), g.Int(0), unknown(g))
		}},
		{"place in a list", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Op("TensorListLength", nil, g.List("TensorListSetItem", list(g, g.Int(2)), n, y))
		}},
		{"place in a list that grows", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := opstest.Attrs("element_dtype", f32, "resize_if_index_out_of_bounds", true)
			return g.Op("TensorListLength", nil, g.Op("TensorListSetItem", a, list(g, g.Int(2)), g.Op("Minimum", nil, n, g.Int(1<<20)), y))
		}},
		{"element", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListGetItem", g.List("TensorListPushBack", empty(g), y), n, unknown(g))
		}},
		{"element's size", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListGetItem", g.List("TensorListReserve", g.Op("Pack", nil, n, n), g.Int(3)), g.Int(1), unknown(g))
		}},
		{"asked size", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListStack", list(g, g.Int(3)), g.Op("Pack", nil, n, n))
		}},
		{"places of rows", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Op("TensorListLength", nil, g.List("TensorListScatterV2", y, g.Op("Pack", nil, n, g.Int(0)), g.Ints(), g.Int(4)))
		}},
		{"number of rows", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Op("TensorListLength", nil, g.List("TensorListScatterV2", y, g.Ints(1, 0), g.Ints(), n))
		}},
		{"gathered elements", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListGather", g.List("TensorListPushBack", empty(g), y), vec(g, n), unknown(g))
		}},
		{"lengths of parts", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Op("TensorListLength", nil, g.List("TensorListSplit", y, unknown(g), vec(g, wide(g, n))))
		}},
		{"leading sizes", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Ops("TensorListConcatV2", 2, opstest.Attrs("element_dtype", f32), list(g, g.Int(1)), g.Ints(-1, 2), vec(g, wide(g, n)))[0]
		}},
		{"most elements", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Op("TensorListLength", nil, g.List("TensorListPushBack", g.List("EmptyTensorList", unknown(g), n), y))
		}},
		{"size of an array", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, n)
			return g.Op("TensorArraySizeV3", nil, a[0], g.Op("TensorArrayWriteV3", nil, a[0], g.Int(0), y, a[1]))
		}},
		{"size of an array that is packed", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, n, "element_shape", ir.PartialShape{Dims: []int64{0}})
			return g.Op("TensorArrayPack", opstest.Attrs("dtype", f32), a[0], a[1])
		}},
		{"size of an array that is joined", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, n, "element_shape", ir.PartialShape{Dims: []int64{0}})
			return g.Ops("TensorArrayConcatV3", 2, opstest.Attrs("dtype", f32), a[0], a[1])[0]
		}},
		{"size of a list of nothing that is stacked", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.List("TensorListStack", list(g, n), g.Ints(0))
		}},
		{"place in an array", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, g.Int(2))
			return g.Op("TensorArrayWriteV3", nil, a[0], n, y, a[1])
		}},
		{"read of an array", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, g.Int(2))
			return g.Op("TensorArrayReadV3", opstest.Attrs("dtype", f32), a[0], n, g.Op("TensorArrayWriteV3", nil, a[0], g.Int(0), y, a[1]))
		}},
		{"gathered of an array", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, g.Int(2))
			return g.Op("TensorArrayGatherV3", opstest.Attrs("dtype", f32), a[0], vec(g, n), g.Op("TensorArrayWriteV3", nil, a[0], g.Int(0), y, a[1]))
		}},
		{"scattered to an array", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, g.Int(2))
			return g.Op("TensorArrayScatterV3", nil, a[0], g.Op("Pack", nil, n, g.Int(0)), y, a[1])
		}},
		{"split into an array", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := array(g, g.Int(1))
			return g.Op("TensorArraySplitV3", nil, a[0], y, vec(g, wide(g, n)), a[1])
		}},
		{"most of a stack", func(g opstest.Graph, n, y ir.Out) ir.Out {
			return g.Op("StackPushV2", nil, g.Op("StackV2", opstest.Attrs("elem_type", f32), n), y)
		}},
		{"number of elements of a queue", func(g opstest.Graph, n, y ir.Out) ir.Out {
			q, put := queue(g)
			end := opstest.After(g.Effect("QueueCloseV2", nil, q), put)
			return opstest.After(g.Op("QueueDequeueManyV2", opstest.Attrs("component_types", []tensor.DType{f32}), q, n), end)
		}},
		{"at most so many of a queue", func(g opstest.Graph, n, y ir.Out) ir.Out {
			q, put := queue(g)
			end := opstest.After(g.Effect("QueueCloseV2", nil, q), put)
			return opstest.After(g.Op("QueueDequeueUpToV2", opstest.Attrs("component_types", []tensor.DType{f32}), q, n), end)
		}},
		{"place in a staging area", func(g opstest.Graph, n, y ir.Out) ir.Out {
			types := opstest.Attrs("dtypes", []tensor.DType{f32}, "shared_name", "s")
			put := g.Effect("Stage", types, y)
			return opstest.After(g.Op("StagePeek", types, n), put)
		}},
		{"component of a staged tuple", func(g opstest.Graph, n, y ir.Out) ir.Out {
			types := opstest.Attrs("dtypes", []tensor.DType{f32, f32}, "shared_name", "s")
			put := g.Effect("MapStage", types, g.Longs(nil, 1), vec(g, n), y)
			return opstest.After(g.Op("MapIncompleteSize", types), put)
		}},
		{"number of gradients", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := opstest.Attrs("dtype", f32, "shape", ir.PartialShape{Dims: []int64{2}}, "reduction_type", "MEAN")
			h := g.Op("ResourceConditionalAccumulator", a)
			put := g.Effect("ResourceAccumulatorApplyGradient", opstest.Attrs("dtype", f32), h, g.Longs(nil, 0), y)
			return opstest.After(g.Op("ResourceAccumulatorTakeGradient", opstest.Attrs("dtype", f32), h, n), put)
		}},
		{"slices of a gradient", func(g opstest.Graph, n, y ir.Out) ir.Out {
			a := opstest.Attrs("dtype", f32, "shape", ir.PartialShape{Dims: []int64{-1, 2}}, "reduction_type", "SUM")
			h := g.Op("SparseConditionalAccumulator", a)
			put := g.Effect("SparseAccumulatorApplyGradient", opstest.Attrs("dtype", f32, "has_known_shape", true), h, g.Longs(nil, 0),
				vec(g, wide(g, n)), g.Op("ExpandDims", nil, y, g.Int(0)), g.Longs(tensor.Shape{2}, math.MaxInt64, 2))
			return opstest.After(g.Op("AccumulatorNumAccumulated", nil, h), put)
		}},
	} {
		g := opstest.New(t)
		out := c.build(g, g.Feed("n", tensor.Int32), g.Feed("y", f32, 2))
		stateops.NoteElements(ops.Ops(), g.Graph)
		p, err := g.Lower(out)
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
