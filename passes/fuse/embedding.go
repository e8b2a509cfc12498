package fuse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Embedding changes the ops that sum rows of a table, so that they read the rows directly from the
// table:
//
//	SparseSegment…(Gather(params, Unique(ids).y), Unique(ids).idx, …)   SparseSegment…(params, ids, …)
//	SparseSegment…(x, Cast(i32 → i64), …)                               SparseSegment…(x, i32, …)
//
// A cast of indices to a smaller type is not removed, because an index that is out of the range of
// this type is another index after the cast.
func Embedding(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		switch n.Op {
		case "SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
			"SparseSegmentSqrtNWithNumSegments":
		default:
			return
		}
		if len(n.Ins) < 3 {
			return
		}
		if unique(r, n); !r.Spent {
			widened(r, n, 1, "Tidx")
			if !r.Spent {
				widened(r, n, 2, "Tsegmentids")
			}
		}
	})
}

// unique removes the Gather of the rows that Unique selects. n then reads the rows directly from
// the table, by the indices that are the input of Unique.
func unique(r *edit.Rewriter, n *ir.Node) {
	g, u := n.Ins[0].Node, n.Ins[1].Node
	if g.Op != "Gather" && g.Op != "GatherV2" || u.Op != "Unique" || n.Ins[1].Index != 1 || len(g.Controls) > 0 || len(u.Controls) > 0 ||
		g.Int("batch_dims") != 0 || g.Ins[1] != (ir.Out{Node: u}) || !r.Sole(n.Ins[0], n) || !edit.Together(u, n) {
		return
	}
	if len(g.Ins) == 3 {
		if axis, ok := algebra.Ints(g.Ins[2]); !ok || len(axis) != 1 || axis[0] != 0 {
			return
		}
	}
	ids := u.Ins[0]
	d := ids.Fact().DType
	if d != tensor.Int32 && d != tensor.Int64 || g.Ins[0].Fact().Shape.Rank() < 1 || len(r.Readers[n.Ins[1]]) != 1 || r.Fetched[n.Ins[1]] {
		return
	}
	if r.Take(n, "the rows are read in place") {
		ins := append([]ir.Out(nil), n.Ins...)
		ins[0], ins[1] = g.Ins[0], ids
		r.Set(n, n.Op, algebra.With(n.Attrs, "Tidx", d), ins...)
	}
}

// widened removes a cast of indices from int32 to int64. The indices are input number i of n.
// Parameter attr is the name of the attribute of n with the type of the indices.
func widened(r *edit.Rewriter, n *ir.Node, i int, attr string) {
	c := n.Ins[i].Node
	if c.Op != "Cast" || !r.Near(n.Ins[i], n) || c.Ins[0].Fact().DType != tensor.Int32 || c.Outs[0].DType != tensor.Int64 {
		return
	}
	if r.Take(n, "indices are read before the cast") {
		ins := append([]ir.Out(nil), n.Ins...)
		ins[i] = c.Ins[0]
		r.Set(n, n.Op, algebra.With(n.Attrs, attr, tensor.Int32), ins...)
	}
}
