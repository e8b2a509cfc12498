package ops

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/rt/tensor"
)

// after makes n run after the nodes of before.
func after(n ir.Out, before ...ir.Out) ir.Out {
	for _, b := range before {
		n.Node.Controls = append(n.Node.Controls, b.Node)
	}
	return n
}

func (g graph) effect(op string, a map[string]ir.Attr, ins ...ir.Out) ir.Out {
	return ir.Out{Node: g.NewNode("e", op, a, 0, ins...)}
}

func (g graph) texts(vs ...string) ir.Out {
	return g.NewConst("s", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{len(vs)}, Data: vs})
}

func (g graph) longs(shape tensor.Shape, vs ...int64) ir.Out {
	return g.NewConst("l", &tensor.Tensor{DType: tensor.Int64, Shape: shape, Data: vs})
}

func scalars(n int) []ir.PartialShape { return make([]ir.PartialShape, n) }

const vocabulary = "zero 0\r\none 1\ntwo 2\n"

// TestResources: what tables, queues, staging areas, accumulators, barriers and a
// session's tensors give back, and what is known of its shape when compiling.
func TestResources(t *testing.T) {
	str, i32, i64 := tensor.String, tensor.Int32, tensor.Int64
	table := attrs("key_dtype", str, "value_dtype", i64)
	find := func(g graph, op, table ir.Out) ir.Out {
		return after(g.op("LookupTableFindV2", attrs("Tin", str, "Tout", i64), table, g.texts("two", "?", "one"), g.longs(nil, -1)), op)
	}
	file := func(key, value int64, more ...any) map[string]ir.Attr {
		a := attrs("key_index", key, "value_index", value, "delimiter", " ")
		for k, v := range attrs(more...) {
			a[k] = v
		}
		return a
	}
	lines := func(a map[string]ir.Attr, name ...string) func(g graph) ir.Out {
		return func(g graph) ir.Out {
			h := g.op("HashTableV2", table)
			f := ir.Out{}
			if len(name) == 0 {
				f = g.feed("file", str)
			} else {
				f = g.NewConst("f", &tensor.Tensor{DType: str, Shape: tensor.Shape{}, Data: name})
			}
			return find(g, g.effect("InitializeTableFromTextFileV2", a, h, f), h)
		}
	}
	fifo := attrs("component_types", []tensor.DType{i32}, "shapes", scalars(1), "capacity", int64(9))
	take := attrs("component_types", []tensor.DType{i32}, "timeout_ms", int64(-1))
	for _, c := range []struct {
		name  string
		build func(g graph) ir.Out
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
		{"of whole lines", func(g graph) ir.Out {
			h := g.op("HashTableV2", attrs("key_dtype", i64, "value_dtype", str))
			f := g.NewConst("f", &tensor.Tensor{DType: str, Shape: tensor.Shape{}, Data: []string{"vocab"}})
			e := g.effect("InitializeTableFromTextFileV2", file(-1, -2), h, f)
			return after(g.op("LookupTableFindV2", attrs("Tin", i64, "Tout", str), h, g.longs(tensor.Shape{1, 2}, 1, 7), g.NewConst("d", &tensor.Tensor{DType: str, Shape: tensor.Shape{}, Data: []string{"none"}})), e)
		}, "[1,2]", "[1,2] [one 1 none]", 0},
		{"an empty table", func(g graph) ir.Out {
			return find(g, g.effect("NoOp", nil), g.op("HashTable", table))
		}, "[3]", "", tensor.FailedPrecondition},
		{"a table of no such types", func(g graph) ir.Out {
			return g.op("LookupTableSizeV2", nil, g.op("HashTableV2", attrs("key_dtype", tensor.Half, "value_dtype", i64)))
		}, "", "", tensor.Unimplemented},
		{"a table of a run", func(g graph) ir.Out {
			h := g.op("Identity", nil, g.op("AnonymousHashTable", table))
			return find(g, g.effect("InitializeTableV2", nil, h, g.texts("one", "two"), g.longs(tensor.Shape{2}, 4, 5)), h)
		}, "[3]", "[3] [5 -1 4]", 0},
		{"rows that a table exports", func(g graph) ir.Out {
			h := g.op("MutableHashTableOfTensorsV2", attrs("key_dtype", i64, "value_dtype", i64, "value_shape", ir.PartialShape{Dims: []int64{2}}))
			e := g.effect("LookupTableInsertV2", nil, h, g.longs(tensor.Shape{2}, 4, 5), g.longs(tensor.Shape{2, 2}, 40, 41, 50, 51))
			e = after(g.effect("LookupTableRemoveV2", nil, h, g.longs(tensor.Shape{1}, 4)), e)
			x := g.ops("LookupTableExportV2", 2, attrs("Tkeys", i64, "Tvalues", i64), h)
			return after(x[1], e)
		}, "[n,2]", "[1,2] [50 51]", 0},
		{"vectors as keys", func(g graph) ir.Out {
			h := g.op("MutableDenseHashTableV2", attrs("value_dtype", i64, "value_shape", ir.PartialShape{}, "initial_num_buckets", int64(8), "max_load_factor", float32(0.5)),
				g.longs(tensor.Shape{2}, 0, 0), g.longs(tensor.Shape{2}, -1, -1))
			e := g.effect("LookupTableInsertV2", nil, h, g.longs(tensor.Shape{1, 2}, 4, 5), g.longs(tensor.Shape{1}, 9))
			return after(g.op("LookupTableFindV2", attrs("Tout", i64), h, g.longs(tensor.Shape{2, 2}, 4, 5, 5, 4), g.longs(nil, -1)), e)
		}, "[2]", "[2] [9 -1]", 0},
		{"a load that is none", func(g graph) ir.Out {
			return g.op("LookupTableSizeV2", nil, g.op("MutableDenseHashTableV2", attrs("value_dtype", i64, "value_shape", ir.PartialShape{}, "max_load_factor", float32(1)),
				g.longs(nil, 0), g.longs(nil, 1)))
		}, "", "", tensor.InvalidArgument},
		{"buckets that are no power of 2", func(g graph) ir.Out {
			return g.op("LookupTableSizeV2", nil, g.op("MutableDenseHashTableV2", attrs("value_dtype", i64, "value_shape", ir.PartialShape{}, "initial_num_buckets", int64(5)),
				g.longs(nil, 0), g.longs(nil, 1)))
		}, "", "", tensor.InvalidArgument},
		{"a value that must be a vector", func(g graph) ir.Out {
			return g.op("LookupTableSizeV2", nil, g.op("MutableHashTableOfTensorsV2", attrs("key_dtype", i64, "value_dtype", i64, "value_shape", ir.PartialShape{})))
		}, "", "", tensor.InvalidArgument},
		{"elements of a queue", func(g graph) ir.Out {
			q := g.op("FIFOQueueV2", fifo)
			e := g.effect("QueueEnqueueManyV2", nil, q, g.ints(4, 5, 6, 7))
			return after(g.op("QueueDequeueManyV2", take, q, g.int(3)), e)
		}, "[3]", "[3] [4 5 6]", 0},
		{"as many as there are, by a reference", func(g graph) ir.Out {
			q := g.op("FIFOQueue", fifo)
			e := g.effect("QueueEnqueueMany", nil, q, g.ints(4, 5, 6, 7))
			e = after(g.effect("QueueClose", nil, q), e)
			return after(g.op("QueueDequeueUpTo", take, q, g.int(9)), e)
		}, "[n]", "[4] [4 5 6 7]", 0},
		{"fewer elements than asked for", func(g graph) ir.Out {
			q := g.op("FIFOQueueV2", fifo)
			return after(g.op("QueueDequeueV2", take, q), g.effect("QueueCloseV2", nil, q))
		}, "[]", "", tensor.OutOfRange},
		{"shapes a queue does not state", func(g graph) ir.Out {
			q := g.op("RandomShuffleQueueV2", attrs("component_types", []tensor.DType{i32}, "capacity", int64(9)))
			e := g.effect("QueueEnqueueV2", nil, q, g.ints(4, 5, 6, 7))
			return after(g.op("QueueDequeueV2", take, q), e)
		}, "[4]", "[4] [4 5 6 7]", 0},
		{"padded elements", func(g graph) ir.Out {
			q := g.op("PaddingFIFOQueueV2", attrs("component_types", []tensor.DType{i32}, "capacity", int64(9), "shapes", []ir.PartialShape{{Dims: []int64{-1}}}))
			e := g.effect("QueueEnqueueV2", nil, q, g.ints(4))
			e = after(g.effect("QueueEnqueueV2", nil, q, g.ints(5, 6)), e)
			return after(g.op("QueueDequeueManyV2", take, q, g.int(2)), e)
		}, "[2,n]", "[2,2] [4 0 5 6]", 0},
		{"a priority", func(g graph) ir.Out {
			both := attrs("component_types", []tensor.DType{i64, i32})
			q := g.op("PriorityQueueV2", attrs("component_types", []tensor.DType{i32}, "capacity", int64(9), "shapes", scalars(1)))
			e := g.effect("QueueEnqueueManyV2", nil, q, g.longs(tensor.Shape{3}, 5, 1, 3), g.ints(50, 10, 30))
			return after(g.ops("QueueDequeueManyV2", 2, both, q, g.int(3))[1], e)
		}, "[3]", "[3] [10 30 50]", 0},
		{"a timeout", func(g graph) ir.Out {
			return g.op("QueueDequeueV2", attrs("component_types", []tensor.DType{i32}, "timeout_ms", int64(5)), g.op("FIFOQueueV2", fifo))
		}, "", "", tensor.InvalidArgument},
		{"a staged tensor", func(g graph) ir.Out {
			e := g.effect("Stage", attrs("shared_name", "s"), g.ints(1, 2), g.int(3))
			return after(g.ops("Unstage", 2, attrs("shared_name", "s", "dtypes", []tensor.DType{i32, i32}))[0], e)
		}, "[2]", "[2] [1 2]", 0},
		{"nothing is staged there", func(g graph) ir.Out {
			return g.op("Unstage", attrs("shared_name", "other", "dtypes", []tensor.DType{i32}))
		}, "?", "", tensor.Unimplemented},
		{"a component by its key", func(g graph) ir.Out {
			a := attrs("shared_name", "m", "dtypes", []tensor.DType{i32, i32})
			e := g.effect("MapStage", a, g.longs(nil, 7), g.ints(0, 1), g.int(1), g.ints(2, 3))
			x := g.ops("MapUnstageNoKey", 2, attrs("shared_name", "m", "dtypes", []tensor.DType{i32}), g.ints(1))
			return after(x[1], e)
		}, "[2]", "[2] [2 3]", 0},
		{"a mean of gradients", func(g graph) ir.Out {
			f := func(v ...float32) ir.Out {
				return g.NewConst("g", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(v)}, Data: v})
			}
			a := g.op("ConditionalAccumulator", attrs("dtype", tensor.Float32, "shape", ir.PartialShape{UnknownRank: true}, "reduction_type", "MEAN"))
			e := g.effect("AccumulatorApplyGradient", nil, a, g.longs(nil, 0), f(1, 2))
			e = after(g.effect("AccumulatorApplyGradient", nil, a, g.longs(nil, 0), f(2, 4)), e)
			return after(g.op("AccumulatorTakeGradient", attrs("dtype", tensor.Float32), a, g.int(2)), e)
		}, "[2]", "[2] [1.5 3]", 0},
		{"a mean of slices", func(g graph) ir.Out {
			dt := tensor.Float32
			a := g.op("SparseConditionalAccumulator", attrs("dtype", dt, "shape", ir.PartialShape{Dims: []int64{4, 1}}, "reduction_type", "SUM"))
			e := g.effect("SparseAccumulatorApplyGradient", attrs("has_known_shape", false), a, g.longs(nil, 0), g.longs(tensor.Shape{2}, 1, 3),
				g.NewConst("g", &tensor.Tensor{DType: dt, Shape: tensor.Shape{2, 1}, Data: []float32{5, 6}}), g.longs(tensor.Shape{0}))
			return after(g.ops("SparseAccumulatorTakeGradient", 3, attrs("dtype", dt), a, g.int(1))[1], e)
		}, "[n,1]", "[2,1] [5 6]", 0},
		{"keys of a barrier", func(g graph) ir.Out {
			b := g.op("Barrier", attrs("component_types", []tensor.DType{i32}, "shapes", scalars(1), "capacity", int64(-1)))
			e := g.effect("BarrierInsertMany", attrs("component_index", int64(0)), b, g.texts("b", "a"), g.ints(1, 2))
			x := g.ops("BarrierTakeMany", 3, attrs("component_types", []tensor.DType{i32}, "timeout_ms", int64(-1)), b, g.int(2))
			return after(x[1], e)
		}, "[n]", "[2] [b a]", 0},
		{"a tensor that is kept", func(g graph) ir.Out {
			h := g.op("GetSessionHandle", nil, g.ints(3, 4))
			x := g.op("GetSessionTensor", attrs("dtype", i32), h)
			after(g.effect("DeleteSessionTensor", nil, h), x)
			return x
		}, "[2]", "[2] [3 4]", 0},
	} {
		g := newGraph(t)
		out := c.build(g)
		got, shape, err := g.runWith(out)
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

// runWith runs a graph whose files are vocab and fetches out: what it holds, and
// its shape when compiling.
func (g graph) runWith(out ir.Out) (got, shape string, err error) {
	g.Fetches = append(g.Fetches, ir.Fetch{Name: "y:0", Key: "y", Out: out})
	stateops.NoteElements(Ops(), g.Graph)
	if err := Ops().Infer(g.Graph); err != nil {
		return "", "", err
	}
	p, err := Ops().Lower(g.Graph, "test", lower.Files(func(name string) ([]byte, error) {
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
