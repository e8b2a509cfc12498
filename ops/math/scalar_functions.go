package math

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// pairwise are binary ops whose operands must have the same shape.
var pairwise = func() map[string]bool {
	m := map[string]bool{"ApproximateEqual": true}
	for _, d := range gradientDefs {
		m[d.Name] = true
	}
	return m
}()

// scalarFunctions returns the GPU lowerings of the element-wise ops that are computed by scalar
// programs. Most programs are formulas of kit.Formulas; the other programs are built by functions
// in this package.
func scalarFunctions() []*lower.GPU {
	f, c := kit.Formulas()
	unary, binary := maps.Clone(f.Unary), maps.Clone(f.Binary)
	maps.Copy(unary, c.Unary)
	maps.Copy(binary, c.Binary)
	var list []*lower.GPU
	for _, op := range slices.Sorted(maps.Keys(unary)) {
		list = append(list, kit.GPUMap(op, unaryScalar))
	}
	for _, op := range slices.Sorted(maps.Keys(binary)) {
		list = append(list, kit.GPUMap(op, binaryScalar))
	}
	return append(list, kit.GPUMap("Cast", castScalar), kit.GPUMap("Select", selectScalar), kit.GPUMap("SelectV2", selectV2Scalar),
		kit.GPUMap("ClipByValue", clipScalar), kit.GPUMap("AddN", addNScalar), kit.GPUMap("AccumulateNV2", addNScalar),
		kit.GPUMap("BiasAdd", biasScalar), kit.GPUMap("BiasAddV1", biasScalar), kit.GPUMap("ZerosLike", likeScalar), kit.GPUMap("OnesLike", likeScalar),
		kit.GPUMap("Betainc", betaincScalar), kit.GPUMap("Bucketize", bucketizeScalar))
}

func unaryScalar(b *lower.Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	f, _ := kit.FormulaOf(b.Node.Op, d)
	if f == nil || !scalar.Takes(d) {
		return nil, lower.ErrOnHost
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	e := m.Real(d)
	m.Out(0, f(e, e.Cast(e.D, m.Item(0))))
	return m.Done()
}

func binaryScalar(b *lower.Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	_, f := kit.FormulaOf(b.Node.Op, d)
	if f == nil || !scalar.Takes(d) || unequalOK(b.Node) {
		return nil, lower.ErrOnHost
	}
	x, y := b.InShape(0), b.InShape(1)
	sizes := x
	if pairwise[b.Node.Op] {
		if err := kit.CheckSame(b, x, y); err != nil {
			return nil, err
		}
		y = x
	} else {
		sizes = kit.Joint(b, x, y)
	}
	m := kit.NewScalar(b, sizes)
	e := m.Real(d)
	l, r := m.Spread(0, x), m.Spread(1, y)
	m.Out(0, f(e, e.Cast(e.D, l), e.Cast(e.D, r)))
	return m.Done()
}

// castScalar returns the scalar program of Cast. If the result type has a shorter mantissa than the
// input type, the value is rounded; if attribute Truncate is set, the excess mantissa bits are
// cleared instead.
func castScalar(b *lower.Builder) (*scalar.Work, error) {
	s, d := bytype.Plain(b.InFact(0).DType), bytype.Plain(b.OutFact(0).DType)
	if !scalar.Takes(s) || !scalar.Takes(d) {
		return nil, lower.ErrOnHost
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	v := m.Item(0)
	if b.Node.Bool("Truncate") && bytype.Chop[[2]tensor.DType{s, d}] != nil {
		v = chop(m.E, s, d, v)
	}
	m.Out(0, v)
	return m.Done()
}

// mantissa is the length of a float type's mantissa in bits.
var mantissa = map[tensor.DType]int{tensor.Half: 10, tensor.BFloat16: 7, tensor.Float32: 23, tensor.Complex64: 23}

// chop clears those mantissa bits of v that type d does not have. s is the type of v.
func chop(e *scalar.Builder, s, d tensor.DType, v scalar.Value) scalar.Value {
	if scalar.PartType(s) != tensor.Invalid {
		s = scalar.PartType(s)
		re, im := e.Un(scalar.Real, v), e.Un(scalar.Imag, v)
		return e.Bin(scalar.Complex, chop(e, s, d, re), chop(e, s, d, im))
	}
	as, bits, all := tensor.Uint32, 23, uint64(1<<32-1)
	if s == tensor.Float64 {
		as, bits, all = tensor.Uint64, 52, 1<<64-1
	}
	mask := all &^ (1<<(bits-mantissa[d]) - 1)
	k := e.Op(scalar.Op{Code: scalar.Const, DType: as, Bits: [2]uint64{mask}})
	return e.Bits(s, e.Bin(scalar.And, e.Bits(as, v), k))
}

// chosen returns the scalar program that selects the element of input 1 where input 0 is true, and
// the element of input 2 elsewhere. c, x and y are the shapes with which inputs 0, 1 and 2 are
// broadcast.
func chosen(b *lower.Builder, c, x, y []*sym.Expr) (*scalar.Work, error) {
	m := kit.NewScalar(b, kit.Joint(b, c, x, y))
	p, l, r := m.Spread(0, c), m.Spread(1, x), m.Spread(2, y)
	m.Out(0, m.E.Select(p, l, r))
	return m.Done()
}

// selectScalar returns the scalar program of Select. If the condition has one dimension and the
// other inputs have several dimensions, each element of the condition selects a row.
func selectScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(1).DType) {
		return nil, lower.ErrOnHost
	}
	cond, x, y := b.InShape(0), b.InShape(1), b.InShape(2)
	if err := kit.CheckSame(b, x, y); err != nil {
		return nil, err
	}
	if len(cond) == 1 && len(x) > 1 {
		if err := kit.CheckSame(b, cond, x[:1]); err != nil {
			return nil, err
		}
		cond = x[:1:1]
		for range x[1:] {
			cond = append(cond, sym.One)
		}
	} else if len(cond) > 0 {
		if err := kit.CheckSame(b, cond, x); err != nil {
			return nil, err
		}
		cond = x
	}
	return chosen(b, cond, x, x)
}

