package ops_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/ptx"
	"github.com/graphc/graphc/plan/scalar"
	sim "github.com/graphc/graphc/rt/device/sim/ptx"
	"github.com/graphc/graphc/rt/tensor"
)

// blocks is a memory of several blocks: block i begins at address (i+1)<<32.
type blocks [][]byte

func (m blocks) Find(addr uint64) (uint64, []byte) {
	if i := int(addr>>32) - 1; i >= 0 && i < len(m) {
		return uint64(i+1) << 32, m[i]
	}
	return 0, nil
}

func bytesOf(data any) []byte {
	v := reflect.ValueOf(data)
	n := v.Len() * int(v.Type().Elem().Size())
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), n)
}

// scalarCase is one node that both the CPU's kernels and the kernel of a Work compute.
type scalarCase struct {
	op    string
	attrs map[string]ir.Attr
	ins   []*tensor.Tensor
	fixed map[int]bool // numbers of the inputs that are constants
}

// run returns output 0 as computed by the CPU, and by the kernel of the node's Work.
func (c scalarCase) run(t *testing.T) (want, got *tensor.Tensor) {
	t.Helper()
	g := opstest.New(t)
	feeds := map[string]*tensor.Tensor{}
	var ins []ir.Out
	for i, x := range c.ins {
		if c.fixed[i] {
			ins = append(ins, g.NewConst("c", x))
			continue
		}
		dims := make([]any, len(x.Shape))
		for k, d := range x.Shape {
			dims[k] = d
		}
		name := fmt.Sprintf("x%d", i)
		ins = append(ins, g.Feed(name, x.DType, dims...))
		feeds[name+":0"] = x
	}
	y := g.Op(c.op, c.attrs, ins...)
	g.Fetches = append(g.Fetches, ir.Fetch{Name: y.String(), Key: "y", Out: y})
	if err := ops.Ops().Infer(g.Graph); err != nil {
		t.Fatalf("%s: %v", c.op, err)
	}
	p, err := ops.Ops().Lower(g.Graph, "test")
	if err != nil {
		t.Fatalf("%s: %v", c.op, err)
	}
	x, err := exec.New(p)
	if err != nil {
		t.Fatalf("%s: %v", c.op, err)
	}
	outs, err := x.Run(context.Background(), feeds)
	if err != nil {
		t.Fatalf("%s: %v", c.op, err)
	}
	want = outs[y.String()]
	w, err := ops.Ops().ScalarWork(g.Graph, y.Node)
	if err != nil {
		t.Fatalf("%s of %v: %v", c.op, c.ins[0].DType, err)
	}
	got = &tensor.Tensor{DType: want.DType, Shape: want.Shape, Data: tensor.MakeSlice(want.DType, want.Len())}
	launch(t, w, func(i int) *tensor.Tensor {
		if i < 0 {
			return got
		}
		return c.ins[i]
	})
	return want, got
}

// launch runs the kernel of a Work. at(i) returns the tensor with the number i.
func launch(t *testing.T, w *scalar.Work, at func(int) *tensor.Tensor) {
	t.Helper()
	text, err := ptx.Compile(&w.Program, "k")
	if err != nil {
		t.Fatalf("%v\n%s", err, &w.Program)
	}
	m, err := sim.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	ints := w.Ints()
	n, err := ints[0].Eval(nil)
	if err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return
	}
	args := []uint64{uint64(n)}
	var mem blocks
	for _, p := range append(slices.Clone(w.Out), w.In...) {
		mem = append(mem, bytesOf(at(p.Tensor).Data))
		args = append(args, uint64(len(mem))<<32)
	}
	for _, e := range ints[1:] {
		v, err := e.Eval(map[string]int{})
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, uint64(v))
	}
	if err := m.Launch("k", [3]int{2, 1, 1}, [3]int{64, 1, 1}, 0, args, mem, nil); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// number returns element i as a complex number.
func number(x *tensor.Tensor, i int) complex128 {
	v := reflect.ValueOf(x.Data).Index(i)
	switch x.DType {
	case tensor.Half:
		return complex(float64(tensor.F16(v.Uint()).Float32()), 0)
	case tensor.BFloat16:
		return complex(float64(tensor.BF16(v.Uint()).Float32()), 0)
	case tensor.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	}
	switch {
	case v.CanComplex():
		return v.Complex()
	case v.CanFloat():
		return complex(v.Float(), 0)
	case v.CanInt():
		return complex(float64(v.Int()), 0)
	}
	return complex(float64(v.Uint()), 0)
}

