package sparse_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseFeeds adds the placeholders in spec. Each is written as a letter for the type, followed by
// the dimensions in brackets, as in f[N,2]. A letter among the dimensions is an unknown size; f?
// has an unknown rank.
func sparseFeeds(g opstest.Graph, spec string) []ir.Out {
	types := map[byte]tensor.DType{'f': tensor.Float32, 'd': tensor.Float64, 'i': tensor.Int32, 'l': tensor.Int64, 's': tensor.String}
	var ins []ir.Out
	for k, f := range strings.Fields(spec) {
		name := "x" + strconv.Itoa(k)
		if f[1:] == "?" {
			o := g.Feed(name, types[f[0]])
			g.Feeds[len(g.Feeds)-1].Shape = ir.Shape{}
			o.Node.Outs[0].Shape = ir.Shape{}
			ins = append(ins, o)
			continue
		}
		var dims []any
		for _, d := range strings.Split(strings.Trim(f[1:], "[]"), ",") {
			if v, err := strconv.Atoi(d); err == nil {
				dims = append(dims, v)
			} else if d != "" {
				dims = append(dims, d)
			}
		}
		ins = append(ins, g.Feed(name, types[f[0]], dims...))
	}
	return ins
}

// TestSparseShapes checks the shape functions of sparse ops. Every op is lowered once with all
// sizes unknown, and is rejected for shapes that do not fit.
func TestSparseShapes(t *testing.T) {
	type bad []string
	one := "l[N,2] f[N] l[2]"
	for _, c := range []struct {
		op    string
		outs  int
		attrs map[string]ir.Attr
		good  []string
		bad   bad
	}{
		{"SparseToDense", 1, nil, []string{"l[N,R] l[2] f[N] f[]", "i[N] i[1] s[] s[]", "l[] l[M] f[] f[]"},
			bad{"l[N,2,1] l[2] f[N] f[]", "l[N,2] l[2] f[N,1] f[]", "l[N,2] l[2] f[N] f[1]", "l[3,2] l[2] f[4] f[]", "l[N,2] l[3] f[N] f[]", "l[N,2] l[] f[N] f[]"}},
		{"SparseTensorDenseMatMul", 1, nil, []string{"l[N,R] f[M] l[S] f[A,B]", "i[N,2] f[N] l[2] f[A,B]"},
			bad{"l[N] f[N] l[2] f[A,B]", "l[N,2] f[] l[2] f[A,B]", "l[N,2] f[N] l[2,1] f[A,B]", "l[N,2] f[N] l[2] f[A]", "l[N,3] f[N] l[3] f[A,B]", "l[3,2] f[4] l[2] f[A,B]"}},
		{"SparseTensorDenseAdd", 1, nil, []string{"l[N,R] f[M] l[S] f[A,B]", "i[N,1] f[N] i[1] f[A]"},
			bad{one + " f[A]", one + " f[]", "l[N,6] f[N] l[6] f[A,A,A,A,A,A]", "l[N] f[N] l[2] f[A,B]"}},
		{"SparseDenseCwiseAdd", 1, nil, []string{"l[N,R] f[M] l[S] f[A,B]"}, bad{"l[N] f[N] l[2] f[]", "l[N,3] f[N] l[2] f[]"}},
		{"SparseDenseCwiseDiv", 1, nil, []string{one + " f[B]"}, nil},
		{"SparseReorder", 2, nil, []string{"l[N,R] s[M] l[S]"}, bad{"l[N,2] f[N] l[3]"}},
		{"SparseReshape", 2, nil, []string{"l[N,R] l[S] l[T]"}, bad{"l[N] l[S] l[T]", "l[N,2] l[] l[T]", "l[N,2] l[2] l[]", "l[N,2] l[3] l[T]"}},
		{"SparseFillEmptyRows", 4, nil, []string{"l[N,R] s[M] l[S] s[]"}, bad{one + " f[1]", "l[N,0] f[N] l[0] f[]", "l[N] f[N] l[2] f[]"}},
		{"SparseSlice", 3, nil, []string{"l[N,R] f[M] l[S] l[T] l[U]"}, bad{one + " l[3] l[2]", one + " l[2] l[]", "l[N] f[N] l[2] l[2] l[2]"}},
		{"SparseSliceGrad", 1, nil, []string{"f[M] l[N,R] l[S] l[M,T]"}, bad{"f[] l[N,R] l[S] l[M,T]", "f[M] l[N] l[S] l[M,T]", "f[M] l[N,2] l[2] l[M,3]", "f[M] l[N,2] l[3] l[M,2]", "f[2] l[N,2] l[2] l[3,2]"}},
		{"SparseSplit", 6, opstest.Attrs("num_split", int64(2)), []string{"l[] l[N,R] f[M] l[S]"}, bad{"l[1] " + one, "l[] l[N,2] f[N] l[3]"}},
		{"SparseConcat", 3, opstest.Attrs("N", int64(2), "concat_dim", int64(-1)), []string{"l[N,R] l[M,R] f[N] f[M] l[S] l[T]"}, bad{"l[N,2] l[M,3] f[N] f[M] l[2] l[3]", "l[N,0] l[M,0] f[N] f[M] l[0] l[0]", "l[N] l[M,2] f[N] f[M] l[2] l[2]"}},
		{"SparseAdd", 3, nil, []string{"l[N,R] f[M] l[S] l[A,B] f[C] l[D] f[]"}, bad{one + " l[M,3] f[M] l[3] f[]", one + " l[M,2] f[M] l[2] f[1]", one + " l[M,2] f[M] l[2] d[]", "l[N] f[N] l[2] l[M,2] f[M] l[2] f[]", one + " l[M] f[M] l[2] f[]"}},
		{"SparseAddGrad", 2, nil, []string{"f[M] l[A,R] l[B,R] l[C,S]"}, bad{"f[M] l[A] l[B,R] l[C,S]", "f[M] l[A,2] l[B,3] l[M,2]", "f[3] l[A,2] l[B,2] l[4,2]"}},
		{"SparseSparseMaximum", 2, nil, []string{"l[N,R] f[M] l[S] l[A,B] f[C] l[D]"}, bad{one + " l[M,3] f[M] l[3]"}},
		{"SparseReduceSum", 1, opstest.Attrs("keep_dims", true), []string{"l[N,2] f[M] l[S] i[A]", "l[N,2] f[N] l[2] i[]"}, bad{one + " i[1,1]", "l[N] f[N] l[2] i[1]"}},
		{"SparseReduceMax", 1, nil, []string{"l[N,2] f[M] l[S] i[1]"}, nil},
		{"SparseReduceSumSparse", 3, nil, []string{"l[N,R] f[M] l[S] i[A]", one + " i[]"}, bad{one + " i[1,1]"}},
		{"SparseReduceMaxSparse", 3, opstest.Attrs("keep_dims", true), []string{"l[N,R] f[M] l[S] i[A]"}, bad{"l[N] f[N] l[2] i[1]"}},
		{"SparseSoftmax", 1, nil, []string{"l[N,R] f[M] l[S]"}, bad{"l[N,1] f[N] l[1]", "l[N] f[N] l[1]"}},
		{"SparseSegmentSumGradV2", 2, nil, []string{"f[A,B] i[N] l[M] i[]"}, bad{"f[] i[N] l[M] i[]", "f[A] i[] l[M] i[]", "f[A] i[3] l[4] i[]", "f[A] i[3] l[3] i[2,2]"}},
		{"SerializeSparse", 1, opstest.Attrs("T", tensor.Float32, "out_type", tensor.String), []string{"l[N,R] f[M] l[S]"}, bad{"l[N] f[M] l[S]"}},
		{"SerializeManySparse", 1, opstest.Attrs("T", tensor.String, "out_type", tensor.String), []string{"l[N,R] s[M] l[S]"}, bad{"l[N,1] s[N] l[1]", "l[N] s[M] l[S]"}},
		{"DeserializeSparse", 3, opstest.Attrs("dtype", tensor.Float32), []string{"s[A,B,3]", "s[C]"}, bad{"s[]", "s[2]"}},
		{"DeserializeManySparse", 3, opstest.Attrs("dtype", tensor.String), []string{"s[A,3]"}, bad{"s[3]", "s[A,2]"}},
		{"AddSparseToTensorsMap", 1, nil, []string{"l[N,R] f[M] l[S]"}, bad{"l[N,2] f[N] l[3]"}},
		{"AddManySparseToTensorsMap", 1, nil, []string{"l[N,R] f[M] l[S]"}, bad{"l[N,1] f[N] l[1]", "l[N,2] f[N] l[3]"}},
		{"TakeManySparseFromTensorsMap", 3, opstest.Attrs("dtype", tensor.Float32), []string{"l[N]"}, bad{"l[]"}},
		{"SparseTensorToCSRSparseMatrix", 1, opstest.Attrs("T", tensor.Float32), nil, bad{"l[N,4] f[N] l[4]", "l[N,2] f[N] l[3]"}},
		{"DenseToCSRSparseMatrix", 1, opstest.Attrs("T", tensor.Float32), nil, bad{"f[A] l[N,1]", "f[A,B] l[N]", "f[A,B] l[N,3]"}},
	} {
		lowering := func(spec string) error {
			g := opstest.New(t)
			_, err := g.Lower(g.Ops(c.op, c.outs, c.attrs, sparseFeeds(g, spec)...)...)
			return err
		}
		for _, spec := range c.good {
			if err := lowering(spec); err != nil && !(c.op == "SparseToDense" && strings.Contains(spec, "l[M]") && tensor.CodeOf(err) == tensor.Unimplemented) {
				t.Errorf("%s(%s): %v", c.op, spec, err)
			}
		}
		for _, spec := range c.bad {
			if err := lowering(spec); tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s(%s): %v, InvalidArgument is expected", c.op, spec, err)
			}
		}
		// An unknown rank is not an error.
		for _, spec := range c.good[:min(1, len(c.good))] {
			fields := strings.Fields(spec)
			for i := range fields {
				fields[i] = fields[i][:1] + "?"
			}
			if err := lowering(strings.Join(fields, " ")); err != nil && tensor.CodeOf(err) != tensor.Unimplemented {
				t.Errorf("%s of unknown ranks: %v", c.op, err)
			}
		}
	}
}

