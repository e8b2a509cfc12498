package state_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/rt/tensor"
)

const vocabulary = "zero 0\r\none 1\ntwo 2\n"

// TestResources checks the tensors that tables, queues, staging areas, accumulators, barriers and a
// session's tensors return, and their shapes at compile time.
func TestResources(t *testing.T) {
	str, i32, i64 := tensor.String, tensor.Int32, tensor.Int64
	table := opstest.Attrs("key_dtype", str, "value_dtype", i64)
	find := func(g opstest.Graph, op, table ir.Out) ir.Out {
		return opstest.After(g.Op("LookupTableFindV2", opstest.Attrs("Tin", str, "Tout", i64), table, g.Texts("two", "?", "one"), g.Longs(nil, -1)), op)
	}
	file := func(key, value int64, more ...any) map[string]ir.Attr {
		a := opstest.Attrs("key_index", key, "value_index", value, "delimiter", " ")
		for k, v := range opstest.Attrs(more...) {
			a[k] = v
		}
		return a
	}
	lines := func(a map[string]ir.Attr, name ...string) func(g opstest.Graph) ir.Out {
		return func(g opstest.Graph) ir.Out {
			h := g.Op("HashTableV2", table)
			f := ir.Out{}
			if len(name) == 0 {
				f = g.Feed("file", str)
			} else {
				f = g.NewConst("f", &tensor.Tensor{DType: str, Shape: tensor.Shape{}, Data: name})
			}
			return find(g, g.Effect("InitializeTableFromTextFileV2", a, h, f), h)
		}
	}
	fifo := opstest.Attrs("component_types", []tensor.DType{i32}, "shapes", opstest.Scalars(1), "capacity", int64(9))
	take := opstest.Attrs("component_types", []tensor.DType{i32}, "timeout_ms", int64(-1))
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph) ir.Out
		shape string
		want  string
		code  tensor.Code
	}{
		{"a table of a file", lines(file(0, 1), "vocab"), "[3]", "[3] [2 -1 1]", 0},
		{"of lines", lines(file(0, -1, "offset", int64(10)), "vocab"), "[3]", "[3] [12 -1 11]", 0},
		{"of its first lines", lines(file(0, 1, "vocab_size", int64(2)), "vocab"), "[3]", "[3] [-1 -1 1]", 0},
		{"of too few lines", lines(file(0, 1, "vocab_size", int64(4)), "vocab"), "", "", tensor.InvalidArgument},
		{"of a column it lacks", lines(file(0, 2), "vocab"), "", "", tensor.InvalidArgument},
		{"of a column that is no number", lines(file(1, 0), "vocab"), "", "", tensor.InvalidArgument},
		{"of no such file", lines(file(0, 1), "other"), "", "", tensor.NotFound},
		{"of a file only a run knows", lines(file(0, 1)), "", "", tensor.PermissionDenied},
		{"of whole lines", func(g opstest.Graph) ir.Out {
			h := g.Op("HashTableV2", opstest.Attrs("key_dtype", i64, "value_dtype", str))
			f := g.NewConst("f", &tensor.Tensor{DType: str, Shape: tensor.Shape{}, Data: []string{"vocab"}})
			e := g.Effect("InitializeTableFromTextFileV2", file(-1, -2), h, f)
			return opstest.After(g.Op("LookupTableFindV2", opstest.Attrs("Tin", i64, "Tout", str), h, g.Longs(tensor.Shape{1, 2}, 1, 7), g.NewConst("d", &tensor.Tensor{DType: str, Shape: tensor.Shape{}, Data: []string{"none"}})), e)
		}, "[1,2]", "[1,2] [one 1 none]", 0},
		{"an empty table", func(g opstest.Graph) ir.Out {
			return find(g, g.Effect("NoOp", nil), g.Op("HashTable", table))
		}, "[3]", "", tensor.FailedPrecondition},
		{"a table of no such types", func(g opstest.Graph) ir.Out {
			return g.Op("LookupTableSizeV2", nil, g.Op("HashTableV2", opstest.Attrs("key_dtype", tensor.Half, "value_dtype", i64)))
		}, "", "", tensor.Unimplemented},
		{"a table of a run", func(g opstest.Graph) ir.Out {
			h := g.Op("Identity", nil, g.Op("AnonymousHashTable", table))
			return find(g, g.Effect("InitializeTableV2", nil, h, g.Texts("one", "two"), g.Longs(tensor.Shape{2}, 4, 5)), h)
		}, "[3]", "[3] [5 -1 4]", 0},
		{"rows that a table exports", func(g opstest.Graph) ir.Out {
			h := g.Op("MutableHashTableOfTensorsV2", opstest.Attrs("key_dtype", i64, "value_dtype", i64, "value_shape", ir.PartialShape{Dims: []int64{2}}))
			e := g.Effect("LookupTableInsertV2", nil, h, g.Longs(tensor.Shape{2}, 4, 5), g.Longs(tensor.Shape{2, 2}, 40, 41, 50, 51))
			e = opstest.After(g.Effect("LookupTableRemoveV2", nil, h, g.Longs(tensor.Shape{1}, 4)), e)
			x := g.Ops("LookupTableExportV2", 2, opstest.Attrs("Tkeys", i64, "Tvalues", i64), h)
			return opstest.After(x[1], e)
		}, "[n,2]", "[1,2] [50 51]", 0},
		{"vectors as keys", func(g opstest.Graph) ir.Out {
			h := g.Op("MutableDenseHashTableV2", opstest.Attrs("value_dtype", i64, "value_shape", ir.PartialShape{}, "initial_num_buckets", int64(8), "max_load_factor", float32(0.5)),
				g.Longs(tensor.Shape{2}, 0, 0), g.Longs(tensor.Shape{2}, -1, -1))
			e := g.Effect("LookupTableInsertV2", nil, h, g.Longs(tensor.Shape{1, 2}, 4, 5), g.Longs(tensor.Shape{1}, 9))
			return opstest.After(g.Op("LookupTableFindV2", opstest.Attrs("Tout", i64), h, g.Longs(tensor.Shape{2, 2}, 4, 5, 5, 4), g.Longs(nil, -1)), e)
		}, "[2]", "[2] [9 -1]", 0},
		{"a load that is none", func(g opstest.Graph) ir.Out {
			return g.Op("LookupTableSizeV2", nil, g.Op("MutableDenseHashTableV2", opstest.Attrs("value_dtype", i64, "value_shape", ir.PartialShape{}, "max_load_factor", float32(1)),
				g.Longs(nil, 0), g.Longs(nil, 1)))
		}, "", "", tensor.InvalidArgument},
		{"buckets that are no power of 2", func(g opstest.Graph) ir.Out {
			return g.Op("LookupTableSizeV2", nil, g.Op("MutableDenseHashTableV2", opstest.Attrs("value_dtype", i64, "value_shape", ir.PartialShape{}, "initial_num_buckets", int64(5)),
				g.Longs(nil, 0), g.Longs(nil, 1)))
		}, "", "", tensor.InvalidArgument},
		{"a value that must be a vector", func(g opstest.Graph) ir.Out {
			return g.Op("LookupTableSizeV2", nil, g.Op("MutableHashTableOfTensorsV2", opstest.Attrs("key_dtype", i64, "value_dtype", i64, "value_shape", ir.PartialShape{})))
		}, "", "", tensor.InvalidArgument},
		{"elements of a queue", func(g opstest.Graph) ir.Out {
			q := g.Op("FIFOQueueV2", fifo)
			e := g.Effect("QueueEnqueueManyV2", nil, q, g.Ints(4, 5, 6, 7))
			return opstest.After(g.Op("QueueDequeueManyV2", take, q, g.Int(3)), e)
		}, "[3]", "[3] [4 5 6]", 0},
		{"as many as there are, by a reference", func(g opstest.Graph) ir.Out {
			q := g.Op("FIFOQueue", fifo)
			e := g.Effect("QueueEnqueueMany", nil, q, g.Ints(4, 5, 6, 7))
			e = opstest.After(g.Effect("QueueClose", nil, q), e)
			return opstest.After(g.Op("QueueDequeueUpTo", take, q, g.Int(9)), e)
		}, "[n]", "[4] [4 5 6 7]", 0},
		{"fewer elements than asked for", func(g opstest.Graph) ir.Out {
			q := g.Op("FIFOQueueV2", fifo)
			return opstest.After(g.Op("QueueDequeueV2", take, q), g.Effect("QueueCloseV2", nil, q))
		}, "[]", "", tensor.OutOfRange},
		{"shapes a queue does not state", func(g opstest.Graph) ir.Out {
			q := g.Op("RandomShuffleQueueV2", opstest.Attrs("component_types", []tensor.DType{i32}, "capacity", int64(9)))
			e := g.Effect("QueueEnqueueV2", nil, q, g.Ints(4, 5, 6, 7))
			return opstest.After(g.Op("QueueDequeueV2", take, q), e)
		}, "[4]", "[4] [4 5 6 7]", 0},
		{"padded elements", func(g opstest.Graph) ir.Out {
			q := g.Op("PaddingFIFOQueueV2", opstest.Attrs("component_types", []tensor.DType{i32}, "capacity", int64(9), "shapes", []ir.PartialShape{{Dims: []int64{-1}}}))
			e := g.Effect("QueueEnqueueV2", nil, q, g.Ints(4))
			e = opstest.After(g.Effect("QueueEnqueueV2", nil, q, g.Ints(5, 6)), e)
			return opstest.After(g.Op("QueueDequeueManyV2", take, q, g.Int(2)), e)
		}, "[2,n]", "[2,2] [4 0 5 6]", 0},
		{"a priority", func(g opstest.Graph) ir.Out {
			both := opstest.Attrs("component_types", []tensor.DType{i64, i32})
			q := g.Op("PriorityQueueV2", opstest.Attrs("component_types", []tensor.DType{i32}, "capacity", int64(9), "shapes", opstest.Scalars(1)))
			e := g.Effect("QueueEnqueueManyV2", nil, q, g.Longs(tensor.Shape{3}, 5, 1, 3), g.Ints(50, 10, 30))
			return opstest.After(g.Ops("QueueDequeueManyV2", 2, both, q, g.Int(3))[1], e)
		}, "[3]", "[3] [10 30 50]", 0},
		{"a timeout", func(g opstest.Graph) ir.Out {
			return g.Op("QueueDequeueV2", opstest.Attrs("component_types", []tensor.DType{i32}, "timeout_ms", int64(5)), g.Op("FIFOQueueV2", fifo))
		}, "", "", tensor.InvalidArgument},
		{"a staged tensor", func(g opstest.Graph) ir.Out {
			e := g.Effect("Stage", opstest.Attrs("shared_name", "s"), g.Ints(1, 2), g.Int(3))
			return opstest.After(g.Ops("Unstage", 2, opstest.Attrs("shared_name", "s", "dtypes", []tensor.DType{i32, i32}))[0], e)
		}, "[2]", "[2] [1 2]", 0},
		{"nothing is staged there", func(g opstest.Graph) ir.Out {
			return g.Op("Unstage", opstest.Attrs("shared_name", "other", "dtypes", []tensor.DType{i32}))
		}, "?", "", tensor.Unimplemented},
		{"a component by its key", func(g opstest.Graph) ir.Out {
			a := opstest.Attrs("shared_name", "m", "dtypes", []tensor.DType{i32, i32})
			e := g.Effect("MapStage", a, g.Longs(nil, 7), g.Ints(0, 1), g.Int(1), g.Ints(2, 3))
			x := g.Ops("MapUnstageNoKey", 2, opstest.Attrs("shared_name", "m", "dtypes", []tensor.DType{i32}), g.Ints(1))
			return opstest.After(x[1], e)
		}, "[2]", "[2] [2 3]", 0},
		{"a mean of gradients", func(g opstest.Graph) ir.Out {
			f := func(v ...float32) ir.Out {
				return g.NewConst("g", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(v)}, Data: v})
			}
			a := g.Op("ConditionalAccumulator", opstest.Attrs("dtype", tensor.Float32, "shape", ir.PartialShape{UnknownRank: true}, "reduction_type", "MEAN"))
			e := g.Effect("AccumulatorApplyGradient", nil, a, g.Longs(nil, 0), f(1, 2))
			e = opstest.After(g.Effect("AccumulatorApplyGradient", nil, a, g.Longs(nil, 0), f(2, 4)), e)
			return opstest.After(g.Op("AccumulatorTakeGradient", opstest.Attrs("dtype", tensor.Float32), a, g.Int(2)), e)
		}, "[2]", "[2] [1.5 3]", 0},
		{"a mean of slices", func(g opstest.Graph) ir.Out {
			dt := tensor.Float32
			a := g.Op("SparseConditionalAccumulator", opstest.Attrs("dtype", dt, "shape", ir.PartialShape{Dims: []int64{4, 1}}, "reduction_type", "SUM"))
			e := g.Effect("SparseAccumulatorApplyGradient", opstest.Attrs("has_known_shape", false), a, g.Longs(nil, 0), g.Longs(tensor.Shape{2}, 1, 3),
				g.NewConst("g", &tensor.Tensor{DType: dt, Shape: tensor.Shape{2, 1}, Data: []float32{5, 6}}), g.Longs(tensor.Shape{0}))
			return opstest.After(g.Ops("SparseAccumulatorTakeGradient", 3, opstest.Attrs("dtype", dt), a, g.Int(1))[1], e)
		}, "[n,1]", "[2,1] [5 6]", 0},
		{"keys of a barrier", func(g opstest.Graph) ir.Out {
			b := g.Op("Barrier", opstest.Attrs("component_types", []tensor.DType{i32}, "shapes", opstest.Scalars(1), "capacity", int64(-1)))
			e := g.Effect("BarrierInsertMany", opstest.Attrs("component_index", int64(0)), b, g.Texts("b", "a"), g.Ints(1, 2))
			x := g.Ops("BarrierTakeMany", 3, opstest.Attrs("component_types", []tensor.DType{i32}, "timeout_ms", int64(-1)), b, g.Int(2))
			return opstest.After(x[1], e)
		}, "[n]", "[2] [b a]", 0},
		{"a tensor that is kept", func(g opstest.Graph) ir.Out {
			h := g.Op("GetSessionHandle", nil, g.Ints(3, 4))
			x := g.Op("GetSessionTensor", opstest.Attrs("dtype", i32), h)
			opstest.After(g.Effect("DeleteSessionTensor", nil, h), x)
			return x
		}, "[2]", "[2] [3 4]", 0},
	} {
		g := opstest.New(t)
		out := c.build(g)
		got, shape, err := runWith(g, out)
		switch {
		case c.code != 0:
			if tensor.CodeOf(err) != c.code {
				t.Errorf("%s: %v, want %v", c.name, err, c.code)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case got != c.want || shape != c.shape:
			t.Errorf("%s: %s %s, want %s %s", c.name, shape, got, c.shape, c.want)
		}
	}
}