// ulp returns the distance between neighbouring numbers of type d at v.
func ulp(d tensor.DType, v float64) float64 {
	bits, least := 52, -1074
	switch d {
	case tensor.Float32, tensor.Complex64:
		bits, least = 23, -149
	case tensor.Half:
		bits, least = 10, -24
	case tensor.BFloat16:
		bits, least = 7, -133
	}
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return math.Ldexp(1, least)
	}
	_, e := math.Frexp(v)
	return math.Ldexp(1, max(e-1-bits, least))
}

// nearBy compares w and g, which are real or imaginary parts of numbers. size is the magnitude of
// the number whose real or imaginary part is w.
func nearBy(d tensor.DType, w, g, size, ulps float64) bool {
	return w == g || w != w && g != g || ulps > 0 && math.Abs(w-g) <= ulps*ulp(d, size)
}

// compare checks that got equals want, with a difference of at most ulps units in the last place.
// If ulps is 0, all bits must be the same, but NaNs may differ in their bits, and zeros in their
// signs.
func compare(t *testing.T, what string, want, got *tensor.Tensor, ulps float64, ins []*tensor.Tensor) {
	t.Helper()
	bad := 0
	for i := range want.Len() {
		w, g := number(want, i), number(got, i)
		if nearBy(want.DType, real(w), real(g), cmplx.Abs(w), ulps) && nearBy(want.DType, imag(w), imag(g), cmplx.Abs(w), ulps) && !scalar.IsInteger(want.DType) {
			continue
		}
		if scalar.IsInteger(want.DType) {
			if reflect.ValueOf(want.Data).Index(i).Equal(reflect.ValueOf(got.Data).Index(i)) {
				continue
			}
		}
		if bad++; bad <= 4 {
			s := ""
			for _, x := range ins {
				if x.Len() > 0 {
					s += fmt.Sprintf(" %v", number(x, i%x.Len()))
				}
			}
			t.Errorf("%s: element %d of%s: %v, want %v", what, i, s, g, w)
		}
	}
	if bad > 4 {
		t.Errorf("%s: %d of %d elements differ", what, bad, want.Len())
	}
}

// samples are special and random elements of type d.
func samples(d tensor.DType, n int, seed uint64) *tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 7))
	x := &tensor.Tensor{DType: d, Shape: tensor.Shape{n}, Data: tensor.MakeSlice(d, n)}
	v := reflect.ValueOf(x.Data)
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, 3, -3, 6, 7.5, math.Inf(1), math.Inf(-1), math.NaN(), 1e-3, -1e-3, 100, -100, 65504,
		1e-40, -1e-40, 1e30, -1e30, 2147483648, -2147483904, 4294967296, 1e19, -1e19, 300, 128, 20.5, 2.5, 3.5, -2.5}
	for i := range n {
		f := special[i%len(special)]
		if i >= len(special) {
			f = r.NormFloat64() * math.Pow(2, float64(r.IntN(8)-3))
		}
		set(v.Index(i), d, f, r)
	}
	return x
}

// set sets an element to f or, if it is an integer or a bool, to a random value. Some integers
// become the least or largest of their type.
func set(v reflect.Value, d tensor.DType, f float64, r *rand.Rand) {
	bits := 8*d.Size() - 1
	switch {
	case d == tensor.Bool:
		v.SetBool(r.IntN(2) == 1)
	case d == tensor.Half:
		v.SetUint(uint64(tensor.ToF16(float32(f))))
	case d == tensor.BFloat16:
		v.SetUint(uint64(tensor.ToBF16(float32(f))))
	case v.CanComplex():
		v.SetComplex(complex(f, r.NormFloat64()*2))
	case v.CanFloat():
		v.SetFloat(f)
	case v.CanInt():
		i := int64(r.IntN(41) - 20)
		switch r.IntN(10) {
		case 0:
			i = -1 << bits
		case 1:
			i = 1<<bits - 1
		case 2:
			i = int64(r.Uint64()) >> (63 - bits)
		}
		v.SetInt(i)
	default:
		u := uint64(r.IntN(20))
		switch r.IntN(10) {
		case 0:
			u = 1<<bits<<1 - 1
		case 1:
			u = r.Uint64() >> (63 - bits)
		}
		v.SetUint(u)
	}
}

