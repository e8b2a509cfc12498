package array

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/rt/tensor"
)

// formatDefs translate axes between layouts such as NHWC and NCHW.
var formatDefs = []*lower.Def{
	{Name: "DataFormatVecPermute", Types: IndexAttr("T"), Shape: vecPermuteShape, Lower: vecPermuteLower},
	{Name: "DataFormatDimMap", Types: IndexAttr("T"), Shape: dimMapShape, Lower: dimMapLower},
}

// Formats returns the values of the attributes src_format and dst_format. Both have the same four
// or five letters, in possibly different order.
func Formats(n *ir.Node) (src, dst string, err error) {
	src, dst = n.Str("src_format"), n.Str("dst_format")
	if _, ok := n.Attrs["src_format"]; !ok {
		src = "NHWC"
	}
	if _, ok := n.Attrs["dst_format"]; !ok {
		dst = "NCHW"
	}
	if len(src) != 4 && len(src) != 5 || len(dst) != len(src) {
		return "", "", tensor.Errorf(tensor.InvalidArgument, "source and destination format must be of length 4 or 5, received %q and %q", src, dst)
	}
	for i := range src {
		if strings.Count(src, src[i:i+1]) != 1 || strings.Count(dst, src[i:i+1]) != 1 {
			return "", "", tensor.Errorf(tensor.InvalidArgument, "destination format %q is not a permutation of source format %q", dst, src)
		}
	}
	return src, dst, nil
}

// Letters returns the position in src of each letter of dst.
func Letters(src, dst string) []int {
	perm := make([]int, len(dst))
	for i := range perm {
		perm[i] = strings.IndexByte(src, dst[i])
	}
	return perm
}

// VecPermutations returns two permutations of rows. Element i is the number of the input row that
// becomes row i of the result. The first permutation is for inputs that have a row for each axis.
// The second permutation is for inputs that have rows only for the space axes.
func VecPermutations(n *ir.Node) (all, space []int, err error) {
	src, dst, err := Formats(n)
	if err != nil {
		return nil, nil, err
	}
	only := strings.NewReplacer("N", "", "C", "")
	return Letters(src, dst), Letters(only.Replace(src), only.Replace(dst)), nil
}

// vecPermuteShape infers the result of DataFormatVecPermute. The input and the result have one row
// for each axis, or one row for each space axis. The rows of the input are in the order of
// src_format, and the rows of the result are in the order of dst_format.
func vecPermuteShape(c *lower.Shaper) error {
	all, space, err := VecPermutations(c.Node)
	if err != nil {
		return err
	}
	c.Same(0, 0)
	x := c.Shape(0)
	if !x.Known {
		return nil
	}
	if len(x.Dims) != 1 && len(x.Dims) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be a vector or 2D tensor, but got shape %v", x)
	}
	if len(x.Dims) == 2 {
		if v, ok := x.Dims[1].IsInt(); ok && v != 2 {
			return tensor.Errorf(tensor.InvalidArgument, "second dimension of 2D input must be of size 2, but got shape %v", x)
		}
	}
	n, ok := x.Dims[0].IsInt()
	if ok && n != len(all) && n != len(space) {
		return tensor.Errorf(tensor.InvalidArgument, "input must have as many rows as the format has axes, or two fewer, but got shape %v", x)
	}
	if n == len(space) {
		all = space
	}
	if es := c.In(0).Ints; es != nil && x.Rank() == 1 && len(es) == len(all) {
		out := make([]*sym.Expr, len(es))
		for i, p := range all {
			out[i] = es[p]
		}
		c.SetInts(0, out)
	}
	return nil
}

func vecPermuteLower(b *lower.Builder) error {
	all, space, err := VecPermutations(b.Node)
	if err != nil {
		return err
	}
	fn, err := bytype.ArrayPermuteRows.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	x := b.InShape(0)
	if len(x) == 2 && !x[1].Is(2) {
		b.Check(shape.Equal, x[1], 2, "the second dimension of input")
	}
	b.Call(fn, b.Out(0), b.In(0), intExprs(all), intExprs(space), x[0])
	return nil
}

func intExprs(vs []int) []*sym.Expr {
	es := make([]*sym.Expr, len(vs))
	for i, v := range vs {
		es[i] = sym.Int(v)
	}
	return es
}

// dimMap returns the position in dst_format of each axis of src_format.
func dimMap(n *ir.Node) ([]*sym.Expr, error) {
	src, dst, err := Formats(n)
	if err != nil {
		return nil, err
	}
	m := make([]*sym.Expr, len(src))
	for i := range m {
		m[i] = sym.Int(strings.IndexByte(dst, src[i]))
	}
	return m, nil
}

// dimMapShape infers the result of DataFormatDimMap, which maps axis numbers in src_format to axis
// numbers in dst_format. Negative axis numbers count from the end.
func dimMapShape(c *lower.Shaper) error {
	m, err := dimMap(c.Node)
	if err != nil {
		return err
	}
	c.Same(0, 0)
	if vs, ok := c.StaticInts(0); ok && c.Shape(0).Rank() <= 1 {
		out := make([]*sym.Expr, len(vs))
		for i, v := range vs {
			a, err := lower.Axis(v, len(m))
			if err != nil {
				return err
			}
			out[i] = m[a]
		}
		c.SetInts(0, out)
	}
	return nil
}

func dimMapLower(b *lower.Builder) error {
	m, err := dimMap(b.Node)
	if err != nil {
		return err
	}
	fn, err := bytype.ArrayDimMap.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), m)
	return nil
}
