package ptx

import (
	"math"
	"math/big"
)

// rounding is a rounding mode.
type rounding uint8

const (
	nearest rounding = iota // ties to even
	zero
	down
	up
	away // nearest, ties away from zero
)

// mode removes and returns an instruction's rounding mode, nearest by default.
func (o *opcode) mode() rounding {
	switch o.one("rn", "rz", "rm", "rp", "rna") {
	case "rz":
		return zero
	case "rm":
		return down
	case "rp":
		return up
	case "rna":
		return away
	}
	return nearest
}

const (
	nan32 = 0x7fffffff
	nan64 = 0x7fffffffffffffff
	nan16 = 0x7fff
)

// format is a binary floating-point format.
type format struct {
	bits int // the number of bits of the significand, including the hidden bit
	low  int // the exponent of the smallest normal number
	high int // the exponent of the largest number
}

var (
	formatF16  = format{11, -14, 15}
	formatBF16 = format{8, -126, 127}
	formatF32  = format{24, -126, 127}
	formatTF32 = format{11, -126, 127}
)

// round returns x rounded to the format f, in rounding mode m. The number x must be an exact result,
// or a result that was rounded to odd; see the function odd.
func (f format) round(x float64, m rounding) float64 {
	if x == 0 || math.IsInf(x, 0) || x != x {
		return x
	}
	_, e := math.Frexp(x) // |x| in [2^(e-1), 2^e)
	q := max(e-1, f.low) - f.bits + 1
	y := integral(math.Ldexp(x, -q), m)
	r := math.Ldexp(y, q)
	largest := math.Ldexp(2-math.Ldexp(1, 1-f.bits), f.high)
	if math.Abs(r) > largest {
		if m == zero || m == down && r > 0 || m == up && r < 0 {
			return math.Copysign(largest, r)
		}
		return math.Inf(sign(r))
	}
	return math.Copysign(r, x)
}

func sign(x float64) int {
	if x < 0 {
		return -1
	}
	return 1
}

// integral returns x rounded to an integer, in rounding mode m.
func integral(x float64, m rounding) float64 {
	switch m {
	case zero:
		return math.Trunc(x)
	case down:
		return math.Floor(x)
	case up:
		return math.Ceil(x)
	case away:
		return math.Round(x)
	}
	return math.RoundToEven(x)
}

// odd returns s+e rounded to odd. s must be the float64 nearest to the exact number s+e. If e is
// not 0 and the last bit of s is 0, the result is the neighbour of s in the direction of e;
// otherwise it is s. Rounding the result to a format with fewer bits then gives the same number as
// rounding s+e itself. Source: Boldo and Melquiond, Emulation of a FMA and correctly-rounded sums.
func odd(s, e float64) float64 {
	if e == 0 || s != s || math.IsInf(s, 0) {
		return s
	}
	u := math.Float64bits(s)
	if u&1 == 0 {
		if s == 0 {
			return e
		}
		if (e > 0) == (s > 0) {
			u++
		} else {
			u--
		}
	}
	return math.Float64frombits(u)
}

// oddSum returns a+b rounded to odd.
func oddSum(a, b float64) float64 {
	s := a + b
	v := s - a
	e := (a - (s - v)) + (b - v)
	return odd(s, e)
}

// oddQuotient returns a/b rounded to odd; a and b have at most 24 bits.
func oddQuotient(a, b float64) float64 {
	q := a / b
	if q == 0 || q != q || math.IsInf(q, 0) || math.IsInf(b, 0) {
		return q
	}
	r := math.FMA(-q, b, a)
	if b < 0 {
		r = -r
	}
	return odd(q, r)
}

// oddRoot returns √a rounded to odd; a has at most 24 bits.
func oddRoot(a float64) float64 {
	s := math.Sqrt(a)
	if s == 0 || s != s || math.IsInf(s, 0) {
		return s
	}
	return odd(s, math.FMA(-s, s, a))
}