// specials are prefixes of the names of ops whose kernels compute in loops. The GPU's and the CPU's
// results differ in the last digits.
var specials = []string{"Bessel", "Dawsn", "Expint", "Fresnel", "Spence", "Igamma", "Zeta", "Polygamma", "Betainc"}

// ulpsOf returns by how many ulps an op's results of type d may differ.
func ulpsOf(op string, d tensor.DType) float64 {
	for _, s := range specials {
		if strings.HasPrefix(op, s) {
			if d == tensor.Float64 {
				return 1000
			}
			return 2
		}
	}
	return units[op]
}

// units are the numbers of ulps by which an op's results may differ. They allow for the documented
// error of libdevice and the error of the CPU's kernel.
var units = map[string]float64{"Tan": 6, "Lgamma": 16, "Digamma": 40, "Pow": 120, "Erfc": 8, "Sinh": 5, "Cosh": 4, "Tanh": 4, "Asinh": 5, "Acosh": 6, "Atanh": 5, "Ndtri": 10, "Erfinv": 8,
	"Sigmoid": 4, "Softplus": 4, "SoftplusGrad": 5, "_Gelu": 8, "_GatedTanh": 8, "_Mish": 8, "_Swish": 6, "Xlog1py": 4, "Xlogy": 4, "Atan2": 5, "Asin": 5, "Acos": 4, "Atan": 4, "Erf": 4,
	"Exp": 4, "Expm1": 4, "Log": 4, "Log1p": 4, "Sin": 4, "Cos": 4, "Elu": 4, "Selu": 4, "Rsqrt": 4, "_PowMinusHalf": 4, "_HardSwish": 1, "Reciprocal": 1, "Inv": 1}

// exceptional reports whether a result may differ more than usual. This is the case for Erf where
// x² is infinite, because the CPU's kernels follow TensorFlow's CPU kernels, which differ from
// TensorFlow's GPU kernels. It is also the case where the CPU's or the GPU's kernel is known to be
// less accurate.
func exceptional(op string, d tensor.DType, x complex128) bool {
	switch op {
	case "BesselJ0", "BesselJ1", "BesselY0", "BesselY1": // libdevice states an error of 5e-12 for such x
		return d == tensor.Float64 && math.Abs(real(x)) > 8
	case "Sin", "Cos", "Tan":
		return d == tensor.Float64 && math.Abs(real(x)) > 1e18
	case "Erf":
		return d == tensor.Float64 && math.IsInf(real(x)*real(x), 0)
	}
	return false
}

func TestScalarFunctions(t *testing.T) {
	ops := slices.Sorted(maps.Keys(bytype.Elem))
	for _, op := range ops {
		for _, d := range slices.Sorted(maps.Keys(bytype.Elem[op])) {
			if !scalar.Takes(d) {
				continue
			}
			un, bin := kit.FormulaOf(op, d)
			attrs := map[string]ir.Attr{"T": d, "alpha": float32(0.2), "tolerance": float32(0.3)}
			switch {
			case un != nil:
				if scalar.PartType(d) != tensor.Invalid {
					testComplex(t, op, attrs, samples(d, 200, 1))
					continue
				}
				x := samples(d, 203, 1)
				want, got := scalarCase{op: op, attrs: attrs, ins: []*tensor.Tensor{x}}.run(t)
				for i := range x.Len() {
					if exceptional(op, d, number(x, i)) {
						reflect.ValueOf(got.Data).Index(i).Set(reflect.ValueOf(want.Data).Index(i))
					}
				}
				compare(t, fmt.Sprintf("%s of %v", op, d), want, got, ulpsOf(op, d), []*tensor.Tensor{x})
			case bin != nil:
				x, y := samples(d, 43, 1), samples(d, 37, 2)
				x, y = crossed(op, x, y)
				want, got := scalarCase{op: op, attrs: attrs, ins: []*tensor.Tensor{x, y}}.run(t)
				compare(t, fmt.Sprintf("%s of %v", op, d), want, got, ulpsOf(op, d), []*tensor.Tensor{x, y})
			}
		}
	}
}