// TestSparseMatrixShapes checks that a sparse matrix's rank and constant sizes are inferred from
// the node that created it.
func TestSparseMatrixShapes(t *testing.T) {
	f32 := opstest.Attrs("T", tensor.Float32, "type", tensor.Float32)
	with := func(kv ...any) map[string]ir.Attr {
		return opstest.Attrs(append(kv, "T", tensor.Float32, "type", tensor.Float32)...)
	}
	dense := func(g opstest.Graph, name string, dims ...any) ir.Out {
		return ir.Out{Node: g.NewNode("m", "DenseToCSRSparseMatrix", f32, 1, g.Feed(name, tensor.Float32, dims...), g.Feed(name+"i", tensor.Int64, "N"+name, len(dims)))}
	}
	sparse := func(g opstest.Graph, dims ...int64) ir.Out {
		shape := g.NewConst("shape", &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{len(dims)}, Data: dims})
		return ir.Out{Node: g.NewNode("m", "SparseTensorToCSRSparseMatrix", f32, 1, g.Feed("i", tensor.Int64, "N", "R"), g.Feed("v", tensor.Float32, "N"), shape)}
	}
	for _, c := range []struct {
		name  string
		want  string // "": an error
		build func(g opstest.Graph) ir.Out
	}{
		{"dense", "[3,4]", func(g opstest.Graph) ir.Out { return g.Op("CSRSparseMatrixToDense", f32, dense(g, "x", 3, 4)) }},
		{"sparse", "[2,3,4]", func(g opstest.Graph) ir.Out {
			return g.Op("CSRSparseMatrixToDense", f32, g.Op("Identity", nil, sparse(g, 2, 3, 4)))
		}},
		{"transposed", "[2,4,3]", func(g opstest.Graph) ir.Out {
			return g.Op("CSRSparseMatrixToDense", f32, g.Op("SparseMatrixTranspose", f32, sparse(g, 2, 3, 4)))
		}},
		{"product", "[3,5]", func(g opstest.Graph) ir.Out {
			m := g.Op("SparseMatrixSparseMatMul", with("transpose_a", true), dense(g, "x", 2, 3), dense(g, "y", 2, 5))
			return g.Op("CSRSparseMatrixToDense", f32, m)
		}},
		{"dense product", "[5,3]", func(g opstest.Graph) ir.Out {
			return g.Op("SparseMatrixMatMul", with("transpose_output", true, "adjoint_b", true), dense(g, "x", 3, 4), g.Feed("b", tensor.Float32, 5, 4))
		}},
		{"rows", "[4]", func(g opstest.Graph) ir.Out {
			return g.Ops("CSRSparseMatrixComponents", 3, f32, dense(g, "x", 3, "C"), g.Int(0))[0]
		}},
		{"batch", "[2]", func(g opstest.Graph) ir.Out { return g.Op("SparseMatrixNNZ", nil, dense(g, "x", 2, "R", "C")) }},
		{"count", "[]", func(g opstest.Graph) ir.Out { return g.Op("SparseMatrixNNZ", nil, dense(g, "x", "R", "C")) }},
		{"order", "[2,3]", func(g opstest.Graph) ir.Out { return g.Op("SparseMatrixOrderingAMD", nil, dense(g, "x", 2, 3, 3)) }},
		{"factor", "[3,3]", func(g opstest.Graph) ir.Out {
			m := g.Op("SparseMatrixSparseCholesky", f32, dense(g, "x", 3, 3), g.Feed("p", tensor.Int32, 3))
			return g.Op("CSRSparseMatrixToDense", f32, m)
		}},
		{"not a matrix", "", func(g opstest.Graph) ir.Out {
			return g.Op("CSRSparseMatrixToDense", f32, g.Op("EmptyTensorList", nil, g.Int(-1), g.Int(-1)))
		}},
		{"not square", "", func(g opstest.Graph) ir.Out { return g.Op("SparseMatrixOrderingAMD", nil, dense(g, "x", 3, 4)) }},
		{"no factor", "", func(g opstest.Graph) ir.Out {
			m := g.Op("SparseMatrixSparseCholesky", f32, dense(g, "x", 3, 4), g.Feed("p", tensor.Int32, 3))
			return g.Op("CSRSparseMatrixToDense", f32, m)
		}},
		{"permutation", "", func(g opstest.Graph) ir.Out {
			m := g.Op("SparseMatrixSparseCholesky", f32, dense(g, "x", 3, 3), g.Feed("p", tensor.Int32, 4))
			return g.Op("CSRSparseMatrixToDense", f32, m)
		}},
		{"negative", "", func(g opstest.Graph) ir.Out { return g.Op("CSRSparseMatrixToDense", f32, sparse(g, -1, 3)) }},
		{"both forms", "", func(g opstest.Graph) ir.Out {
			return g.Op("SparseMatrixMatMul", with("transpose_a", true, "adjoint_a", true), dense(g, "x", 3, 4), g.Feed("b", tensor.Float32, 3, 4))
		}},
		{"both forms of b", "", func(g opstest.Graph) ir.Out {
			m := g.Op("SparseMatrixSparseMatMul", with("transpose_b", true, "adjoint_b", true), dense(g, "x", 2, 3), dense(g, "y", 2, 5))
			return g.Op("CSRSparseMatrixToDense", f32, m)
		}},
		{"ranks", "", func(g opstest.Graph) ir.Out {
			return g.Op("SparseMatrixMatMul", f32, dense(g, "x", 3, 4), g.Feed("b", tensor.Float32, 1, 4, 4))
		}},
		{"sparse ranks", "", func(g opstest.Graph) ir.Out {
			return g.Op("CSRSparseMatrixToDense", f32, g.Op("SparseMatrixSparseMatMul", f32, dense(g, "x", 3, 4), dense(g, "y", 1, 4, 4)))
		}},
		{"inner", "", func(g opstest.Graph) ir.Out {
			return g.Op("SparseMatrixMatMul", f32, dense(g, "x", 3, 4), g.Feed("b", tensor.Float32, 3, 4))
		}},
		{"batches", "", func(g opstest.Graph) ir.Out {
			return g.Op("SparseMatrixMatMul", f32, dense(g, "x", 2, 3, 4), g.Feed("b", tensor.Float32, 3, 4, 1))
		}},
	} {
		g := opstest.New(t)
		o := c.build(g)
		_, err := g.Lower(o)
		if c.want == "" {
			if tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s: %v, InvalidArgument is expected", c.name, err)
			}
			continue
		}
		if err != nil || o.Fact().Shape.String() != c.want {
			t.Errorf("%s: the shape %v, want %s: %v", c.name, o.Fact().Shape, c.want, err)
		}
	}
}
