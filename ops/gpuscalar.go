package ops

import (
	"math"
	"reflect"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// What a GPU computes item by item is described by programs over numbers (plan/scalar).
// A node's work reads tensors numbered as the node's inputs are, and writes tensors
// numbered by scalarOut.

// scalarOut is the number of output i in a node's work.
func scalarOut(i int) int { return -1 - i }

// scalarMaker makes a node's work.
type scalarMaker struct {
	b *Builder
	w *scalar.Work
	e *scalar.Builder
}

// newScalar begins a work over sizes.
func newScalar(b *Builder, sizes []*sym.Expr) *scalarMaker {
	w := &scalar.Work{Sizes: append([]*sym.Expr{}, sizes...)}
	if len(w.Sizes) == 0 {
		w.Sizes = []*sym.Expr{sym.One}
	}
	w.Dims = len(w.Sizes)
	m := &scalarMaker{b: b, w: w, e: scalar.NewBuilder(&w.Program)}
	m.e.Note = b.Node.Name
	return m
}

// place adds an input and returns its number.
func (m *scalarMaker) place(i int, access scalar.Access, off *sym.Expr, strides []*sym.Expr) int {
	o := m.b.Node.Ins[i]
	m.w.Ins = append(m.w.Ins, scalar.Input{DType: m.b.InFact(i).DType, Access: access, Name: o.String()})
	m.w.In = append(m.w.In, scalar.Place{Tensor: i, Offset: off, Strides: strides})
	return len(m.w.Ins) - 1
}

// constant is the one element of input i where that is known when compiling: it is part
// of the program then, and nothing is read.
func (m *scalarMaker) constant(i int) (scalar.Value, bool) {
	t := m.b.InConst(i)
	if t == nil || t.Len() != 1 || !scalar.Takes(t.DType) {
		return 0, false
	}
	o := scalar.Op{Code: scalar.Const, DType: scalar.Plain(t.DType)}
	switch v := reflect.ValueOf(t.Data).Index(0); v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			o.Bits[0] = 1
		}
	case reflect.Float32:
		o.Bits[0] = uint64(math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		o.Bits[0] = math.Float64bits(v.Float())
	case reflect.Complex64:
		c := complex64(v.Complex())
		o.Bits = [2]uint64{uint64(math.Float32bits(real(c))), uint64(math.Float32bits(imag(c)))}
	case reflect.Complex128:
		c := v.Complex()
		o.Bits = [2]uint64{math.Float64bits(real(c)), math.Float64bits(imag(c))}
	default:
		if v.CanInt() {
			o.Bits[0] = uint64(v.Int()) & (1<<(8*t.DType.Size()-1)<<1 - 1)
		} else {
			o.Bits[0] = v.Uint()
		}
	}
	return m.e.Op(o), true
}

// item reads input i, of as many elements as there are items.
func (m *scalarMaker) item(i int) scalar.Value {
	return m.e.Load(m.place(i, scalar.Contiguous, nil, nil))
}

// number reads element 0 of input i.
func (m *scalarMaker) number(i int) scalar.Value {
	if v, ok := m.constant(i); ok {
		return v
	}
	return m.e.Load(m.place(i, scalar.Scalar, nil, nil))
}

// spread reads input i, taken for a tensor of a shape, broadcast to the sizes.
func (m *scalarMaker) spread(i int, dims []*sym.Expr) scalar.Value {
	if v, ok := m.constant(i); ok {
		return v
	}
	return m.e.Load(m.place(i, scalar.Strided, sym.Zero, scalar.Spread(dims, m.w.Sizes)))
}

// strided reads input i at off + Σ coordinate·stride.
func (m *scalarMaker) strided(i int, off *sym.Expr, strides []*sym.Expr) int {
	return m.place(i, scalar.Strided, off, strides)
}

// arg is an integer that only a run may know.
func (m *scalarMaker) arg(e *sym.Expr) scalar.Value {
	if v, ok := e.IsInt(); ok {
		return m.e.Int(int64(v))
	}
	m.w.Values = append(m.w.Values, e)
	m.w.Args++
	return m.e.Arg(m.w.Args - 1)
}

// out writes v as output i's element.
func (m *scalarMaker) out(i int, v scalar.Value) {
	d := m.b.OutFact(i).DType
	m.w.Outs = append(m.w.Outs, scalar.Output{DType: d, Value: m.e.Cast(d, v), Name: m.b.Node.Name})
	m.w.Out = append(m.w.Out, scalar.Place{Tensor: scalarOut(i)})
}

// done is the finished work.
func (m *scalarMaker) done() (*scalar.Work, error) {
	if err := m.w.Check(); err != nil {
		return nil, m.b.Errorf(tensor.Internal, "%v", err)
	}
	return m.w.Simplify(), nil
}

