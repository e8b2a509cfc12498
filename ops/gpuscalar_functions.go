package ops

import (
	"maps"
	"slices"
	"sync"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// formulas are the ops' formulas over real and over complex numbers.
var formulas = sync.OnceValues(func() (functions, functions) { return realFunctions(), complexFunctions() })

// formulaOf is the op's formula for elements of type d: a unary or a binary one, or none.
func formulaOf(op string, d tensor.DType) (unaryFn, binaryFn) {
	f, c := formulas()
	if scalar.PartType(d) != tensor.Invalid {
		f = c
	}
	return f.unary[op], f.binary[op]
}

// pairwise are binary ops whose operands have one shape.
var pairwise = func() map[string]bool {
	m := map[string]bool{"ApproximateEqual": true}
	for _, d := range gradientDefs {
		m[d.Name] = true
	}
	return m
}()

// scalarFunctions are the ops of one formula, and those of formulas of their own.
func scalarFunctions() []*GPU {
	f, c := formulas()
	unary, binary := maps.Clone(f.unary), maps.Clone(f.binary)
	maps.Copy(unary, c.unary)
	maps.Copy(binary, c.binary)
	var list []*GPU
	for _, op := range slices.Sorted(maps.Keys(unary)) {
		list = append(list, gpuMap(op, unaryScalar))
	}
	for _, op := range slices.Sorted(maps.Keys(binary)) {
		list = append(list, gpuMap(op, binaryScalar))
	}
	return append(list, gpuMap("Cast", castScalar), gpuMap("Select", selectScalar), gpuMap("SelectV2", selectV2Scalar),
		gpuMap("ClipByValue", clipScalar), gpuMap("AddN", addNScalar), gpuMap("AccumulateNV2", addNScalar),
		gpuMap("BiasAdd", biasScalar), gpuMap("BiasAddV1", biasScalar), gpuMap("ZerosLike", likeScalar), gpuMap("OnesLike", likeScalar),
		gpuMap("Betainc", betaincScalar), gpuMap("Cross", crossScalar), gpuMap("Bucketize", bucketizeScalar))
}

func (m *scalarMaker) real(d tensor.DType) *realExpr { return &realExpr{m.e, wideType(d), m.b} }

func unaryScalar(b *Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	f, _ := formulaOf(b.Node.Op, d)
	if f == nil || !scalar.Takes(d) {
		return nil, ErrOnHost
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	e := m.real(d)
	m.out(0, f(e, e.Cast(e.d, m.item(0))))
	return m.done()
}

func binaryScalar(b *Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	_, f := formulaOf(b.Node.Op, d)
	if f == nil || !scalar.Takes(d) || unequalOK(b.Node) {
		return nil, ErrOnHost
	}
	x, y := b.InShape(0), b.InShape(1)
	sizes := x
	if pairwise[b.Node.Op] {
		if err := b.checkSame(x, y); err != nil {
			return nil, err
		}
		y = x
	} else {
		sizes = b.joint(x, y)
	}
	m := newScalar(b, sizes)
	e := m.real(d)
	l, r := m.spread(0, x), m.spread(1, y)
	m.out(0, f(e, e.Cast(e.d, l), e.Cast(e.d, r)))
	return m.done()
}

// castScalar: attribute Truncate drops a float's excess bits.
func castScalar(b *Builder) (*scalar.Work, error) {
	s, d := plainType(b.InFact(0).DType), plainType(b.OutFact(0).DType)
	if !scalar.Takes(s) || !scalar.Takes(d) {
		return nil, ErrOnHost
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	v := m.item(0)
	if b.Node.Bool("Truncate") && chopKernels[[2]tensor.DType{s, d}] != nil {
		v = chop(m.e, s, d, v)
	}
	m.out(0, v)
	return m.done()
}

// mantissa is the length of a float's.
var mantissa = map[tensor.DType]int{tensor.Half: 10, tensor.BFloat16: 7, tensor.Float32: 23, tensor.Complex64: 23}

// chop clears the bits of v, of type s, that the mantissas of type d lack.
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

// chosen appends a choice by input 0 of inputs 1 and 2, all taken to have these shapes.
func chosen(b *Builder, c, x, y []*sym.Expr) (*scalar.Work, error) {
	m := newScalar(b, b.joint(c, x, y))
	p, l, r := m.spread(0, c), m.spread(1, x), m.spread(2, y)
	m.out(0, m.e.Select(p, l, r))
	return m.done()
}

// selectScalar: a condition of one dimension chooses rows.
func selectScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(1).DType) {
		return nil, ErrOnHost
	}
	cond, x, y := b.InShape(0), b.InShape(1), b.InShape(2)
	if err := b.checkSame(x, y); err != nil {
		return nil, err
	}
	if len(cond) == 1 && len(x) > 1 {
		if err := b.checkSame(cond, x[:1]); err != nil {
			return nil, err
		}
		cond = x[:1:1]
		for range x[1:] {
			cond = append(cond, sym.One)
		}
	} else if len(cond) > 0 {
		if err := b.checkSame(cond, x); err != nil {
			return nil, err
		}
		cond = x
	}
	return chosen(b, cond, x, x)
}

func selectV2Scalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(1).DType) {
		return nil, ErrOnHost
	}
	return chosen(b, b.InShape(0), b.InShape(1), b.InShape(2))
}

