package linalg

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/fft"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var complexTypes = map[string][]tensor.DType{"Tcomplex": {tensor.Complex64, tensor.Complex128}}

var fftDefs = []*lower.Def{
	{Name: "FFT", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "FFT2D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "FFT3D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "IFFT", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "IFFT2D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "IFFT3D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "RFFT", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "RFFT2D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "RFFT3D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "IRFFT", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "IRFFT2D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
	{Name: "IRFFT3D", Types: complexTypes, Shape: fftShape, Lower: fftLower},
}

// fftKind parses an op's name: the number of transformed dimensions, whether the transform is an
// inverse, and whether its input or its output has real numbers.
func fftKind(op string) (rank int, inverse, real bool) {
	rank = 1
	switch {
	case strings.HasSuffix(op, "2D"):
		rank = 2
	case strings.HasSuffix(op, "3D"):
		rank = 3
	}
	return rank, op[0] == 'I', strings.Contains(op, "RFFT")
}

// fftShape infers the result of the Fourier transforms, which transform the last dimensions. For
// real transforms, the lengths of these dimensions are the elements of input 1, fft_length.
func fftShape(c *lower.Shaper) error {
	rank, inverse, real := fftKind(c.Node.Op)
	s := c.Shape(0)
	if s.Known && len(s.Dims) < rank {
		return tensor.Errorf(tensor.InvalidArgument, "the input has the shape %v; at least rank %d is required", s, rank)
	}
	if !real {
		c.Same(0, 0)
		return nil
	}
	if r, z := c.Node.DType("Treal"), c.Node.DType("Tcomplex"); (r == tensor.Float64) != (z == tensor.Complex128) {
		return tensor.Errorf(tensor.InvalidArgument, "Treal is %v and Tcomplex %v: c64 goes with f32, c128 with f64", r, z)
	}
	d := c.Node.DType("Tcomplex")
	if inverse {
		d = c.Node.DType("Treal")
	}
	if l, err := c.WithRank(1, 1); err != nil {
		return err
	} else if l.Known && lower.Differ(l.Dims[0], sym.Int(rank)) {
		return tensor.Errorf(tensor.InvalidArgument, "fft_length has the shape %v; %d elements are required", l, rank)
	}
	n := fftLength(c.Graph, c.Node, rank)
	if !s.Known || n == nil {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	dims := append([]*sym.Expr{}, s.Dims[:len(s.Dims)-rank]...)
	for k, e := range n {
		if kit.KnownLess(e, 0) {
			return tensor.Errorf(tensor.InvalidArgument, "fft_length %v is negative", e)
		}
		if k == rank-1 && !inverse {
			e = fftHalf(e)
		}
		dims = append(dims, e)
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

// fftHalf returns how many complex numbers the last dimension of a real transform has for e real
// numbers: e/2 + 1, but 0 if e is 0.
func fftHalf(e *sym.Expr) *sym.Expr {
	if e.Is(0) {
		return e
	}
	return e.Div(sym.Int(2)).AddInt(1)
}

// fftLength returns the elements of fft_length.
func fftLength(g *ir.Graph, n *ir.Node, rank int) []*sym.Expr {
	if es, ok := lower.IntsOf(g, n.Ins[1]); ok && len(es) == rank {
		return es
	}
	if n.Ins[1].Fact().Shape.Rank() != 1 {
		return nil
	}
	es := make([]*sym.Expr, rank)
	for k := range es {
		es[k] = g.FreshSymbol(n.Ins[1], k)
	}
	return es
}

// fftParams returns a node's fft.Params. A real transform crops its input to the lengths that
// fft_length requires, and rejects a shorter input.
func fftParams(b *lower.Builder) (plan.Struct, error) {
	rank, inverse, real := fftKind(b.Node.Op)
	none := plan.Struct{}
	in, out := b.InShape(0), b.OutShape(0)
	lead := len(in) - rank
	var from, to, n [3]*sym.Expr
	for k := range 3 {
		from[k], to[k], n[k] = sym.One, sym.One, sym.One
	}
	length := in[lead:]
	if real {
		if err := kit.RequireSame(b, b.InLen(1), sym.Int(rank), "fft_length must have one element for each dimension"); err != nil {
			return none, err
		}
		length = fftLength(b.Graph, b.Node, rank)
	}
	for k := range rank {
		at := 3 - rank + k
		from[at], to[at], n[at] = in[lead+k], out[lead+k], length[k]
		if !real {
			continue
		}
		least := 0
		if inverse && k == rank-1 && !b.InLen(0).Is(0) { // the length must be at least 1, unless the input is known to be empty
			least = 1
		}
		if err := kit.AtLeast(b, n[at], least, "fft_length"); err != nil {
			return none, err
		}
		need := n[at]
		if inverse && k == rank-1 {
			need = fftHalf(need)
		}
		// An empty input has an empty result, whatever the lengths are.
		if !from[at].Is(0) && !from[at].Equal(need) {
			if err := kit.AtLeast(b, from[at].Sub(need), 0, "the input's length beyond what fft_length needs"); err != nil {
				return none, err
			}
		}
	}
	return plan.Lit(fft.Params{Rank: rank, Inverse: inverse}, "Batch", sym.Product(in[:lead]), "In", from[:], "Out", to[:], "N", n[:]), nil
}

func fftLower(b *lower.Builder) error {
	_, inverse, real := fftKind(b.Node.Op)
	q, err := fftParams(b)
	if err != nil {
		return err
	}
	fns := []any{fft.C64, fft.C128}
	switch {
	case real && inverse:
		fns = []any{fft.InverseF32, fft.InverseF64}
	case real:
		fns = []any{fft.RealC64, fft.RealC128}
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, fns...)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), q)
	return nil
}
