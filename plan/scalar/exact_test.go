package scalar

import (
	"math"
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// pairOf returns the program that consists of one operation on two inputs of type d.
func pairOf(c Code, d tensor.DType) *Program {
	p := &Program{Dims: 1, Ins: []Input{{DType: d, Access: Scalar}, {DType: d, Access: Scalar}}}
	b := NewBuilder(p)
	v := b.Bin(c, b.Load(0), b.Load(1))
	p.Outs = []Output{{DType: b.Type(v), Value: v}}
	return p
}

func TestEval(t *testing.T) {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	g := math.Float64bits
	nan := math.NaN()
	for _, c := range []struct {
		code    Code
		d       tensor.DType
		x, y, w uint64
	}{
		{Add, tensor.Int32, 0x7fffffff, 1, 0x80000000},
		{Add, tensor.Int8, 0x7f, 1, 0x80},
		{Sub, tensor.Uint8, 0, 1, 0xff},
		{Mul, tensor.Uint16, 0x100, 0x100, 0},
		{Mul, tensor.Int64, 1 << 63, 1<<64 - 1, 1 << 63},
		{Max, tensor.Int8, 0x80, 1, 1},
		{Max, tensor.Uint8, 0x80, 1, 0x80},
		{Min, tensor.Int16, 0xffff, 0, 0xffff},
		{Lt, tensor.Int32, 0xffffffff, 0, 1},
		{Lt, tensor.Uint32, 0xffffffff, 0, 0},
		{Add, tensor.Float32, f(1), f(2), f(3)},
		{Mul, tensor.Float32, f(0), f(-1), 0x80000000},
		{Sub, tensor.Float64, g(1), g(3), g(-2)},
		{Eq, tensor.Float64, g(nan), g(nan), 0},
		{Ne, tensor.Float32, 0x7fc00000, f(1), 1},
		{Eq, tensor.Float32, 0x80000000, 0, 1},
		{Ge, tensor.Float32, f(2), f(2), 1},
		{And, tensor.Bool, 1, 0, 0},
		{Xor, tensor.Bool, 1, 1, 0},
		{Or, tensor.Int8, 0x80, 1, 0x81},
	} {
		p := pairOf(c.code, c.d)
		if !p.Exact() {
			t.Errorf("%s of %s is not exact", c.code, c.d)
		} else if got := p.Eval([]uint64{c.x, c.y}); got != c.w {
			t.Errorf("%s %s of %#x and %#x is %#x, want %#x", c.code, c.d, c.x, c.y, got, c.w)
		}
	}
}

func TestNotExact(t *testing.T) {
	for _, p := range []*Program{
		pairOf(Div, tensor.Int32), pairOf(Div, tensor.Float32), pairOf(Rem, tensor.Int32), pairOf(Max, tensor.Float32), pairOf(Add, tensor.Half),
		pairOf(Add, tensor.Complex64), pairOf(Pow, tensor.Int32), {},
	} {
		if p.Exact() {
			t.Errorf("%s is exact", p)
		}
	}
	q := pairOf(Eq, tensor.Int8)
	if q.Ins[0].DType = tensor.QInt8; q.Exact() {
		t.Error("a quantized type is exact")
	}
	q = pairOf(Add, tensor.Int8)
	if q.Outs[0].Value = 0; q.Exact() {
		t.Error("an input that is not read is exact")
	}
	q = pairOf(Add, tensor.Int8)
	if q.Ins[0].Access = Indexed; q.Exact() {
		t.Error("an indexed input is exact")
	}
}

func TestEvalCast(t *testing.T) {
	for _, c := range []struct {
		from, to tensor.DType
		x, w     uint64
	}{
		{tensor.Int8, tensor.Int32, 0xff, 0xffffffff},
		{tensor.Uint8, tensor.Int32, 0xff, 0xff},
		{tensor.Int64, tensor.Int8, 0x1ff, 0xff},
		{tensor.Int32, tensor.Float32, 0xffffffff, uint64(math.Float32bits(-1))},
		{tensor.Int32, tensor.Float32, 1<<24 + 1, uint64(math.Float32bits(1 << 24))},
		{tensor.Uint64, tensor.Float64, 1<<64 - 1, math.Float64bits(1 << 64)},
		{tensor.Float32, tensor.Float64, 0x80000000, 1 << 63},
		{tensor.Float64, tensor.Float32, math.Float64bits(1e300), uint64(math.Float32bits(float32(math.Inf(1))))},
	} {
		p := &Program{Dims: 1, Ins: []Input{{DType: c.from, Access: Scalar}}}
		b := NewBuilder(p)
		p.Outs = []Output{{DType: c.to, Value: b.Cast(c.to, b.Load(0))}}
		if got := p.Eval([]uint64{c.x}); got != c.w || !p.Exact() {
			t.Errorf("%s %#x as %s is %#x, want %#x", c.from, c.x, c.to, got, c.w)
		}
	}
	for _, d := range [][2]tensor.DType{{tensor.Float32, tensor.Int32}, {tensor.Bool, tensor.Int32}, {tensor.Int32, tensor.Bool}, {tensor.Float32, tensor.Half}} {
		p := &Program{Dims: 1, Ins: []Input{{DType: d[0], Access: Scalar}}}
		b := NewBuilder(p)
		if p.Outs = []Output{{DType: d[1], Value: b.Cast(d[1], b.Load(0))}}; p.Exact() {
			t.Errorf("%s as %s is exact", d[0], d[1])
		}
	}
}

func TestFold(t *testing.T) {
	p := &Program{Dims: 1, Ins: []Input{{DType: tensor.Int32, Access: Scalar}}}
	b := NewBuilder(p)
	v := b.Bin(Add, b.Load(0), b.Cast(tensor.Int32, b.Un(Neg, b.Const(tensor.Int8, 5))))
	p.Outs = []Output{{DType: tensor.Int32, Value: v}}
	q := p.Fold()
	if q.Ops[q.Ops[v].Args[1]].Code != Const || q.Eval([]uint64{7}) != 2 || p.Eval([]uint64{7}) != 2 || p.Ops[2].Code == Const {
		t.Errorf("%s folds to %s", p, q)
	}
}

// TestElementBits: SetElement with the bits from ElementBits restores the element.
func TestElementBits(t *testing.T) {
	for _, x := range []any{[]bool{false, true}, []int8{-1, 5}, []uint16{65535}, []int64{math.MinInt64}, []uint64{math.MaxUint64},
		[]float32{float32(math.Copysign(0, -1)), math.Float32frombits(0x7f800001), math.Float32frombits(0xffc12345)}, []float64{math.Float64frombits(0x7ff0000000000001)}} {
		v := reflect.ValueOf(x)
		for i := range v.Len() {
			bits := ElementBits(v.Index(i))[0]
			back := reflect.MakeSlice(v.Type(), 1, 1).Index(0)
			SetElement(back, bits)
			if got := ElementBits(back)[0]; got != bits || v.Type().Elem().Kind() != reflect.Float32 && v.Type().Elem().Kind() != reflect.Float64 && !back.Equal(v.Index(i)) {
				t.Errorf("%T %v: %#x, then %#x", x, v.Index(i), bits, got)
			}
		}
	}
}