// joint are the sizes that shapes broadcast to, with checks of what only a run can compare.
func (b *Builder) joint(shapes ...[]*sym.Expr) []*sym.Expr {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]*sym.Expr, rank)
	for k := range out {
		out[k] = sym.One
		for _, s := range shapes {
			j := k - (rank - len(s))
			if j < 0 || s[j].Is(1) || s[j].Equal(out[k]) {
				continue
			}
			if out[k].Is(1) {
				out[k] = s[j]
				continue
			}
			b.Check(shape.Broadcastable, out[k], s[j])
			out[k] = sym.Broadcast(out[k], s[j])
		}
	}
	return out
}

// realExpr computes with numbers of a real type; types of 16 bits as f32, rounded once
// an op.
type realExpr struct {
	*scalar.Builder
	d tensor.DType
	n *Builder
}

// wideType is the type that computations with elements of type d are done in.
func wideType(d tensor.DType) tensor.DType {
	if d == tensor.Half || d == tensor.BFloat16 {
		return tensor.Float32
	}
	return scalar.Plain(d)
}

func (e *realExpr) k(v float64) scalar.Value               { return e.Const(e.d, v) }
func (e *realExpr) add(x, y scalar.Value) scalar.Value     { return e.Bin(scalar.Add, x, y) }
func (e *realExpr) sub(x, y scalar.Value) scalar.Value     { return e.Bin(scalar.Sub, x, y) }
func (e *realExpr) mul(x, y scalar.Value) scalar.Value     { return e.Bin(scalar.Mul, x, y) }
func (e *realExpr) div(x, y scalar.Value) scalar.Value     { return e.Bin(scalar.Div, x, y) }
func (e *realExpr) max(x, y scalar.Value) scalar.Value     { return e.Bin(scalar.Max, x, y) }
func (e *realExpr) min(x, y scalar.Value) scalar.Value     { return e.Bin(scalar.Min, x, y) }
func (e *realExpr) lt(x, y scalar.Value) scalar.Value      { return e.Bin(scalar.Lt, x, y) }
func (e *realExpr) gt(x, y scalar.Value) scalar.Value      { return e.Bin(scalar.Gt, x, y) }
func (e *realExpr) eq(x, y scalar.Value) scalar.Value      { return e.Bin(scalar.Eq, x, y) }
func (e *realExpr) neg(x scalar.Value) scalar.Value        { return e.Un(scalar.Neg, x) }
func (e *realExpr) abs(x scalar.Value) scalar.Value        { return e.Un(scalar.Abs, x) }
func (e *realExpr) sqrt(x scalar.Value) scalar.Value       { return e.Un(scalar.Sqrt, x) }
func (e *realExpr) isZero(x scalar.Value) scalar.Value     { return e.eq(x, e.Const(e.Type(x), 0)) }
func (e *realExpr) square(x scalar.Value) scalar.Value     { return e.mul(x, x) }
func (e *realExpr) both(x, y scalar.Value) scalar.Value    { return e.Bin(scalar.And, x, y) }
func (e *realExpr) oneMinus(x scalar.Value) scalar.Value   { return e.sub(e.Const(e.Type(x), 1), x) }
func (e *realExpr) sigmoid(x scalar.Value) scalar.Value    { return e.flush(e.logistic(x)) }
func (e *realExpr) reciprocal(x scalar.Value) scalar.Value { return e.div(e.Const(e.Type(x), 1), x) }

func (e *realExpr) logistic(x scalar.Value) scalar.Value {
	return e.div(e.k(1), e.add(e.k(1), e.Call("exp", e.neg(x))))
}

// flush turns numbers of f32 below the normal ones into 0, as TensorFlow's threads do.
func (e *realExpr) flush(x scalar.Value) scalar.Value {
	if e.Type(x) != tensor.Float32 {
		return x
	}
	return e.Select(e.lt(e.abs(x), e.Const(tensor.Float32, 0x1p-126)), e.Const(tensor.Float32, 0), x)
}

func (e *realExpr) infinity() scalar.Value { return e.Const(tensor.Float64, math.Inf(1)) }

func (e *realExpr) float() bool { return scalar.IsFloat(e.d) }

// rsqrt is 1/√x.
func (e *realExpr) rsqrt(x scalar.Value) scalar.Value {
	if e.Type(x) == tensor.Float64 {
		return e.reciprocal(e.sqrt(x))
	}
	return e.Call("rsqrt", x)
}

// round rounds to the node's type of 16 bits, for the kernels that do so in between.
func (e *realExpr) round(x scalar.Value) scalar.Value {
	if d := e.n.InFact(0).DType; d == tensor.Half || d == tensor.BFloat16 {
		return e.Cast(e.d, e.Cast(d, x))
	}
	return x
}

// quotient is x/y; of types of 16 bits rounded.
func (e *realExpr) quotient(x, y scalar.Value) scalar.Value {
	q := e.div(x, y)
	if e.n.InFact(0).DType.Size() == 2 {
		return e.round(e.flush(q))
	}
	return q
}
