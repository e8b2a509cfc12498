package passes

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// embedding lets sums over rows of a table read the rows where they are:
//
//	SparseSegment…(Gather(params, Unique(ids).y), Unique(ids).idx, …)   SparseSegment…(params, ids, …)
//	SparseSegment…(x, Cast(i32 → i64), …)                               SparseSegment…(x, i32, …)
//
// A cast to a smaller type stays: an index beyond its range would become another.
func embedding(s *state) (bool, error) {
	return s.each(func(r *rewriter, n *ir.Node) {
		switch n.Op {
		case "SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
			"SparseSegmentSqrtNWithNumSegments":
		default:
			return
		}
		if len(n.Ins) < 3 {
			return
		}
		if r.unique(n); !r.spent {
			r.widened(n, 1, "Tidx")
			if !r.spent {
				r.widened(n, 2, "Tsegmentids")
			}
		}
	})
}

// unique by-passes the rows that are gathered once each.
func (r *rewriter) unique(n *ir.Node) {
	g, u := n.Ins[0].Node, n.Ins[1].Node
	if g.Op != "Gather" && g.Op != "GatherV2" || u.Op != "Unique" || n.Ins[1].Index != 1 || len(g.Controls) > 0 || len(u.Controls) > 0 ||
		g.Int("batch_dims") != 0 || g.Ins[1] != (ir.Out{Node: u}) || !r.sole(n.Ins[0], n) || !together(u, n) {
		return
	}
	if len(g.Ins) == 3 {
		if axis, ok := ints(g.Ins[2]); !ok || len(axis) != 1 || axis[0] != 0 {
			return
		}
	}
	ids := u.Ins[0]
	d := ids.Fact().DType
	if d != tensor.Int32 && d != tensor.Int64 || g.Ins[0].Fact().Shape.Rank() < 1 || len(r.readers[n.Ins[1]]) != 1 || r.fetched[n.Ins[1]] {
		return
	}
	if r.take(n, "the rows are read where they are") {
		ins := append([]ir.Out(nil), n.Ins...)
		ins[0], ins[1] = g.Ins[0], ids
		r.set(n, n.Op, with(n.Attrs, "Tidx", d), ins...)
	}
}

// widened reads indices before they are cast to a larger type.
func (r *rewriter) widened(n *ir.Node, i int, attr string) {
	c := n.Ins[i].Node
	if c.Op != "Cast" || !r.near(n.Ins[i], n) || c.Ins[0].Fact().DType != tensor.Int32 || c.Outs[0].DType != tensor.Int64 {
		return
	}
	if r.take(n, "indices are read as they are") {
		ins := append([]ir.Out(nil), n.Ins...)
		ins[i] = c.Ins[0]
		r.set(n, n.Op, with(n.Attrs, attr, tensor.Int32), ins...)
	}
}
