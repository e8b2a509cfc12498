package ops_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestBatchSize: the items of a batch are independent in these graphs, or they are not.
func TestBatchSize(t *testing.T) {
	const f32, i32 = tensor.Float32, tensor.Int32
	type graph = opstest.Graph
	attrs := opstest.Attrs
	t1 := attrs("T", f32)
	matrix := func(g graph, rows, columns int) ir.Out { return g.NewConst("w", opstest.Zeros(t, f32, rows, columns)) }
	image := func(g graph) ir.Out { return g.Feed("x", f32, "B,8,8,4") }
	x3 := func(g graph) ir.Out { return g.Feed("x", f32, "B,4,6") }
	sum := attrs("T", f32, "Tidx", i32, "keep_dims", false)
	cum := attrs("T", f32, "Tidx", i32, "exclusive", false, "reverse", false)
	conv := attrs("T", f32, "strides", []int64{1, 1, 1, 1}, "dilations", []int64{1, 1, 1, 1}, "padding", "SAME", "data_format", "NHWC", "explicit_paddings", []int64{}, "use_cudnn_on_gpu", true)
	norm := func(training bool) func(graph) ir.Out {
		return func(g graph) ir.Out {
			v := func() ir.Out { return g.NewConst("v", opstest.Zeros(t, f32, 4)) }
			return g.Ops("FusedBatchNormV3", 6, attrs("T", f32, "U", f32, "epsilon", float32(0.001), "exponential_avg_factor", float32(1), "data_format", "NHWC", "is_training", training), image(g), v(), v(), v(), v())[0]
		}
	}
	shapeOf := func(g graph, x ir.Out) ir.Out { return g.Op("Shape", attrs("T", f32, "out_type", i32), x) }
	pack := func(g graph, ins ...ir.Out) ir.Out {
		return g.Op("Pack", attrs("T", i32, "N", int64(len(ins)), "axis", int64(0)), ins...)
	}
	reshape := func(g graph, x, to ir.Out) ir.Out {
		return g.Op("Reshape", attrs("T", f32, "Tshape", i32), x, to)
	}
	strided := func(g graph, x ir.Out, begin, end []int32, kv ...any) ir.Out {
		all := append([]any{"T", f32, "Index", i32, "begin_mask", int64(0), "end_mask", int64(0), "ellipsis_mask", int64(0), "new_axis_mask", int64(0), "shrink_axis_mask", int64(0)}, kv...)
		ones := make([]int32, len(begin))
		for i := range ones {
			ones[i] = 1
		}
		return g.Op("StridedSlice", attrs(all...), x, g.Ints(begin...), g.Ints(end...), g.Ints(ones...))
	}
	for _, c := range []struct {
		name  string
		batch bool
		of    func(g graph) ir.Out
	}{
		{"Relu", true, func(g graph) ir.Out { return g.Op("Relu", t1, x3(g)) }},
		{"Add fixed row", true, func(g graph) ir.Out { return g.Op("AddV2", t1, x3(g), matrix(g, 4, 6)) }},
		{"Add fixed batch of one", true, func(g graph) ir.Out {
			return g.Op("AddV2", t1, g.Feed("x", f32, "B,6"), matrix(g, 1, 6))
		}},
		{"Add vector of B to the columns", false, func(g graph) ir.Out {
			return g.Op("AddV2", t1, g.Feed("x", f32, "B,B"), g.Feed("y", f32, "B"))
		}},
		{"Add batches of two sizes", false, func(g graph) ir.Out {
			return g.Op("AddV2", t1, g.Feed("x", f32, "B,6"), g.Feed("y", f32, "C,6"))
		}},
		{"MatMul", true, func(g graph) ir.Out {
			return g.Op("MatMul", attrs("T", f32, "transpose_a", false, "transpose_b", false), g.Feed("x", f32, "B,6"), matrix(g, 6, 5))
		}},
		{"MatMul of two batches", false, func(g graph) ir.Out {
			return g.Op("MatMul", attrs("T", f32, "transpose_a", false, "transpose_b", true), g.Feed("x", f32, "B,6"), g.Feed("y", f32, "B,6"))
		}},
		{"BatchMatMul", true, func(g graph) ir.Out {
			return g.Op("BatchMatMulV2", attrs("T", f32, "adj_x", true, "adj_y", false), x3(g), g.Feed("y", f32, "B,4,5"))
		}},
		{"BatchMatMul of matrices", false, func(g graph) ir.Out {
			return g.Op("BatchMatMulV2", attrs("T", f32, "adj_x", false, "adj_y", true), g.Feed("x", f32, "B,6"), g.Feed("y", f32, "B,6"))
		}},
		{"Conv2D", true, func(g graph) ir.Out {
			return g.Op("Conv2D", conv, image(g), g.NewConst("w", opstest.Zeros(t, f32, 3, 3, 4, 5)))
		}},
		{"BatchNorm", true, norm(false)},
		{"BatchNorm in training", false, norm(true)},
		{"Softmax", true, func(g graph) ir.Out { return g.Op("Softmax", t1, x3(g)) }},
		{"Softmax of a vector", false, func(g graph) ir.Out { return g.Op("Softmax", t1, g.Feed("x", f32, "B")) }},
		{"Mean of pixels", true, func(g graph) ir.Out { return g.Op("Mean", sum, image(g), g.Ints(1, -2)) }},
		{"Mean of the batch", false, func(g graph) ir.Out {
			return g.Op("Sub", t1, g.Feed("y", f32, "B,8,8,4"), g.Op("Mean", sum, image(g), g.Ints(-4)))
		}},
		{"Cumsum in items", true, func(g graph) ir.Out { return g.Op("Cumsum", cum, x3(g), g.Int(-1)) }},
		{"Cumsum of items", false, func(g graph) ir.Out { return g.Op("Cumsum", cum, x3(g), g.Int(-3)) }},
		{"Reverse items", false, func(g graph) ir.Out {
			return g.Op("ReverseV2", attrs("T", f32, "Tidx", i32), x3(g), g.Ints(0))
		}},
		{"Transpose in items", true, func(g graph) ir.Out {
			return g.Op("Transpose", attrs("T", f32, "Tperm", i32), x3(g), g.Ints(0, 2, 1))
		}},
		{"Transpose to time-major", false, func(g graph) ir.Out {
			return g.Op("Transpose", attrs("T", f32, "Tperm", i32), g.Feed("x", f32, "B,B"), g.Ints(1, 0))
		}},
		{"Concat in items", true, func(g graph) ir.Out {
			return g.Op("ConcatV2", attrs("T", f32, "Tidx", i32, "N", int64(2)), x3(g), g.Feed("y", f32, "B,4,2"), g.Int(-1))
		}},
		{"Concat of batches", false, func(g graph) ir.Out {
			return g.Op("ConcatV2", attrs("T", f32, "Tidx", i32, "N", int64(2)), x3(g), g.Feed("y", f32, "B,4,6"), g.Int(-3))
		}},
		{"Reshape to rows", true, func(g graph) ir.Out { return reshape(g, x3(g), g.Ints(-1, 6)) }},
		{"Reshape by the batch size", true, func(g graph) ir.Out {
			x := x3(g)
			return reshape(g, x, pack(g, g.At(shapeOf(g, x), 0), g.Int(24)))
		}},
		{"Reshape of another batch order", false, func(g graph) ir.Out {
			x := g.Feed("x", f32, "B,2")
			y := reshape(g, x, pack(g, g.Int(2), g.At(shapeOf(g, x), 0)))
			return reshape(g, y, g.Ints(-1, 2))
		}},
		{"Division by the batch size", false, func(g graph) ir.Out {
			x := x3(g)
			n := g.Op("Cast", attrs("SrcT", i32, "DstT", f32, "Truncate", false), g.At(shapeOf(g, x), 0))
			return g.Op("RealDiv", t1, x, n)
		}},
		{"Slice in items", true, func(g graph) ir.Out {
			return strided(g, x3(g), []int32{0, 1}, []int32{0, 3}, "begin_mask", int64(1), "end_mask", int64(1))
		}},
		{"Slice after an ellipsis", true, func(g graph) ir.Out {
			return strided(g, x3(g), []int32{0, 1}, []int32{0, 3}, "ellipsis_mask", int64(1))
		}},
		{"Slice after an ellipsis for no axis", false, func(g graph) ir.Out {
			return strided(g, g.Feed("x", f32, "B"), []int32{0, 0}, []int32{0, 3}, "ellipsis_mask", int64(1))
		}},
		{"Slice up to the batch size", false, func(g graph) ir.Out {
			x := g.Feed("x", f32, "B,B")
			n := g.At(shapeOf(g, x), 0)
			a := attrs("T", f32, "Index", i32, "begin_mask", int64(1), "end_mask", int64(1), "ellipsis_mask", int64(0), "new_axis_mask", int64(0), "shrink_axis_mask", int64(2))
			return g.Op("StridedSlice", a, x, pack(g, g.Int(0), g.Op("Sub", attrs("T", i32), n, g.Int(1))), pack(g, g.Int(0), n), g.Ints(1, 1))
		}},
		{"Items from the second one", false, func(g graph) ir.Out {
			return strided(g, x3(g), []int32{1}, []int32{0}, "end_mask", int64(1))
		}},
		{"Zeros like a batch", true, func(g graph) ir.Out {
			x := x3(g)
			fill := g.Op("Fill", attrs("T", f32, "index_type", i32), pack(g, g.At(shapeOf(g, x), 0), g.Int(6)), g.NewConst("z", opstest.Zeros(t, f32)))
			return g.Op("AddV2", t1, fill, g.Op("Sum", sum, x, g.Ints(1)))
		}},
		{"An index that may fail", false, func(g graph) ir.Out {
			return g.Op("GatherV2", attrs("Tparams", f32, "Tindices", i32, "Taxis", i32, "batch_dims", int64(0)), matrix(g, 5, 6), g.Feed("x", i32, "B,4"), g.Int(0))
		}},
		{"Random numbers", false, func(g graph) ir.Out {
			x := x3(g)
			return g.Op("AddV2", t1, x, g.Op("RandomUniform", attrs("T", i32, "dtype", f32, "seed", int64(1), "seed2", int64(2)), shapeOf(g, x)))
		}},
		{"Printing", false, func(g graph) ir.Out {
			x := x3(g)
			text := g.NewConst("text", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{}, Data: []string{"text"}})
			p := g.Effect("PrintV2", attrs("output_stream", "stderr", "end", "\n"), text)
			g.Targets = append(g.Targets, p.Node)
			return g.Op("Relu", t1, x)
		}},
		{"Fixed results only", false, func(g graph) ir.Out { g.Feed("x", f32, "B"); return g.Op("Relu", t1, matrix(g, 2, 3)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := opstest.New(t)
			p, err := g.Lower(c.of(g))
			if err != nil {
				t.Fatal(err)
			}
			if got := ops.Ops().BatchSize(g.Graph, p); (got == "B") != c.batch || got != "B" && got != "" {
				t.Errorf("the batch size is %q:\n%v", got, g.Text(ir.PrintOptions{}))
			}
		})
	}
}