// runWith runs a graph, with the file vocab, and fetches out. It returns the fetched value, and its
// shape at compile time.
func runWith(g opstest.Graph, out ir.Out) (got, shape string, err error) {
	g.Fetches = append(g.Fetches, ir.Fetch{Name: "y:0", Key: "y", Out: out})
	stateops.NoteElements(ops.Ops(), g.Graph)
	if err := ops.Ops().Infer(g.Graph); err != nil {
		return "", "", err
	}
	p, err := ops.Ops().Lower(g.Graph, "test", lower.Files(func(name string) ([]byte, error) {
		if name != "vocab" {
			return nil, tensor.Errorf(tensor.NotFound, "no %q", name)
		}
		return []byte(vocabulary), nil
	}))
	if err != nil {
		return "", "", err
	}
	x, err := exec.New(p)
	if err != nil {
		return "", "", err
	}
	ys, err := x.Run(context.Background(), nil)
	if err != nil {
		return "", "", err
	}
	dims := []string{}
	for _, d := range out.Fact().Shape.Dims {
		s := "n"
		if v, ok := d.IsInt(); ok {
			s = fmt.Sprint(v)
		}
		dims = append(dims, s)
	}
	return fmt.Sprint(ys["y:0"].Shape, ys["y:0"].Data), "[" + strings.Join(dims, ",") + "]", nil
}
