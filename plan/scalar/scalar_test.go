package scalar

import (
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

const sample = `dims 2 args 1
in 0 f32 contiguous ; x
in 1 f32 strided/1 ; bias
in 2 f16 scalar
in 3 i32 indexed
in 4 c64 strided/0
%0 = load f32 0
%1 = load f32 1
%2 = add f32 %0 %1 ; dense/BiasAdd
%3 = call f32 tanh %2
%4 = load f16 2
%5 = cast f32 %4
%6 = coord i64 1
%7 = arg i64 0
%8 = lt bool %6 %7
%9 = load i32 3 %6 if %8
%10 = cast f32 %9
%11 = select f32 %8 %10 %5
%12 = mul f32 %3 %11
%13 = load c64 4 if %8
%14 = const c64 0x3f800000 0x40000000
%15 = mul c64 %13 %14
%16 = imag f32 %15
%17 = add f32 %12 %16
%18 = item i64
out 0 f32 contiguous %17 ; y
out 1 i64 strided %18
`

func TestText(t *testing.T) {
	p, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != sample {
		t.Errorf("%s", got)
	}
	q, _ := Parse(sample)
	q.Ins[0].Name, q.Ops[2].Note = "other", ""
	if !p.Equal(q) {
		t.Error("names make programs differ")
	}
	q.Ops[2].Code = Sub
	if p.Equal(q) {
		t.Error("a difference and a sum are equal")
	}
	if n := p.Ints(); n != 1+2+3+3+3+1 {
		t.Errorf("%d integers", n)
	}
}

func TestParseErrors(t *testing.T) {
	for _, edit := range [][2]string{
		{"dims 2 args 1", "dims x args 1"}, {"dims 2 args 1", "dims 0 args 1"}, {"dims 2", "dim 2"}, {"in 0 f32", "in 1 f32"}, {"in 0 f32", "in 0 str"}, {"strided/1 ; bias", "strided/2 ; bias"},
		{"in 0 f32 contiguous", "in 0 f32 contiguous/1"}, {"%1 = load f32 1", "%2 = load f32 1"}, {"%1 = load f32 1", "%1 = load f32 x"}, {"%1 = load f32 1", "%1 = load f64 1"},
		{"%1 = load f32 1", "%1 = load f32 9"}, {"%1 = load f32 1", "%1 = load f32 1 %0"}, {"%1 = load f32 1", "%1 = load f32"}, {"add f32 %0 %1", "add f32 %0 %9"}, {"add f32 %0 %1", "add f32 %0"},
		{"add f32 %0 %1", "add f32 %0 x"}, {"add f32 %0 %1", "sum f32 %0 %1"}, {"add f32 %0 %1", "add str %0 %1"}, {"add f32 %0 %1", "and f32 %0 %1"}, {"tanh %2", "tan2 %2"}, {"tanh %2", "pow %2"},
		{"call f32 tanh %2", "call f32"}, {"coord i64 1", "coord i64 2"}, {"coord i64 1", "coord i64"}, {"coord i64 1", "coord i32 1"}, {"arg i64 0", "arg i64 1"}, {"lt bool %6 %7", "lt i64 %6 %7"},
		{"lt bool %6 %7", "lt bool %6 %2"}, {"%9 = load i32 3 %6 if %8", "%9 = load i32 3 %6 if %7"}, {"select f32 %8 %10 %5", "select f32 %7 %10 %5"}, {"const c64 0x3f800000 0x40000000", "const c64 0x3f800000"},
		{"const c64 0x3f800000 0x40000000", "const c64 0x3f800000 x"}, {"imag f32 %15", "imag f64 %15"}, {"out 0 f32", "out 1 f32"}, {"out 0 f32", "out 0 f64"}, {"contiguous %17", "scalar %17"},
		{"contiguous %17", "contiguous %99"}, {"contiguous %17", "contiguous 17"}, {"%18 = item i64", "%18 = item i32"}, {"%18 = item i64", "%18 = popcount u8 %0"}, {"%18 = item i64", "%18 = bits i64 %0"},
		{"%18 = item i64", "%18 = complex c64 %0 %6"}, {"%18 = item i64", "%18 = rem f32 %0 %1"}, {"%18 = item i64", "%18 = sqrt i64 %6"}, {"%18 = item i64", "%18 = max c64 %15 %15"}, {"%18 = item i64", "%18 = eq bool %0 %6"},
		{"%18 = item i64", "%18 = invalid i64"}, {"%18 = item i64", "%18 = const qi8 1"},
	} {
		if !strings.Contains(sample, edit[0]) {
			t.Fatalf("%q is not there", edit[0])
		}
		if p, err := Parse(strings.Replace(sample, edit[0], edit[1], 1)); err == nil {
			t.Errorf("%q: no error:\n%s", edit[1], p)
		}
	}
}

func ints(vs ...int) []*sym.Expr {
	out := make([]*sym.Expr, len(vs))
	for i, v := range vs {
		out[i] = sym.Int(v)
	}
	return out
}

// work returns the Work that computes x op y and stores it in tensor 2. x and y are the shapes of
// tensors 0 and 1.
func work(op Code, sizes, x, y []*sym.Expr) *Work {
	w := &Work{Sizes: sizes}
	w.Dims = len(sizes)
	b := NewBuilder(&w.Program)
	var v [2]Value
	for i, s := range [][]*sym.Expr{x, y} {
		w.Ins = append(w.Ins, Input{DType: tensor.Float32, Access: Strided})
		w.In = append(w.In, Place{Tensor: i, Offset: sym.Zero, Strides: Spread(s, sizes)})
		v[i] = b.Load(i)
	}
	w.Outs = []Output{{DType: tensor.Float32, Value: b.Bin(op, v[0], v[1])}}
	w.Out = []Place{{Tensor: 2}}
	return w
}

func texts(es []*sym.Expr) string {
	var s []string
	for _, e := range es {
		s = append(s, e.String())
	}
	return strings.Join(s, " ")
}

func accesses(w *Work) string {
	var s []string
	for _, in := range w.Ins {
		s = append(s, accessText(in.Access, in.Step))
	}
	return strings.Join(s, " ")
}

func TestSimplify(t *testing.T) {
	b := sym.Var("B")
	c := sym.Var("C")
	for _, k := range []struct {
		sizes, x, y []*sym.Expr
		want        string // the accesses, the sizes and the integers of the simplified Work, separated by |
	}{
		{[]*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, "contiguous contiguous | 8*B | 8*B"},
		{[]*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, nil, "contiguous scalar | 8*B | 8*B"},
		{[]*sym.Expr{b, sym.Int(7), sym.Int(8)}, []*sym.Expr{b, sym.Int(7), sym.Int(8)}, ints(8), "contiguous strided/1 | 7*B 8 | 56*B 7*B 8 0 0 1"},
		{[]*sym.Expr{b, sym.Int(7), sym.Int(8)}, []*sym.Expr{b, sym.Int(7), sym.Int(8)}, []*sym.Expr{b, sym.One, sym.One}, "contiguous strided/0 | B 56 | 56*B B 56 0 1 0"},
		{[]*sym.Expr{b, sym.One, sym.Int(8)}, []*sym.Expr{b, sym.One, sym.Int(8)}, ints(8), "contiguous strided/1 | B 8 | 8*B B 8 0 0 1"},
		{[]*sym.Expr{sym.One, sym.One}, []*sym.Expr{sym.One, sym.One}, ints(1), "scalar scalar | 1 | 1"},
		{[]*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, []*sym.Expr{c, sym.Int(8)}, "contiguous strided/1 | B 8 | 8*B B 8 0 8*max(0, min(1, C - 1)) 1"},
	} {
		w := work(Add, k.sizes, k.x, k.y).Simplify()
		if err := w.Check(); err != nil {
			t.Error(err)
		}
		if got := accesses(w) + " | " + texts(w.Sizes) + " | " + texts(w.Ints()); got != k.want {
			t.Errorf("got  %s\nwant %s", got, k.want)
		}
	}
}

// TestSimplifyValues checks that Simplify simplifies coordinates and integers, and drops unused
// values.
func TestSimplifyValues(t *testing.T) {
	w := &Work{Sizes: ints(1, 5, 6), Values: []*sym.Expr{sym.Int(4), sym.Var("N"), sym.Var("N")}}
	w.Dims, w.Args = 3, 3
	w.Ins = []Input{{DType: tensor.Float32}, {DType: tensor.Float32}}
	w.In = []Place{{Tensor: 7}, {Tensor: 7}}
	b := NewBuilder(&w.Program)
	first := b.Bin(Add, b.Coord(0), b.Coord(1))
	ok := b.Bin(And, b.Bin(Lt, first, b.Arg(1)), b.Const(tensor.Bool, 1))
	x, y := b.LoadIf(0, b.Const(tensor.Bool, 1)), b.Load(1)
	b.Bin(Mul, x, y)
	n := b.Bin(Mul, b.Bin(Sub, b.Arg(2), b.Int(0)), b.Int(1))
	z := b.Select(ok, b.Cast(tensor.Float32, n), b.Bin(Add, x, y))
	w.Outs, w.Out = []Output{{DType: tensor.Float32, Value: z}}, []Place{{Tensor: 1}}
	s := w.Simplify()
	const want = `dims 2 args 1
in 0 f32 contiguous
%0 = coord i64 0
%1 = arg i64 0
%2 = lt bool %0 %1
%3 = load f32 0
%4 = cast f32 %1
%5 = add f32 %3 %3
%6 = select f32 %2 %4 %5
out 0 f32 contiguous %6
`
	if got := s.String(); got != want {
		t.Errorf("%s", got)
	}
	if len(s.Values) != 1 || !s.Reads(7) || s.Reads(8) || !s.Writes(1) || s.Writes(7) {
		t.Errorf("%+v", s)
	}
	if !s.InPlace(0, 0) || work(Add, ints(4, 5), ints(4, 5), ints(5)).Simplify().InPlace(0, 1) {
		t.Error("which input may be overwritten is wrong")
	}
}

func TestRenumber(t *testing.T) {
	w := work(Add, ints(4), ints(4), ints(4))
	r := w.Renumber(func(i int) int { return 10 + i })
	if w.In[1].Tensor != 1 || r.In[1].Tensor != 11 || r.Out[0].Tensor != 12 {
		t.Errorf("%+v %+v", w.In, r.In)
	}
	m := w.Map(func(e *sym.Expr) *sym.Expr { return e.MulInt(2) })
	if texts(m.Sizes) != "8" || texts(w.Sizes) != "4" {
		t.Error("Map changes the work itself")
	}
}

// neg returns a Work with n items that negates a tensor. The parameter from is the number of this
// tensor, and the parameter to is the number of the tensor for the result.
func neg(from, to int, n *sym.Expr) *Work {
	w := &Work{Sizes: []*sym.Expr{n}}
	w.Dims = 1
	w.Ins, w.In = []Input{{DType: tensor.Float32}}, []Place{{Tensor: from}}
	b := NewBuilder(&w.Program)
	w.Outs, w.Out = []Output{{DType: tensor.Float32, Value: b.Un(Neg, b.Load(0))}}, []Place{{Tensor: to}}
	return w
}

func none(int) bool { return false }

func TestFuse(t *testing.T) {
	b := sym.Var("B")
	n := b.MulInt(8)
	// The sum x + bias, with the bias broadcast to rows, is followed by a negation. Fuse aligns the
	// dimensions of the two Works.
	sum := work(Add, []*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, ints(8))
	w, ok := Fuse(neg(2, 3, n), sum, none)
	if !ok || len(w.Outs) != 1 || accesses(w) != "contiguous strided/1" || texts(w.Sizes) != "B 8" {
		t.Errorf("%v %s", ok, w)
	}
	w, ok = Fuse(neg(2, 3, n), sum, func(i int) bool { return i == 2 })
	if !ok || len(w.Outs) != 2 || w.Out[0].Tensor != 2 || w.Out[1].Tensor != 3 {
		t.Errorf("%v %s", ok, w)
	}
	// The two Works divide the same items into different dimensions: [B, 8] and [2·B, 4].
	other := work(Mul, []*sym.Expr{b.MulInt(2), sym.Int(4)}, []*sym.Expr{b.MulInt(2), sym.Int(4)}, ints(4)).Renumber(func(i int) int { return []int{2, 8, 9}[i] })
	w, ok = Fuse(other, sum, none)
	if !ok || texts(w.Sizes) != "B 2 4" || accesses(w) != "strided/1 contiguous strided/1" && accesses(w) != "contiguous strided/1 strided/1" {
		t.Errorf("%v %v %s %s", ok, accesses(w), texts(w.Sizes), w)
	}
	// The variable late holds a Work that adds tensor 1, of shape [8], to each row of tensor 0. This
	// Work is fused with a Work that computes tensor 1 by negating tensor 5. The fused Work therefore
	// reads tensor 5 by strides.
	late := work(Add, []*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, ints(8)).Simplify()
	w, ok = Fuse(late, neg(5, 1, sym.Int(8)), none)
	if !ok || !w.Reads(5) || w.Reads(1) || accesses(w) != "contiguous strided/1" {
		t.Errorf("%v %s", ok, w)
	}
	if _, ok = Fuse(late, neg(5, 1, sym.Int(8)), func(int) bool { return true }); ok {
		t.Error("what is written item by item was kept where it is read otherwise")
	}
	// The square root is an expensive operation. Fuse must not repeat it for each row, so it must
	// fail.
	root := neg(5, 1, sym.Int(8))
	root.Ops[1].Code = Sqrt
	if _, ok = Fuse(late, root, none); ok {
		t.Error("a root of 8 numbers was computed for all rows")
	}
	// If tensor 1 has a single element, each thread computes the element only once. Then fusing is
	// allowed even for an expensive operation.
	one := neg(5, 1, sym.One)
	one.Ops[1].Code = Sqrt
	scaled := work(Mul, []*sym.Expr{b, sym.Int(8)}, []*sym.Expr{b, sym.Int(8)}, nil).Simplify()
	w, ok = Fuse(scaled, one, none)
	if !ok || accesses(w) != "contiguous scalar" {
		t.Errorf("%v %s", ok, w)
	}
	for _, bad := range []*Work{neg(6, 3, n), neg(2, 3, b)} {
		if _, ok := Fuse(bad, sum, none); ok {
			t.Errorf("fused\n%s", bad)
		}
	}
	strided := sum.clone()
	strided.Outs[0].Access, strided.Out[0].Offset, strided.Out[0].Strides = Strided, sym.Zero, []*sym.Expr{sym.One, b}
	if _, ok := Fuse(neg(2, 3, n), strided, none); ok {
		t.Error("a transposed output was read as if it were in rows")
	}
}

// TestFuseCoordinates splits a dimension whose coordinate is used.
func TestFuseCoordinates(t *testing.T) {
	p := work(Add, ints(2, 3, 4), ints(2, 3, 4), ints(4)).Simplify() // 6 × 4
	c := &Work{Sizes: ints(2, 12)}
	c.Dims = 2
	c.Ins, c.In = []Input{{DType: tensor.Float32}}, []Place{{Tensor: 2}}
	b := NewBuilder(&c.Program)
	at := b.Cast(tensor.Float32, b.Bin(Mul, b.Coord(1), b.Coord(0)))
	c.Outs, c.Out = []Output{{DType: tensor.Float32, Value: b.Bin(Add, b.Load(0), at)}}, []Place{{Tensor: 3}}
	w, ok := Fuse(c, p, none)
	if !ok || texts(w.Sizes) != "2 3 4" || w.Check() != nil {
		t.Fatalf("%v %v\n%s", ok, w.Sizes, w)
	}
	if !strings.Contains(w.String(), "mul i64 %") || strings.Count(w.String(), "coord") != 3 {
		t.Errorf("%s", w)
	}
	// The Work called item uses the number of its current item. Its result cannot be computed as a
	// part of the Work called late, whose items have other numbers.
	late := work(Add, ints(9, 6), ints(9, 6), ints(6)).Simplify()
	item := neg(5, 1, sym.Int(6))
	ib := NewBuilder(&item.Program)
	item.Outs[0].Value = ib.Cast(tensor.Float32, ib.Item())
	if _, ok := Fuse(late, item, none); ok {
		t.Error("the numbers of items were taken for those of others")
	}
}

// TestFuseGuard: a guarded load whose guard is false returns 0. This still holds if the load is
// replaced by a computation that does not map 0 to 0.
func TestFuseGuard(t *testing.T) {
	c := &Work{Sizes: ints(10)}
	c.Dims = 1
	c.Ins, c.In = []Input{{DType: tensor.Float32, Access: Strided}}, []Place{{Tensor: 1, Offset: sym.Int(-2), Strides: ints(1)}}
	b := NewBuilder(&c.Program)
	ok := b.Bin(Ge, b.Coord(0), b.Int(2))
	c.Outs, c.Out = []Output{{DType: tensor.Float32, Value: b.LoadIf(0, ok)}}, []Place{{Tensor: 3}}
	p := neg(5, 1, sym.Int(8))
	pb := NewBuilder(&p.Program)
	p.Outs[0].Value = pb.Bin(Add, p.Outs[0].Value, pb.Const(tensor.Float32, 1))
	w, done := Fuse(c, p, none)
	if !done || !strings.Contains(w.String(), "load f32 0 if %") || w.Ops[w.Outs[0].Value].Code != Select {
		t.Fatalf("%v\n%s", done, w)
	}
	at := &Work{Sizes: ints(10)}
	at.Dims = 1
	at.Ins, at.In = []Input{{DType: tensor.Float32, Access: Indexed}}, []Place{{Tensor: 1}}
	ab := NewBuilder(&at.Program)
	at.Outs, at.Out = []Output{{DType: tensor.Float32, Value: ab.LoadAtIf(0, ab.Coord(0), ab.Bin(Lt, ab.Coord(0), ab.Int(8)))}}, []Place{{Tensor: 3}}
	w, done = Fuse(at, neg(5, 1, sym.Int(8)), none)
	if !done || w.Check() != nil || w.Ins[0].Access != Indexed {
		t.Fatalf("%v\n%s", done, w)
	}
}

func TestChain(t *testing.T) {
	n := sym.Var("N")
	count := func(ws []*Work) (c int) {
		for _, w := range ws {
			c += len(w.Out)
		}
		return c
	}
	// Each Work reads the result of the Work before it: 0 → 1 → 2 → 3. Only tensor 3 has readers
	// outside this list of Works.
	list := []*Work{neg(0, 1, n), neg(1, 2, n), neg(2, 3, n)}
	out := Chain(list, func(i int) bool { return i == 3 }, 100)
	if len(out) != 1 || count(out) != 1 || len(out[0].Ops) != 4 {
		t.Errorf("%d works\n%s", len(out), out[0])
	}
	// Two Works read tensor 1, and so does some step outside the list. The Work that computes the
	// tensor is fused with the first of the two readers, and the fused Work also writes the tensor.
	list = []*Work{neg(0, 1, n), neg(1, 2, n), neg(1, 3, n)}
	out = Chain(list, func(i int) bool { return i > 0 }, 100)
	if len(out) != 1 || count(out) != 3 {
		t.Errorf("%d works, %d tensors", len(out), count(out))
	}
	if out = Chain(list, func(i int) bool { return true }, 3); len(out) != 3 {
		t.Errorf("%d works with a limit", len(out))
	}
	// The second Work cannot be fused with the first, because it has another number of items. The
	// third Work cannot be fused with the first, because the second Work reads tensor 1, too.
	list = []*Work{neg(0, 1, n), neg(1, 2, n.AddInt(1)), neg(1, 3, n)}
	if out = Chain(list, func(i int) bool { return i > 1 }, 100); len(out) != 3 {
		t.Errorf("%d works", len(out))
	}
}

func TestConstBits(t *testing.T) {
	for _, c := range []struct {
		d    tensor.DType
		v    float64
		want uint64
	}{
		{tensor.Half, 1, 0x3c00}, {tensor.BFloat16, 1, 0x3f80}, {tensor.Float32, 1, 0x3f800000}, {tensor.Complex64, 1, 0x3f800000}, {tensor.Float64, 1, 0x3ff0000000000000},
		{tensor.Bool, 2, 1}, {tensor.Bool, 0, 0}, {tensor.Int8, -1, 0xff}, {tensor.QInt8, -1, 0xff}, {tensor.Uint16, -1, 0xffff}, {tensor.Int64, -1, math.MaxUint64},
	} {
		if got := ConstBits(c.d, c.v)[0]; got != c.want {
			t.Errorf("%v of %v: %#x, want %#x", c.v, c.d, got, c.want)
		}
	}
	for _, d := range []tensor.DType{tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32} {
		if !Takes(d) || !IsInteger(d) || Plain(d) == d {
			t.Error(d)
		}
	}
	if Takes(tensor.String) || Takes(tensor.Resource) {
		t.Error("strings are no numbers")
	}
}

func TestBuilder(t *testing.T) {
	p := &Program{Dims: 1, Args: 1, Ins: []Input{{DType: tensor.Float64}, {DType: tensor.Int16, Access: Indexed}}}
	b := NewBuilder(p)
	x := b.Load(0)
	if b.Load(0) != x || b.Cast(tensor.Float64, x) != x || b.Bits(tensor.Float64, x) != x || b.Select(b.Const(tensor.Bool, 1), x, x) != x {
		t.Error("equal values differ")
	}
	z := b.Bin(Complex, x, b.Call("sin", x))
	for v, d := range map[Value]tensor.DType{z: tensor.Complex128, b.Un(Real, z): tensor.Float64, b.Un(PopCount, b.Item()): tensor.Uint8, b.Bin(Lt, x, x): tensor.Bool,
		b.LoadAt(1, b.Arg(0)): tensor.Int16, b.Bits(tensor.Int64, x): tensor.Int64, b.Bin(Complex, b.Cast(tensor.Float32, x), b.Cast(tensor.Float32, x)): tensor.Complex64} {
		if b.Type(v) != d {
			t.Errorf("%%%d is %v, want %v", v, b.Type(v), d)
		}
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if NewBuilder(p).Load(0) != x {
		t.Error("a second builder does not find what is there")
	}
}