func testComplex(t *testing.T, op string, attrs map[string]ir.Attr, x *tensor.Tensor) {
	t.Helper()
	v := reflect.ValueOf(x.Data)
	// replace NaN and numbers with a magnitude of 50 or more
	for i := range x.Len() {
		if z := v.Index(i).Complex(); !(cmplx.Abs(z) < 50) {
			v.Index(i).SetComplex(complex(1.5, -0.25))
		}
	}
	want, got := scalarCase{op: op, attrs: attrs, ins: []*tensor.Tensor{x}}.run(t)
	compare(t, fmt.Sprintf("%s of %v", op, x.DType), want, got, 8, []*tensor.Tensor{x})
}

// crossed returns all pairs of elements. It replaces second operands that the CPU's kernels reject.
func crossed(op string, x, y *tensor.Tensor) (*tensor.Tensor, *tensor.Tensor) {
	n := x.Len() * y.Len()
	a := &tensor.Tensor{DType: x.DType, Shape: tensor.Shape{n}, Data: tensor.MakeSlice(x.DType, n)}
	b := &tensor.Tensor{DType: x.DType, Shape: tensor.Shape{n}, Data: tensor.MakeSlice(x.DType, n)}
	for i := range n {
		v := reflect.ValueOf(y.Data).Index(i / x.Len())
		reflect.ValueOf(a.Data).Index(i).Set(reflect.ValueOf(x.Data).Index(i % x.Len()))
		reflect.ValueOf(b.Data).Index(i).Set(v)
		w := reflect.ValueOf(b.Data).Index(i)
		switch op {
		case "Div", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod":
			if v.CanInt() && v.Int() == 0 {
				w.SetInt(5)
			} else if v.CanUint() && v.Uint() == 0 && x.DType != tensor.Half && x.DType != tensor.BFloat16 {
				w.SetUint(5)
			}
		case "Pow":
			if v.CanInt() && v.Int() < 0 {
				w.SetInt(-(v.Int() + 1))
			}
		}
	}
	return a, b
}

// TestScalarGammaGrad checks that the series of both kernels end at the same terms.
func TestScalarGammaGrad(t *testing.T) {
	for _, op := range []string{"IgammaGradA", "RandomGammaGrad"} {
		for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
			x, y := crossed(op, samples(d, 60, 1), samples(d, 60, 2))
			want, got := scalarCase{op: op, attrs: map[string]ir.Attr{"T": d}, ins: []*tensor.Tensor{x, y}}.run(t)
			compare(t, fmt.Sprintf("%s of %v", op, d), want, got, 2000, []*tensor.Tensor{x, y})
		}
	}
}

// TestScalarMade checks ops that compiler passes create from several nodes, and Betainc, a function
// of three numbers.
func TestScalarMade(t *testing.T) {
	for _, op := range []string{"_Gelu", "_Swish", "_HardSwish", "_Mish", "_PowHalf", "_PowMinusHalf"} {
		for _, tanh := range []bool{false, true} {
			x := samples(tensor.Float32, 203, 1)
			v := x.Data.([]float32)
			// compiler passes create these ops for numbers in this range
			for i := range v {
				if op[1] != 'P' && !(math.Abs(float64(v[i])) < 80) {
					v[i] = 0.25
				}
			}
			want, got := scalarCase{op: op, attrs: map[string]ir.Attr{"T": tensor.Float32, "approximate": tanh}, ins: []*tensor.Tensor{x}}.run(t)
			for i := range v {
				if w, g := number(want, i), number(got, i); math.Abs(real(w)-real(g)) < 1e-6 { // 1 + erf(x) cancels
					reflect.ValueOf(got.Data).Index(i).SetFloat(real(w))
				}
			}
			compare(t, op, want, got, 16, []*tensor.Tensor{x})
		}
	}
	for _, d := range []tensor.DType{tensor.Float32, tensor.Float64} {
		x := samples(d, 200, 1)
		a, b := shaped(d, 1), shaped(d, 1, 200)
		v := reflect.ValueOf(x.Data)
		for i := range x.Len() {
			v.Index(i).SetFloat(float64(i) / 190)
		}
		want, got := scalarCase{op: "Betainc", attrs: map[string]ir.Attr{"T": d}, ins: []*tensor.Tensor{a, b, x}}.run(t)
		compare(t, fmt.Sprintf("Betainc of %v", d), want, got, 4000, []*tensor.Tensor{a, b, x})
	}
}