// clipScalar: a NaN stays, a NaN bound does nothing, the lower bound is applied last.
func clipScalar(b *Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	if !scalar.Takes(d) {
		return nil, ErrOnHost
	}
	n := []*sym.Expr{b.OutLen(0)}
	m := newScalar(b, n)
	var v [3]scalar.Value
	for i := range v {
		if s := b.InShape(i); i == 0 || len(s) > 0 {
			if err := b.checkSame(s, b.InShape(0)); err != nil {
				return nil, err
			}
			v[i] = m.item(i)
		} else {
			v[i] = m.number(i)
		}
	}
	e := m.real(d)
	x, lo, hi := e.Cast(e.d, v[0]), e.Cast(e.d, v[1]), e.Cast(e.d, v[2])
	x = e.Select(e.lt(hi, x), hi, x)
	m.out(0, e.Select(e.gt(lo, x), lo, x))
	return m.done()
}

// addNScalar adds from the first input on, rounding after each.
func addNScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(0).DType) {
		return nil, ErrOnHost
	}
	for i := 1; i < b.NumIn(); i++ {
		if err := b.checkSame(b.InShape(0), b.InShape(i)); err != nil {
			return nil, err
		}
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	sum := m.item(0)
	for i := 1; i < b.NumIn(); i++ {
		sum = m.e.Bin(scalar.Add, sum, m.item(i))
	}
	m.out(0, sum)
	return m.done()
}

// biasScalar: the bias runs along the channels.
func biasScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.InFact(0).DType) {
		return nil, ErrOnHost
	}
	s := b.InShape(0)
	a := channelAxis(b.Node.Str("data_format"), len(s))
	if err := b.checkSame(s[a:a+1], b.InShape(1)); err != nil {
		return nil, err
	}
	m := newScalar(b, s)
	bias := []*sym.Expr{s[a]}
	for range s[a+1:] {
		bias = append(bias, sym.One)
	}
	m.out(0, m.e.Bin(scalar.Add, m.spread(0, s), m.spread(1, bias)))
	return m.done()
}

func likeScalar(b *Builder) (*scalar.Work, error) {
	d := b.OutFact(0).DType
	if !scalar.Takes(d) {
		return nil, ErrOnHost
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	v := 0.0
	if b.Node.Op == "OnesLike" {
		v = 1
	}
	m.out(0, m.e.Const(d, v))
	return m.done()
}

// betaincScalar: operands that are not scalars have the result's shape.
func betaincScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.IsFloat(b.InFact(0).DType) {
		return nil, ErrOnHost
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	var v [3]scalar.Value
	for i := range v {
		s := b.InShape(i)
		if len(s) == 0 {
			v[i] = m.number(i)
			continue
		}
		if err := b.checkSame(s, b.OutShape(0)); err != nil {
			return nil, err
		}
		v[i] = m.item(i)
	}
	m.out(0, m.e.Call("betainc", v[:]...))
	return m.done()
}