func selectV2Scalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(1).DType) {
		return nil, lower.ErrOnHost
	}
	return chosen(b, b.InShape(0), b.InShape(1), b.InShape(2))
}

// clipScalar returns the scalar program of ClipByValue. An element that is NaN remains NaN. A bound
// that is NaN has no effect. The upper bound is applied first, and then the lower bound.
func clipScalar(b *lower.Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	if !scalar.Takes(d) {
		return nil, lower.ErrOnHost
	}
	n := []*sym.Expr{b.OutLen(0)}
	m := kit.NewScalar(b, n)
	var v [3]scalar.Value
	for i := range v {
		if s := b.InShape(i); i == 0 || len(s) > 0 {
			if err := kit.CheckSame(b, s, b.InShape(0)); err != nil {
				return nil, err
			}
			v[i] = m.Item(i)
		} else {
			v[i] = m.Number(i)
		}
	}
	e := m.Real(d)
	x, lo, hi := e.Cast(e.D, v[0]), e.Cast(e.D, v[1]), e.Cast(e.D, v[2])
	x = e.Select(e.Lt(hi, x), hi, x)
	m.Out(0, e.Select(e.Gt(lo, x), lo, x))
	return m.Done()
}

// addNScalar adds the inputs in order and rounds after each addition.
func addNScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(0).DType) {
		return nil, lower.ErrOnHost
	}
	for i := 1; i < b.NumIn(); i++ {
		if err := kit.CheckSame(b, b.InShape(0), b.InShape(i)); err != nil {
			return nil, err
		}
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	sum := m.Item(0)
	for i := 1; i < b.NumIn(); i++ {
		sum = m.E.Bin(scalar.Add, sum, m.Item(i))
	}
	m.Out(0, sum)
	return m.Done()
}

// biasScalar returns the scalar program of BiasAdd: each element is added to the element of the
// bias that belongs to its channel.
func biasScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(0).DType) {
		return nil, lower.ErrOnHost
	}
	s := b.InShape(0)
	a := channelAxis(b.Node.Str("data_format"), len(s))
	if err := kit.CheckSame(b, s[a:a+1], b.InShape(1)); err != nil {
		return nil, err
	}
	m := kit.NewScalar(b, s)
	bias := []*sym.Expr{s[a]}
	for range s[a+1:] {
		bias = append(bias, sym.One)
	}
	m.Out(0, m.E.Bin(scalar.Add, m.Spread(0, s), m.Spread(1, bias)))
	return m.Done()
}

func likeScalar(b *lower.Builder) (*scalar.Work, error) {
	d := b.OutFact(0).DType
	if !scalar.Takes(d) {
		return nil, lower.ErrOnHost
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	v := 0.0
	if b.Node.Op == "OnesLike" {
		v = 1
	}
	m.Out(0, m.E.Const(d, v))
	return m.Done()
}

// betaincScalar returns the scalar program of Betainc. Each operand is either a scalar or has the
// shape of the result.
func betaincScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.IsFloat(b.InFact(0).DType) {
		return nil, lower.ErrOnHost
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	var v [3]scalar.Value
	for i := range v {
		s := b.InShape(i)
		if len(s) == 0 {
			v[i] = m.Number(i)
			continue
		}
		if err := kit.CheckSame(b, s, b.OutShape(0)); err != nil {
			return nil, err
		}
		v[i] = m.Item(i)
	}
	m.Out(0, m.E.Call("betainc", v[:]...))
	return m.Done()
}

// bucketizeScalar returns the scalar program of Bucketize. The result for an element is the number
// of boundaries that are less than or equal to the element. The boundaries are sorted.
func bucketizeScalar(b *lower.Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	bounds, _ := b.Node.Attrs["boundaries"].([]float32)
	const most = 64 // the largest number of comparisons in a kernel
	if len(bounds) > most || !scalar.IsFloat(d) && !scalar.IsInteger(d) {
		return nil, lower.ErrOnHost
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	e := m.E
	x := e.Cast(tensor.Float64, m.Item(0))
	if d == tensor.Float32 {
		x = m.Item(0)
	}
	n := e.Const(tensor.Int32, 0)
	for _, v := range bounds {
		one := e.Cast(tensor.Int32, e.Un(scalar.Not, e.Bin(scalar.Lt, x, e.Const(e.Type(x), float64(v)))))
		n = e.Bin(scalar.Add, n, one)
	}
	m.Out(0, n)
	return m.Done()
}