// TestScalarRefused checks that ops on strings stay on the host.
func TestScalarRefused(t *testing.T) {
	str := func(dims ...int) *tensor.Tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return &tensor.Tensor{DType: tensor.String, Shape: dims, Data: make([]string, n)}
	}
	for _, c := range []scalarCase{
		{op: "Transpose", ins: []*tensor.Tensor{str(2, 3), int32s(1, 0)}}, {op: "Slice", ins: []*tensor.Tensor{str(4), int32s(1), int32s(2)}},
		{op: "StridedSlice", ins: []*tensor.Tensor{str(4), int32s(1), int32s(3), int32s(1)}}, {op: "ReverseV2", ins: []*tensor.Tensor{str(4), int32s(0)}},
		{op: "Roll", ins: []*tensor.Tensor{str(4), int32s(1), int32s(0)}}, {op: "Tile", ins: []*tensor.Tensor{str(4), int32s(2)}}, {op: "BroadcastTo", ins: []*tensor.Tensor{str(1), int32s(2)}},
		{op: "Fill", ins: []*tensor.Tensor{int32s(2), str()}}, {op: "Pad", ins: []*tensor.Tensor{str(4), pads(1, 1)}}, {op: "MirrorPad", attrs: map[string]ir.Attr{"mode": "REFLECT"}, ins: []*tensor.Tensor{str(4), pads(1, 1)}},
		{op: "SelectV2", ins: []*tensor.Tensor{bools(true, false), str(2), str(2)}}, {op: "Select", ins: []*tensor.Tensor{bools(true, false), str(2), str(2)}},
		{op: "OneHot", attrs: map[string]ir.Attr{"axis": int64(-1)}, ins: []*tensor.Tensor{int32s(0, 2), one32(4), str(), str()}}, {op: "ZerosLike", ins: []*tensor.Tensor{str(2)}},
		{op: "DiagPart", ins: []*tensor.Tensor{str(2, 2)}}, {op: "Diag", ins: []*tensor.Tensor{str(2)}}, {op: "MatrixDiag", ins: []*tensor.Tensor{str(2)}}, {op: "MatrixDiagPart", ins: []*tensor.Tensor{str(2, 2)}},
		{op: "MatrixSetDiag", ins: []*tensor.Tensor{str(2, 2), str(2)}}, {op: "MatrixBandPart", ins: []*tensor.Tensor{str(2, 2), one32(0), one32(0)}}, {op: "Add", ins: []*tensor.Tensor{str(2), str(2)}},
		{op: "Empty", attrs: map[string]ir.Attr{"dtype": tensor.String}, ins: []*tensor.Tensor{int32s(2)}}, {op: "ReverseSequence", attrs: map[string]ir.Attr{"seq_dim": int64(1), "batch_dim": int64(0)}, ins: []*tensor.Tensor{str(1, 2), int32s(1)}},
		{op: "DepthToSpace", attrs: map[string]ir.Attr{"block_size": int64(2)}, ins: []*tensor.Tensor{str(1, 1, 1, 4)}}, {op: "SpaceToDepth", attrs: map[string]ir.Attr{"block_size": int64(2)}, ins: []*tensor.Tensor{str(1, 2, 2, 1)}},
		{op: "SpaceToBatchND", ins: []*tensor.Tensor{str(1, 2), int32s(2), pads(0, 0)}}, {op: "BatchToSpaceND", ins: []*tensor.Tensor{str(2, 2), int32s(2), pads(0, 0)}},
	} {
		g := opstest.New(t)
		var ins []ir.Out
		for _, x := range c.ins {
			ins = append(ins, g.NewConst("c", x))
		}
		y := g.Op(c.op, c.attrs, ins...)
		if err := ops.Ops().Infer(g.Graph); err != nil {
			t.Errorf("%s: %v", c.op, err)
			continue
		}
		if _, err := ops.Ops().ScalarWork(g.Graph, y.Node); err != lower.ErrOnHost {
			t.Errorf("%s: %v", c.op, err)
		}
	}
}