// toF32 returns the bits of x rounded to float32, in rounding mode m. The number x must be an exact
// result, or a result that was rounded to odd.
func toF32(x float64, m rounding) uint64 {
	if x != x {
		return nan32
	}
	if m == nearest {
		return uint64(math.Float32bits(float32(x)))
	}
	return uint64(math.Float32bits(float32(formatF32.round(x, m))))
}

// fma32 returns a·b+c of float32 numbers, rounded once.
func fma32(a, b, c float32) float32 {
	p := float64(a) * float64(b)
	s := float64(p) + float64(c)
	if u := math.Float64bits(s); u&0x0fffffff != 0 && u&^(1<<63) >= 0x3810000000000000 {
		return float32(s)
	}
	v := s - p
	if (p-(s-v))+(float64(c)-v) == 0 { // the sum s is exact
		return float32(s)
	}
	if s != s {
		return math.Float32frombits(nan32)
	}
	return float32(oddSum(p, float64(c)))
}

// fma32as returns the bits of the float32 number a·b+c, rounded once in rounding mode m.
func fma32as(a, b, c float32, m rounding) uint64 {
	p := float64(a) * float64(b)
	return signedZero(toF32(oddSum(p, float64(c)), m), p, float64(c), m, 1<<31)
}

// signedZero corrects the sign of a rounded sum that is zero. The parameter r holds the bits of the
// rounded sum of a and b, and minus holds the bits of -0 in the same format. In the mode that rounds
// down, a+(-a) is -0, so signedZero returns minus. In all other cases it returns r.
func signedZero(r uint64, a, b float64, m rounding, minus uint64) uint64 {
	if m == down && r&^minus == 0 && a == -b && a != 0 {
		return minus
	}
	if m == down && a == 0 && b == 0 && r&^minus == 0 && math.Signbit(a) != math.Signbit(b) {
		return minus
	}
	return r
}

// exact64 returns f rounded once to a float64, in rounding mode m, which must not be nearest.
func exact64(f *big.Float, m rounding) float64 {
	x, acc := f.Float64()
	if acc == big.Exact {
		return x
	}
	if math.IsInf(x, 0) {
		if m == zero || m == down && x > 0 || m == up && x < 0 {
			return math.Copysign(math.MaxFloat64, x)
		}
		return x
	}
	neg := f.Signbit()
	switch {
	case acc == big.Above && (m == down || m == zero && !neg):
		return math.Nextafter(x, math.Inf(-1))
	case acc == big.Below && (m == up || m == zero && neg):
		return math.Nextafter(x, math.Inf(1))
	}
	return x
}

// exactly converts x to a big.Float. The precision of 5000 bits is enough for exact sums and products
// of float64 numbers.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(5000).SetFloat64(x) }

// fma64 returns a·b+c, rounded once in rounding mode m.
func fma64(a, b, c float64, m rounding) float64 {
	r := math.FMA(a, b, c)
	if m == nearest || r != r || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) {
		return r
	}
	f := new(big.Float).SetPrec(5000).Mul(exactly(a), exactly(b))
	f.Add(f, exactly(c))
	if f.Sign() == 0 {
		p := a * b
		if m == down && (math.Signbit(p) != math.Signbit(c)) {
			return math.Copysign(0, -1)
		}
		return r
	}
	return exact64(f, m)
}

// add64, mul64, div64 and sqrt64 return the sum, product, quotient and square root of float64
// numbers, rounded once in rounding mode m.
func add64(a, b float64, m rounding) float64 {
	if m == nearest {
		return a + b
	}
	return fma64(a, 1, b, m)
}

func mul64(a, b float64, m rounding) float64 {
	r := a * b
	if m == nearest || r != r || a == 0 || b == 0 || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return r
	}
	return exact64(new(big.Float).SetPrec(5000).Mul(exactly(a), exactly(b)), m)
}

func div64(a, b float64, m rounding) float64 {
	r := a / b
	if m == nearest || r != r || a == 0 || b == 0 || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return r
	}
	// 200 bits of the quotient and a sticky bit give the same result as the exact quotient.
	q := new(big.Float).SetPrec(200).SetMode(big.ToZero).Quo(new(big.Float).SetFloat64(a), new(big.Float).SetFloat64(b))
	return sticky(q, m)
}

