package kit

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Box is a copy of a strided box of elements between two buffers; see array.MoveF32.
type Box struct {
	Dims, Dst, Src []*sym.Expr
	DstOff, SrcOff *sym.Expr
}

// NewBox returns a Box that copies one element.
func NewBox() *Box { return &Box{DstOff: sym.Zero, SrcOff: sym.Zero} }

// Add adds a loop of n iterations inside the loops that the box already has. The parameters dst and
// src are the loop's strides in the destination and in the source.
func (x *Box) Add(n, dst, src *sym.Expr) {
	x.Dims, x.Dst, x.Src = append(x.Dims, n), append(x.Dst, dst), append(x.Src, src)
}

// Simplify merges adjacent loops that can be a single loop, and drops loops of length 1.
func (x *Box) Simplify() {
	y := NewBox()
	for k, n := range x.Dims {
		if n.Is(1) {
			continue
		}
		d, s := x.Dst[k], x.Src[k]
		if m := len(y.Dims); m > 0 && y.Dst[m-1].Equal(n.Mul(d)) && y.Src[m-1].Equal(n.Mul(s)) {
			n = n.Mul(y.Dims[m-1])
			y.Dims, y.Dst, y.Src = y.Dims[:m-1], y.Dst[:m-1], y.Src[:m-1]
		}
		y.Add(n, d, s)
	}
	x.Dims, x.Dst, x.Src = y.Dims, y.Dst, y.Src
}

// Contiguous reports whether the box's elements are contiguous in both buffers.
func (x *Box) Contiguous() bool {
	return len(x.Dims) == 0 || len(x.Dims) == 1 && x.Dst[0].Is(1) && x.Src[0].Is(1)
}

// Len returns the number of elements.
func (x *Box) Len() *sym.Expr { return sym.Product(x.Dims) }

// Move appends the copy x from src to dst.
func Move(b *lower.Builder, dst, src plan.View, x *Box) error {
	x.Simplify()
	if dst.Buf.Place.OnDevice() {
		DevBox(b, dst, src, x)
		return nil
	}
	if x.Contiguous() {
		b.Copy(dst.At(runStart(x.DstOff, x.Len(), dst), x.Len()), src.At(runStart(x.SrcOff, x.Len(), src), x.Len()))
		return nil
	}
	if len(x.Dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "a copy over %d axes; at most %d are supported", len(x.Dims), array.MaxRank)
	}
	fn, err := bytype.ArrayMove.Get(dst.Buf.DType)
	if err != nil {
		return err
	}
	n, d0, s0 := x.Dims[0], x.Dst[0], x.Src[0]
	if dst.Buf.DType == tensor.String || !dst.Len.Equal(n.Mul(d0)) || !s0.NonNegative() || !lower.Loopable(fn) {
		b.Call(fn, dst, src, x.Dims, x.Dst, x.DstOff, x.Src, x.SrcOff)
		return nil
	}
	l := b.Par(n, lower.RowSplit(sym.Product(x.Dims[1:]), lower.CostCheap))
	from := x.SrcOff
	if src.Len.Equal(n.Mul(s0)) {
		src = lower.Rows(src, s0)
	} else {
		from = from.Add(plan.Lo.Mul(s0))
	}
	l.Call(fn, lower.Rows(dst, d0), src, append([]*sym.Expr{plan.Count}, x.Dims[1:]...), x.Dst, x.DstOff, x.Src, from)
	return nil
}

// runStart returns the offset in v at which n consecutive elements begin. This is off, but not more
// than the length of v. A larger off is possible if n is 0.
func runStart(off, n *sym.Expr, v plan.View) *sym.Expr {
	if k, ok := n.IsInt(); ok && k > 0 || off.Is(0) || v.Len == nil || v.Len.Sub(off.Add(n)).NonNegative() {
		return off
	}
	return sym.Min(off, v.Len)
}

// Part returns the view v as an argument of one of several calls that together write v. The
// parameter first says whether the call is the first one. For all other calls, the view is also
// marked as read, because they must keep the elements that are already written.
func Part(v plan.View, first bool) plan.View {
	if !first {
		v.Mode = plan.ReadWrite
	}
	return v
}

// inRows returns the box with its loops in an order in which the destination is written
// contiguously. It returns x itself if there is no such order.
func (x *Box) inRows() *Box {
	y, left, step := NewBox(), len(x.Dims), sym.One
	y.DstOff, y.SrcOff = x.DstOff, x.SrcOff
	used := make([]bool, len(x.Dims))
	for ; left > 0; left-- {
		k := -1
		for i := range x.Dims {
			if !used[i] && (x.Dims[i].Is(1) || k < 0 && x.Dst[i].Equal(step)) {
				k = i
			}
		}
		if k < 0 {
			return x
		}
		used[k] = true
		step = step.Mul(x.Dims[k])
		y.Add(x.Dims[k], x.Dst[k], x.Src[k])
	}
	slices.Reverse(y.Dims)
	slices.Reverse(y.Dst)
	slices.Reverse(y.Src)
	return y
}
