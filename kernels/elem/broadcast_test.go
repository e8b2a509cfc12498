package elem

import (
	"fmt"
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// naive returns the operands' offsets for each result of a broadcast, in row-major order.
func naive(shapes ...[]int) (offsets [][]int) {
	rank := len(shapes[0])
	out := make([]int, rank)
	n := 1
	for i := range out {
		out[i] = 1
		for _, s := range shapes {
			if s[i] != 1 {
				out[i] = s[i]
			}
		}
		n *= out[i]
	}
	for o := range n {
		idx, rest := make([]int, rank), o
		for i := rank - 1; i >= 0; i-- {
			idx[i] = rest % out[i]
			rest /= out[i]
		}
		var offs []int
		for _, s := range shapes {
			off := 0
			for i, d := range s {
				off *= d
				if d != 1 {
					off += idx[i]
				}
			}
			offs = append(offs, off)
		}
		offsets = append(offsets, offs)
	}
	return offsets
}

func size(s []int) int {
	n := 1
	for _, d := range s {
		n *= d
	}
	return n
}

func dims8(s []int) (d [MaxRank]int) {
	copy(d[:], s)
	return d
}

var broadcasts = []struct{ a, b []int }{
	{[]int{}, []int{}}, {[]int{7}, []int{7}}, {[]int{7}, []int{1}}, {[]int{1}, []int{7}}, {[]int{0}, []int{1}}, {[]int{0}, []int{0}},
	{[]int{3, 5}, []int{1, 5}}, {[]int{3, 5}, []int{3, 1}}, {[]int{1, 5}, []int{3, 1}}, {[]int{3, 1}, []int{1, 5}},
	{[]int{2, 3, 4}, []int{2, 1, 4}}, {[]int{2, 1, 4}, []int{1, 3, 1}}, {[]int{1, 1, 4}, []int{2, 3, 1}},
	{[]int{2, 3, 0, 4}, []int{1, 3, 1, 1}}, {[]int{1, 1}, []int{1, 1}}, {[]int{2, 1, 3, 1, 2}, []int{1, 4, 1, 5, 1}},
	{[]int{2, 1, 2, 1, 2, 1, 2, 1}, []int{1, 2, 1, 2, 1, 2, 1, 2}}, {[]int{2, 2, 600}, []int{1, 2, 1}}, {[]int{2, 300}, []int{1, 300}},
}

// TestBroadcast compares the walk over rows with a walk over elements: in float32, and in F16,
// whose rows are walked in pieces.
func TestBroadcast(t *testing.T) {
	for _, c := range broadcasts {
		name := fmt.Sprint(c.a, c.b)
		s := Dims{N: len(c.a), A: dims8(c.a), B: dims8(c.b)}
		offs := naive(c.a, c.b)
		a, b := make([]float32, size(c.a)), make([]float32, size(c.b))
		ha, hb := make([]tensor.F16, len(a)), make([]tensor.F16, len(b))
		for i := range a {
			a[i] = float32(i%64) + 0.5
			ha[i] = tensor.ToF16(a[i])
		}
		for i := range b {
			b[i] = float32(i%31) * 2
			hb[i] = tensor.ToF16(b[i])
		}
		dst, hdst, less := make([]float32, len(offs)), make([]tensor.F16, len(offs)), make([]bool, len(offs))
		SubF32(dst, a, b, s)
		SubF16(hdst, ha, hb, s)
		LessF16(less, ha, hb, s)
		for i, o := range offs {
			want := a[o[0]] - b[o[1]]
			if dst[i] != want || hdst[i].Float32() != want || less[i] != (want < 0) {
				t.Fatalf("%s: element %d is %v, %v and %v, want %v", name, i, dst[i], hdst[i].Float32(), less[i], want)
			}
		}
		if len(a) == len(dst) {
			SubF32(a, a, b, s)
			for i := range a {
				if a[i] != dst[i] {
					t.Fatalf("%s: in place, element %d is %v, want %v", name, i, a[i], dst[i])
				}
			}
		}
	}
}

// TestSelect compares SelectI32 with a walk over elements, with dimensions of 1 in each of the
// three operands.
func TestSelect(t *testing.T) {
	for _, c := range [][3][]int{
		{{}, {}, {}}, {{5}, {5}, {5}}, {{1}, {5}, {5}}, {{5}, {1}, {5}}, {{5}, {5}, {1}}, {{5}, {1}, {1}}, {{1}, {1}, {5}},
		{{3, 1}, {3, 4}, {3, 4}}, {{3, 1}, {1, 4}, {3, 4}}, {{1, 4}, {3, 1}, {1, 1}}, {{2, 1, 3}, {1, 4, 1}, {2, 4, 3}}, {{0}, {1}, {1}}, {{2, 0}, {2, 1}, {1, 1}},
	} {
		offs := naive(c[0], c[1], c[2])
		cond, a, b := make([]bool, size(c[0])), make([]int32, size(c[1])), make([]int32, size(c[2]))
		for i := range cond {
			cond[i] = i%3 != 1
		}
		for i := range a {
			a[i] = int32(i + 1)
		}
		for i := range b {
			b[i] = -int32(i + 1)
		}
		dst := make([]int32, len(offs))
		SelectI32(dst, cond, a, b, Dims3{N: len(c[0]), C: dims8(c[0]), A: dims8(c[1]), B: dims8(c[2])})
		for i, o := range offs {
			want := b[o[2]]
			if cond[o[0]] {
				want = a[o[1]]
			}
			if dst[i] != want {
				t.Fatalf("%v: element %d is %d, want %d", c, i, dst[i], want)
			}
		}
	}
}

// TestNoAllocation checks that repeated calls allocate nothing.
func TestNoAllocation(t *testing.T) {
	a, b := make([]float32, 600), make([]float32, 300)
	h, g := make([]tensor.F16, 600), make([]tensor.F16, 300)
	k, l := make([]int32, 600), make([]int32, 300)
	for i := range l {
		l[i] = 1
	}
	s := Dims{N: 2, A: [8]int{2, 300}, B: [8]int{1, 300}}
	if n := testing.AllocsPerRun(10, func() {
		AddF32(a, a, b, s)
		AddF16(h, h, g, s)
		ExpF16(h, h)
		TanhF32(a, a)
		if FloorDivI32(k, k, l, s) != nil {
			t.Error("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestElements checks operands that are corner cases of arithmetic.
func TestElements(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	f := func(k func(dst, a, b []float32, s Dims)) func(x, y float32) float32 {
		return func(x, y float32) float32 {
			d := []float32{0}
			k(d, []float32{x}, []float32{y}, Dims{})
			return d[0]
		}
	}
	for _, c := range []struct {
		name       string
		k          func(dst, a, b []float32, s Dims)
		x, y, want float32
	}{
		{"Maximum", MaximumF32, 1, nan, nan}, {"Maximum", MaximumF32, nan, 1, nan}, {"Minimum", MinimumF32, nan, -inf, nan},
		{"FloorMod", FloorModF32, -5, 3, 1}, {"FloorMod", FloorModF32, 5, -3, -1}, {"FloorMod", FloorModF32, 1, inf, 1},
		{"FloorDiv", FloorDivF32, -5, 3, -2}, {"TruncateDiv", TruncateDivF32, -5, 3, -1}, {"Mod", ModF32, -5, 3, -2},
		{"DivNoNan", DivNoNanF32, 3, 0, 0}, {"Xdivy", XdivyF32, 0, 0, 0}, {"Xlogy", XlogyF32, 0, -1, 0}, {"Xlog1py", Xlog1pyF32, 0, -2, 0},
		{"MulNoNan", MulNoNanF32, nan, 0, 0}, {"MulNoNan", MulNoNanF32, 0, nan, nan}, {"Pow", PowF32, 0, 0, 1}, {"Pow", PowF32, -8, 1.0 / 3, nan},
		{"ReluGrad", ReluGradF32, 2, nan, 0}, {"ReluGrad", ReluGradF32, inf, -1, nan}, {"Relu6Grad", Relu6GradF32, 2, 6, 0}, {"EluGrad", EluGradF32, 2, -0.5, 1},
		{"Div", DivF32, -1e-38, 3, 0}, {"Div", DivF32, 1, 0, inf},
	} {
		if got := f(c.k)(c.x, c.y); got != c.want && !(got != got && c.want != c.want) {
			t.Errorf("%s(%v, %v) = %v, want %v", c.name, c.x, c.y, got, c.want)
		}
	}
	i8 := func(k func(dst, a, b []int8, s Dims), x, y int8) int8 {
		d := []int8{0}
		k(d, []int8{x}, []int8{y}, Dims{})
		return d[0]
	}
	if got := i8(ShiftLeftI8, 1, 100); got != -128 {
		t.Errorf("1 << 100 = %d", got)
	}
	if got := i8(ShiftRightI8, -128, 100); got != -1 {
		t.Errorf("-128 >> 100 = %d", got)
	}
	if got := i8(ShiftRightI8, 64, -1); got != 64 {
		t.Errorf("64 >> -1 = %d", got)
	}
	d := make([]int8, 2)
	if err := FloorDivI8(d, []int8{-128, -7}, []int8{-1, 2}, Dims{N: 1, A: [8]int{2}, B: [8]int{2}}); err != nil || d[0] != -128 || d[1] != -4 {
		t.Errorf("FloorDiv: %v, %v", d, err)
	}
	if err := FloorModI8(d, []int8{1, 1}, []int8{0}, Dims{N: 1, A: [8]int{2}, B: [8]int{1}}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a division by zero gives %v", err)
	}
	if err := TruncateModI32(nil, nil, []int32{0}, Dims{N: 1, A: [8]int{0}, B: [8]int{1}}); err != nil {
		t.Errorf("an empty division by zero gives %v", err)
	}
	if err := PowI32([]int32{0}, []int32{2}, []int32{-1}, Dims{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a negative power gives %v", err)
	}
	pc := []uint8{0, 0}
	if PopulationCountI8(pc, []int8{-1, 3}); pc[0] != 8 || pc[1] != 2 {
		t.Errorf("bits of -1 and 3: %v", pc)
	}
	clip := []float32{0, 0, 0, 0}
	if ClipF32(clip, []float32{1, 5, 2.5, nan}, []float32{3}, []float32{2}); clip[0] != 3 || clip[1] != 3 || clip[2] != 3 || clip[3] == clip[3] {
		t.Errorf("clip with crossed bounds: %v", clip)
	}
	u := []float32{0, 0, 0}
	for _, c := range []struct {
		name      string
		k         func(dst, src []float32)
		src, want [3]float32
	}{
		{"Rint", RintF32, [3]float32{0.5, 1.5, -2.5}, [3]float32{0, 2, -2}},
		{"Relu6", Relu6F32, [3]float32{nan, 7, -1}, [3]float32{nan, 6, 0}},
		{"Sign", SignF32, [3]float32{nan, -3, 0}, [3]float32{nan, -1, 0}},
		{"Rsqrt", RsqrtF32, [3]float32{float32(math.Copysign(0, -1)), 4, inf}, [3]float32{-inf, 0.5, 0}},
		{"Elu", EluF32, [3]float32{nan, -inf, 2}, [3]float32{nan, -1, 2}},
	} {
		c.k(u, c.src[:])
		for i := range u {
			if u[i] != c.want[i] && !(u[i] != u[i] && c.want[i] != c.want[i]) {
				t.Errorf("%s(%v) = %v, want %v", c.name, c.src[i], u[i], c.want[i])
			}
		}
	}
}

func TestCheckNumerics(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		x    []float32
		want string
	}{
		{nil, ""}, {[]float32{0, 3e38}, ""}, {[]float32{0, nan}, "InvalidArgument: m : Tensor had NaN values"}, {[]float32{-inf}, "InvalidArgument: m : Tensor had Inf values"},
		{[]float32{inf, 1, nan}, "InvalidArgument: m : Tensor had Inf and NaN values"},
	} {
		h := make([]tensor.BF16, len(c.x))
		for i, v := range c.x {
			h[i] = tensor.ToBF16(v)
		}
		for _, err := range []error{CheckF32(c.x, "m"), CheckBF16(h, "m")} {
			if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
				t.Errorf("%v: %s, want %q", c.x, got, c.want)
			}
		}
	}
}