// sticky returns the quotient q rounded to a float64, in rounding mode m. The quotient was truncated
// after 200 bits. If this lost any bits, sticky first adds a tiny number that represents them, so
// that q does not look like an exact result.
func sticky(q *big.Float, m rounding) float64 {
	f := exactly(0).Set(q)
	if q.Acc() != big.Exact {
		tail := new(big.Float).SetPrec(5000).SetMantExp(big.NewFloat(1), q.MantExp(nil)-250)
		if q.Signbit() {
			tail.Neg(tail)
		}
		f.Add(f, tail)
	}
	return exact64(f, m)
}

func sqrt64(a float64, m rounding) float64 {
	r := math.Sqrt(a)
	if m == nearest || r != r || r == 0 || math.IsInf(r, 0) {
		return r
	}
	if f := math.FMA(-r, r, a); f != 0 {
		switch {
		case f > 0 && m == up:
			return math.Nextafter(r, math.Inf(1))
		case f < 0 && (m == down || m == zero):
			return math.Nextafter(r, math.Inf(-1))
		}
	}
	return r
}

// The functions below convert between float64 and the bits of 16-bit formats.

func fromF16(h uint64) float64 {
	m, e := h&1023, h>>10&31
	switch {
	case e == 31 && m != 0:
		return math.NaN()
	case e == 31:
		return math.Float64frombits(h&0x8000<<48 | 0x7ff<<52)
	case e == 0:
		x := float64(m) * 0x1p-24
		if h&0x8000 != 0 {
			x = -x
		}
		return x
	}
	return math.Float64frombits(h&0x8000<<48 | (e+1008)<<52 | m<<42)
}

// toF16 returns the bits of x rounded to f16, in rounding mode m. The number x must be an exact
// result, or a result that was rounded to odd.
func toF16(x float64, m rounding) uint64 {
	if x != x {
		return nan16
	}
	if u := math.Float64bits(x); m == nearest && u&^(1<<63) >= 0x3f10000000000000 && u&^(1<<63) < 0x40effc0000000000 {
		// To round a normal number, add half a unit of the last f16 bit, minus one unit of the last
		// float64 bit. If the last f16 bit is 1, add one more float64 unit.
		v := u&^(1<<63) + 0x1ffffffffff + u>>42&1
		return u>>48&0x8000 | (v>>42 - 1008<<10)
	}
	r := formatF16.round(x, m)
	var s uint64
	if math.Signbit(r) {
		s, r = 0x8000, -r
	}
	switch {
	case math.IsInf(r, 0):
		return s | 0x7c00
	case r < 0x1p-14:
		return s | uint64(r*0x1p24)
	}
	b := math.Float64bits(r)
	return s | uint64(int(b>>52)-1023+15)<<10 | b>>42&1023
}

func fromBF16(h uint64) float64 { return float64(math.Float32frombits(uint32(h&0xffff) << 16)) }

// toBF16 returns the bits of x rounded to bf16, in rounding mode m. The number x must be an exact
// result, or a result that was rounded to odd.
func toBF16(x float64, m rounding) uint64 {
	if x != x {
		return nan16
	}
	if f := float32(x); m == nearest && float64(f) == x {
		u := uint64(math.Float32bits(f))
		return (u + 0x7fff + u>>16&1) >> 16
	}
	return uint64(math.Float32bits(float32(formatBF16.round(x, m))) >> 16)
}

// HalfToFloat and FloatToHalf convert the bits of IEEE's binary16, BFloatToFloat and FloatToBFloat
// those of bfloat16. They round to nearest, ties to even.
func HalfToFloat(h uint16) float64 { return fromF16(uint64(h)) }

// FloatToHalf is documented at HalfToFloat.
func FloatToHalf(x float64) uint16 { return uint16(toF16(x, nearest)) }

// BFloatToFloat is documented at HalfToFloat.
func BFloatToFloat(h uint16) float64 { return fromBF16(uint64(h)) }

// FloatToBFloat is documented at HalfToFloat.
func FloatToBFloat(x float64) uint16 { return uint16(toBF16(x, nearest)) }
