package ptx

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// random32 returns numbers of all sizes. Many have few bits, so that ties and exact results occur.
func random32(r *rand.Rand) float32 {
	u := r.Uint32()
	switch r.IntN(4) {
	case 0:
		u &= 0xfffc0000
	case 1:
		u = u&0x807fffff | uint32(100+r.IntN(50))<<23
	case 2:
		u = u&0x80780001 | uint32(r.IntN(60))<<23
	}
	return math.Float32frombits(u)
}

// rounded returns f rounded to a float32, in rounding mode m. It compares f with the nearest float32
// number, and chooses that number or one of its neighbours.
func rounded(f *big.Float, m rounding) float32 {
	x, _ := f.Float32() // the nearest float32 number, which may be subnormal
	if math.IsInf(float64(x), 0) {
		if m == zero || m == down && x > 0 || m == up && x < 0 {
			return float32(math.Copysign(math.MaxFloat32, float64(x)))
		}
		return x
	}
	c := new(big.Float).SetFloat64(float64(x)).Cmp(f)
	switch {
	case c > 0 && (m == down || m == zero && x > 0):
		return math.Nextafter32(x, float32(math.Inf(-1)))
	case c < 0 && (m == up || m == zero && x < 0):
		return math.Nextafter32(x, float32(math.Inf(1)))
	case c > 0 && m == zero && x == 0, c < 0 && m == zero && x == 0:
		return x
	}
	return x
}

// TestFMA compares a·b+c with exact numbers.
func TestFMA(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		a, b, c := random32(r), random32(r), random32(r)
		if r.IntN(4) == 0 { // c is nearly the product
			p := float32(float64(a) * float64(b))
			c = -math.Float32frombits(math.Float32bits(p) + uint32(r.IntN(3)) - 1)
		}
		ab := float64(a) * float64(b)
		if math.IsNaN(ab+float64(c)) || math.IsInf(ab+float64(c), 0) {
			if got := fma32(a, b, c); got == got != (ab+float64(c) == ab+float64(c)) {
				t.Fatalf("%v·%v+%v = %v", a, b, c, got)
			}
			continue
		}
		exact := exactly(float64(a))
		exact.Mul(exact, exactly(float64(b)))
		exact.Add(exact, exactly(float64(c)))
		if got, want := fma32(a, b, c), rounded(exact, nearest); got != want {
			t.Fatalf("%v·%v+%v = %v, want %v", a, b, c, got, want)
		}
		for _, m := range []rounding{zero, down, up} {
			if got, want := asF32(fma32as(a, b, c, m)), rounded(exact, m); got != want {
				t.Fatalf("%v·%v+%v in mode %d = %v, want %v", a, b, c, m, got, want)
			}
		}
	}
}

// TestQuotientsAndRoots compares divisions and roots in all modes with exact numbers.
func TestQuotientsAndRoots(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		a, b := random32(r), random32(r)
		if a != a || b != b || math.IsInf(float64(a), 0) || math.IsInf(float64(b), 0) || a == 0 || b == 0 {
			continue
		}
		q := new(big.Float).SetPrec(300).Quo(new(big.Float).SetFloat64(float64(a)), new(big.Float).SetFloat64(float64(b)))
		for _, m := range []rounding{nearest, zero, down, up} {
			if got, want := asF32(toF32(oddQuotient(float64(a), float64(b)), m)), rounded(q, m); got != want {
				t.Fatalf("%v/%v in mode %d = %v, want %v", a, b, m, got, want)
			}
		}
		if a < 0 {
			continue
		}
		s := new(big.Float).SetPrec(300).Sqrt(new(big.Float).SetPrec(300).SetFloat64(float64(a)))
		for _, m := range []rounding{nearest, zero, down, up} {
			if got, want := asF32(toF32(oddRoot(float64(a)), m)), rounded(s, m); got != want {
				t.Fatalf("√%v in mode %d = %v, want %v", a, m, got, want)
			}
		}
	}
}

// TestSmallFloats checks that every f16 and bf16 number is rounded to itself. It also checks that a
// value between two adjacent f16 numbers is rounded to the correct one of the two.
func TestSmallFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for h := range uint64(1 << 16) {
		x := fromF16(h)
		if x == x && toF16(x, nearest) != h {
			t.Fatalf("%#x is %v is %#x", h, x, toF16(x, nearest))
		}
		y := fromBF16(h)
		if y == y && toBF16(y, nearest) != h {
			t.Fatalf("bf16 %#x is %v is %#x", h, y, toBF16(y, nearest))
		}
		// The largest finite number, infinity and NaN have no finite neighbour h + 1.
		if h&0x7fff >= 0x7bff {
			continue
		}
		n := fromF16(h + 1)
		mid := (x + n) / 2
		even := h + h&1
		for _, c := range []struct {
			x    float64
			m    rounding
			want uint64
		}{
			{mid, nearest, even}, {mid, away, h + 1}, {mid, zero, h}, {x + (n-x)*0.4*r.Float64(), nearest, h}, {n - (n-x)*0.4*r.Float64(), nearest, h + 1},
			{mid, up, h + 1 - h>>15}, {mid, down, h + h>>15},
		} {
			if got := toF16(c.x, c.m); got != c.want {
				t.Fatalf("%v in mode %d is %#x, want %#x", c.x, c.m, got, c.want)
			}
		}
	}
	if FloatToHalf(1) != 0x3c00 || HalfToFloat(0x3c00) != 1 || FloatToBFloat(1) != 0x3f80 || BFloatToFloat(0x3f80) != 1 {
		t.Error("1 is not 1")
	}
}

// TestDoubles compares float64 operations in all modes with exact numbers.
func TestDoubles(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	number := func() float64 {
		return math.Float64frombits(r.Uint64()&0x800fffffffffffff | uint64(1000+r.IntN(60))<<52)
	}
	between := func(what string, m rounding, got float64, exact *big.Float) {
		t.Helper()
		g := new(big.Float).SetFloat64(got)
		c := g.Cmp(exact)
		next := math.Nextafter(got, math.Inf(1))
		if c > 0 {
			next = math.Nextafter(got, math.Inf(-1))
		}
		n := new(big.Float).SetFloat64(next).Cmp(exact)
		neg := exact.Signbit()
		if c > 0 && (m == down || m == zero && !neg) || c < 0 && (m == up || m == zero && neg) || c != 0 && c == n {
			t.Fatalf("%s in mode %d is %v", what, m, got)
		}
	}
	for range 3000 {
		a, b, c := number(), number(), number()
		for _, m := range []rounding{zero, down, up} {
			between("a sum", m, add64(a, b, m), exactly(0).Add(exactly(a), exactly(b)))
			between("a product", m, mul64(a, b, m), exactly(0).Mul(exactly(a), exactly(b)))
			p := exactly(0).Mul(exactly(a), exactly(b))
			between("a·b+c", m, fma64(a, b, c, m), p.Add(p, exactly(c)))
			between("a quotient", m, div64(a, b, m), new(big.Float).SetPrec(400).Quo(exactly(a), exactly(b)))
			x := math.Abs(a)
			between("a root", m, sqrt64(x, m), new(big.Float).SetPrec(400).Sqrt(new(big.Float).SetPrec(400).SetFloat64(x)))
		}
	}
}
