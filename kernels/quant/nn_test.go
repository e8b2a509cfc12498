package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/kernels/pool"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

func same[T comparable](t *testing.T, name string, got []T, want ...T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func one(v float32) []float32 { return []float32{v} }

var (
	bytes8 = []uint8{0, 1, 100, 200, 254, 255}
	bias8  = []uint8{3, 250}
	words  = []int32{0, 5, -7, 123456789, -987654321, 2147483647, -2147483648}
)

// TestArithmetic compares sums and products with TensorFlow 2.21's.
func TestArithmetic(t *testing.T) {
	z, lo, hi := make([]int32, 6), one(0), one(0)
	BiasAddU8(z, lo, hi, bytes8, bias8, one(-1), one(2), one(0), one(.5))
	same(t, "BiasAddU8", z, -8144, -4080, 1494, 15099, 16336, 20400)
	same(t, "its range", append(lo, hi...), -262144, 262144)
	BiasAddI8(z, lo, hi, []int8{0, 1, 100, -100, 127, -128}, []int8{-3, 120}, one(-1), one(2), one(0), one(.5))
	same(t, "BiasAddI8", z, 6152, 8225, 15790, -1509, 18392, -4208)
	if err := Add(z, lo, hi, bytes8, bias8, one(-1), one(2), one(.25), one(.5), Arith{Cycle: 2}); err != nil {
		t.Fatal(err)
	}
	same(t, "Add", z, -48960, -32381, 28140, 121048, 146874, 163453)
	same(t, "its range", append(lo, hi...), -32768, 32768)
	if err := Add(z, lo, hi, []uint8{7}, bytes8, one(-1), one(2), one(.25), one(.5), Arith{Cycle: 1, First: 1}); err != nil {
		t.Fatal(err)
	}
	same(t, "Add of a number", z, -43755, -43691, -37355, -30955, -27499, -27435)
	if err := Mul(z, lo, hi, bytes8, bias8, one(-1), one(2), one(.25), one(.5), Arith{Cycle: 2}); err != nil {
		t.Fatal(err)
	}
	same(t, "Mul", z, -21930, -42420, 3870, 58075, 43602, 85850)
	same(t, "its range", append(lo, hi...), -24769.1328125, 24769.1328125)
	for _, f := range []func() error{
		func() error {
			return Add(z, lo, hi, bytes8, bias8, one(1), one(1), one(.25), one(.5), Arith{Cycle: 2})
		},
		func() error {
			return Mul(z, lo, hi, bytes8, bias8, one(0), one(1), one(2), one(1), Arith{Cycle: 2})
		},
	} {
		if err := f(); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v", err)
		}
	}
	y := make([]uint8, 6)
	ClampU8(y, lo, hi, bytes8, one(-1), one(2), false)
	same(t, "Relu", y, 85, 85, 100, 200, 254, 255)
	ClampU8(y, lo, hi, bytes8, one(-3), one(9), true)
	same(t, "Relu6", y, 64, 64, 100, 192, 192, 192)
	w := make([]int32, 7)
	ClampI32(w, lo, hi, words, one(-30), one(30), true)
	same(t, "Relu6 of i32", w, 0, 5, 0, 123456789, 0, 429496730, 0)
	same(t, "its range", append(lo, hi...), -30, 30)
}

// TestRequantize compares conversions with TensorFlow 2.21's.
func TestRequantize(t *testing.T) {
	u, s, lo, hi := make([]uint8, 7), make([]int8, 7), one(0), one(0)
	if err := RequantizeU8(u, lo, hi, words, one(-10), one(10.5), one(-3), one(4)); err != nil {
		t.Fatal(err)
	}
	same(t, "u8", u, 118, 118, 118, 140, 0, 255, 0)
	same(t, "its range", append(lo, hi...), -3, 4)
	if err := RequantizeI8(s, lo, hi, words, one(-10), one(10.5), one(-3), one(4)); err != nil {
		t.Fatal(err)
	}
	same(t, "i8", s, -10, -10, -10, 12, -128, 127, -128)
	if err := RequantizeU8(u, lo, hi, words, one(-10), one(10.5), one(1), one(4)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a range without zero: %v", err)
	}
	Range(lo, hi, words[:5], one(-10), one(10.5))
	same(t, "Range", append(lo, hi...), -4.464101791381836, 0.8392627239227295)
	Range(lo, hi, words[:5], one(-10), one(float32(math.Inf(1))))
	if lo[0] != 0 || hi[0] == hi[0] {
		t.Errorf("the range in an endless one: [%v, %v], TensorFlow has [0, NaN]", lo[0], hi[0])
	}
	Shrink(u[:5], lo, hi, words[:5], one(-10), one(10.5))
	same(t, "Shrink", u[:5], 227, 227, 227, 255, 0)
	same(t, "its range", append(lo, hi...), -4.464101791381836, 0.8392627239227295)

	JoinRanges(lo, hi, []float32{-1, 0}, []float32{2, 4}, false)
	joined := make([]uint8, 8)
	JoinU8(joined, bytes8, one(-1), one(2), lo, hi, 1, 6, 8, 0)
	JoinU8(joined, bias8, one(0), one(4), lo, hi, 1, 2, 8, 6)
	same(t, "Join", joined, 0, 1, 60, 120, 152, 153, 53, 251)
	same(t, "its range", append(lo, hi...), -1, 4)
	JoinRanges(lo, hi, []float32{-1, 0}, []float32{2, 4}, true)
	wide := make([]int32, 9)
	JoinI32(wide, words, one(-1), one(2), lo, hi, 1, 7, 9, 0)
	JoinI32(wide, []int32{1000000, -5}, one(0), one(4), lo, hi, 1, 2, 9, 7)
	same(t, "Join of i32", wide, 268435456, 268435456, 268435456, 314731744, -101934912, 1073741824, -536870912, 1074241792, 1073741824)
	same(t, "its range", append(lo, hi...), -4, 4)
}

// TestPerChannel compares conversions by channel with TensorFlow 2.21's.
func TestPerChannel(t *testing.T) {
	src, p := make([]int32, 16), ChannelParams{C: 4, Clip: 5}
	for i := range src {
		src[i] = int32(i)*100000000 - 800000000
	}
	lo, hi := one(0), one(0)
	RangePerChannel(lo, hi, src, []float32{-10, -10, -10, -10}, []float32{10, 10, 10, 10}, p)
	same(t, "range", append(lo, hi...), -3.725290298461914, 3.725290298461914)
	p.Clip = 2
	RangePerChannel(lo, hi, src[8:], []float32{-10, -10, -10, -10}, []float32{10, 10, 10, 10}, p)
	same(t, "clipped range", append(lo, hi...), 0, 2)
	u, s := make([]uint8, 16), make([]int8, 16)
	RequantizePerChannelU8(u, lo, hi, src, []float32{-10, -5, -10, -10}, []float32{10, 5, 10, 10}, one(-1), one(1), p)
	same(t, "u8", u, 0, 0, 0, 0, 0, 0, 0, 0, 0, 59, 237, 255, 255, 255, 255, 255)
	RequantizePerChannelI8(s, lo, hi, src, []float32{-10, -5, -10, -10}, []float32{10, 5, 10, 10}, one(-1), one(1), p)
	same(t, "i8", s, -128, -128, -128, -128, -128, -89, -118, -59, 0, 30, 118, 127, 127, 127, 127, 127)
	same(t, "its range", append(lo, hi...), -1, 1)
}

// TestNormsAndImages compares normalizations and resized images with TensorFlow 2.21's.
func TestNormsAndImages(t *testing.T) {
	y, lo, hi := make([]uint8, 6), one(0), one(0)
	p := InstanceParams{N: 1, Pixels: 3, C: 2, Epsilon: 1e-5, Least: 1e-3}
	if err := InstanceNorm(y, lo, hi, bytes8, one(-1), one(2), make([]float32, InstanceScratchLen(p)), p); err != nil {
		t.Fatal(err)
	}
	same(t, "InstanceNorm", y, 24, 0, 115, 173, 255, 221)
	near(t, "its range", append(lo, hi...), []float32{-1.383939266204834, 1.301763892173767})
	z := make([]int32, 6)
	if err := BatchNorm(z, lo, hi, bytes8, []uint8{100, 120}, []uint8{200, 100}, []uint8{5, 9}, []uint8{30, 200},
		[]float32{-1, 2, -1, 1, 0, 1, 0, 9, -2, 2}, make([]int32, 4), BatchParams{C: 2, Epsilon: 1e-3, Scale: true}); err != nil {
		t.Fatal(err)
	}
	same(t, "BatchNorm", z, 3133, -2840, -1002, 5916, -7373, 8336)
	same(t, "its range", append(lo, hi...), -1048576, 1048576)
	r := make([]uint8, 12)
	q := ResizeParams{N: 1, H: 2, W: 3, C: 1, OH: 3, OW: 4}
	ResizeU8(r, bytes8, q)
	same(t, "ResizeU8", r, 0, 1, 51, 100, 133, 159, 186, 203, 200, 241, 255, 255)
	q.HalfPixels = true
	ResizeU8(r, bytes8, q)
	same(t, "half pixels", r, 0, 1, 38, 100, 100, 117, 146, 178, 200, 234, 254, 255)
	q.HalfPixels, q.AlignCorners = false, true
	ResizeU8(r, bytes8, q)
	same(t, "aligned", r, 0, 1, 33, 100, 100, 118, 143, 178, 200, 236, 254, 255)
	w := make([]int32, 12)
	q.AlignCorners = false
	ResizeI32(w, []int32{0, 5, -7, 1234567, -98765, 999}, q)
	same(t, "ResizeI32", w, 0, 4, 0, -6, 823045, 156380, -32588, 664, 1234567, 234568, -48882, 999)
	a := make([]int8, 6)
	AvgI8(nil, a, []int8{0, 1, 100, -101, 127, -128}, pool.Params{N: 1, H: 2, W: 3, C: 1, KH: 2, KW: 2, OH: 2, OW: 3, StrideH: 1, StrideW: 1})
	same(t, "AvgI8", a, 6, 25, -14, 13, 0, -128)
}

// convolved computes Conv from its definition.
func convolved(x, w []uint8, p *ConvParams, za, zb int32) []int32 {
	fill := int32(uint8(za))
	var out []int32
	for n := range p.N {
		for i := range p.OH * p.OW {
			y0, x0 := i/p.OW*p.Stride+p.origin(p.H, p.KH, p.OH), i%p.OW*p.Stride+p.origin(p.W, p.KW, p.OW)
			for o := range p.OC {
				var s int32
				for k := range p.KH * p.KW * p.C {
					iy, ix, c := y0+k/p.C/p.KW, x0+k/p.C%p.KW, k%p.C
					v := fill - za
					if iy >= 0 && ix >= 0 && iy < p.H && ix < p.W {
						v = int32(x[((n*p.H+iy)*p.W+ix)*p.C+c]) - za
					} else if za < 0 {
						v = 0
					}
					s += v * (int32(w[k*p.OC+o]) - zb)
				}
				out = append(out, s)
			}
		}
	}
	return out
}

func TestConv(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	random := func(n int) []uint8 {
		s := make([]uint8, n)
		for i := range s {
			s[i] = uint8(r.Uint32())
		}
		return s
	}
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLimit(cpu.SetLimit(l))
			for i := range 60 {
				p := ConvParams{N: 1 + i%2, H: 1 + r.IntN(9), W: 1 + r.IntN(9), C: 1 + r.IntN(6), OC: 1 + r.IntN(20), Stride: 1 + r.IntN(3), Centred: i%3 > 0}
				p.KH, p.KW = 1+r.IntN(min(p.H, 3)), 1+r.IntN(min(p.W, 3))
				if i%10 == 0 { // with these parameters, Conv multiplies the pixels of the image without copying them
					p.KH, p.KW, p.Stride, p.C = 1, 1, 1, 4*(1+i%3)
				}
				p.OH, p.OW = (p.H-p.KH)/p.Stride+1, (p.W-p.KW)/p.Stride+1
				if p.Centred {
					p.OH, p.OW = (p.H+p.Stride-1)/p.Stride, (p.W+p.Stride-1)/p.Stride
				}
				ranges := [][2]float32{{0, 255}, {-128, 127}, {20, 275}, {-400, -145}}
				a, b := ranges[r.IntN(4)], ranges[r.IntN(4)]
				za, zb := int32(-a[0]), int32(-b[0])
				x, w := random(p.N*p.H*p.W*p.C), random(p.KH*p.KW*p.C*p.OC)
				k := p.KH * p.KW * p.C
				packed, sums := make([]int8, gemm.Int8PackedLen(k, p.OC)), make([]int32, p.OC)
				gemm.PackU8(packed, sums, w, k, p.OC, false)
				pixels := p.N * p.OH * p.OW
				y := make([]int32, pixels*p.OC)
				for first := 0; first < pixels; { // in parts
					q := p
					q.First, q.Count = first, min(1+r.IntN(pixels), pixels-first)
					Conv(y[first*p.OC:], x, packed, sums, one(a[0]), one(a[1]), one(b[0]), one(b[1]), random(ConvScratchLen(q)), q)
					first += q.Count
				}
				if want := convolved(x, w, &p, za, zb); !slices.Equal(y, want) {
					t.Fatalf("%+v, zeros %d and %d: got %v, want %v", p, za, zb, y, want)
				}
			}
		})
	}
	y := []int32{1, 2}
	p := ConvParams{N: 1, H: 1, W: 2, KH: 1, KW: 1, OH: 1, OW: 2, OC: 1, Stride: 1}
	Conv(y, nil, nil, []int32{0}, one(0), one(1), one(0), one(1), make([]uint8, ConvScratchLen(p)), p)
	same(t, "no input channels", y, 0, 0)
	if CheckConv(1, 1, 1, 1) != nil || tensor.CodeOf(CheckConv(1, 0, 1, 1)) != tensor.InvalidArgument {
		t.Error("CheckConv")
	}
}

func TestMatMul(t *testing.T) {
	p := gemm.Int8Params{M: 2, N: 1, K: 2, UnsignedB: true}
	packed, sums := make([]int8, gemm.Int8PackedLen(2, 1)), make([]int32, 1)
	gemm.PackU8(packed, sums, []uint8{9, 200}, 2, 1, false)
	c, lo, hi, scratch := make([]int32, 2), one(0), one(0), make([]uint8, gemm.Int8ScratchLen(p))
	if err := MatMulRange(lo, hi, one(-128), one(127), one(-10), one(245)); err != nil {
		t.Fatal(err)
	}
	MatMul(c, []uint8{1, 2, 3, 255}, packed, sums, one(-128), one(127), one(-10), one(245), scratch, p)
	same(t, "MatMul", c, -127*-1+-126*190, -125*-1+127*190)
	same(t, "its range", append(lo, hi...), -2147483648, 2147483648)
	if err := MatMulRange(lo, hi, one(1), one(1), one(-10), one(245)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("an empty range: %v", err)
	}
}

func TestUniform(t *testing.T) {
	p := Uniform{Outer: 2, Slices: 2, Inner: 1, Lo: -127, Hi: 127}
	q := make([]int8, 4)
	UniformQuantizeI8(q, []float32{.24, -.26, 300, -300}, []float32{.5, .25}, []int32{1, -2}, p)
	same(t, "quantize", q, 1, -3, 127, -127)
	f := make([]float32, 4)
	if err := UniformDequantizeI8(f, q, []float32{.5, .25}, []int32{1, -2}, p); err != nil {
		t.Fatal(err)
	}
	same(t, "dequantize", f, 0, -.25, 63, -31.25)
	if err := UniformRequantizeI32(q, []int32{10, 11, -1000, 1000}, one(.5), []int32{0}, []float32{1, 2}, []int32{0, 5}, p); err != nil {
		t.Fatal(err)
	}
	same(t, "requantize", q, 5, 8, -127, 127)
	if err := UniformRequantizeI8(q, q, one(0), []int32{0}, one(1), []int32{0}, p); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a scale of zero: %v", err)
	}
	d := DotParams{M: 1, N: 2, K: 2, Lo: -1000, Hi: 90}
	packed, sums := make([]int8, gemm.Int8PackedLen(2, 2)), make([]int32, 2)
	gemm.PackI8(packed, sums, []int8{1, 2, 3, 4}, 2, 2, false)
	y, scratch := make([]int32, 2), make([]uint8, DotScratchLen(d))
	if err := UniformDot(y, []int8{10, -20}, packed, sums, one(.5), []int32{1}, []float32{1, 2}, []int32{0, -1}, one(.25), []int32{3}, scratch, d); err != nil {
		t.Fatal(err)
	}
	same(t, "dot", y, 2*(9*1-21*3)+3, 4*(9*3-21*5)+3)
	h, acc := make([]float32, 2), make([]int32, 2)
	if err := UniformDotHybrid(h, []float32{0, 2.55}, packed, sums, one(1), []int32{0}, make([]int8, 2), acc, scratch, d); err != nil {
		t.Fatal(err)
	}
	near(t, "hybrid dot", h, []float32{7.65, 10.2})
}

func BenchmarkConv(b *testing.B) {
	for _, c := range []struct {
		name string
		p    ConvParams
	}{
		{"3x3x56x56x64", ConvParams{N: 1, H: 56, W: 56, C: 64, KH: 3, KW: 3, OH: 56, OW: 56, OC: 64, Stride: 1, Centred: true}},
		{"1x1x14x14x1024", ConvParams{N: 1, H: 14, W: 14, C: 1024, KH: 1, KW: 1, OH: 14, OW: 14, OC: 256, Stride: 1}},
		{"7x7x224x224x3", ConvParams{N: 1, H: 224, W: 224, C: 3, KH: 7, KW: 7, OH: 112, OW: 112, OC: 64, Stride: 2, Centred: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := c.p
			k := p.KH * p.KW * p.C
			x, filter, sums := make([]uint8, p.H*p.W*p.C), make([]int8, gemm.Int8PackedLen(k, p.OC)), make([]int32, p.OC)
			y, scratch := make([]int32, p.OH*p.OW*p.OC), make([]uint8, ConvScratchLen(p))
			for b.Loop() {
				Conv(y, x, filter, sums, one(0), one(1), one(-1), one(1), scratch, p)
			}
			b.ReportMetric(2*float64(p.OH*p.OW*k*p.OC)/1e9*float64(b.N)/b.Elapsed().Seconds(), "GOP/s")
		})
	}
}

// TestAvgRows checks that a call that computes only some of the rows gives the same results as a
// call that computes all rows.
func TestAvgRows(t *testing.T) {
	p := pool.Params{N: 2, H: 5, W: 4, C: 3, KH: 3, KW: 2, OH: 3, OW: 2, StrideH: 2, StrideW: 2, PadTop: 1}
	x := make([]uint8, p.N*p.H*p.W*p.C)
	for i := range x {
		x[i] = uint8(i * 37)
	}
	row := p.OW * p.C
	all := make([]uint8, p.N*p.OH*row)
	AvgU8(nil, all, x, p)
	for p.First = range p.N * p.OH {
		for p.Rows = 1; p.Rows <= p.N*p.OH-p.First; p.Rows++ {
			part := make([]uint8, p.Rows*row)
			AvgU8(nil, part, x, p)
			if want := all[p.First*row:][:len(part)]; !slices.Equal(part, want) {
				t.Fatalf("rows %d to %d are %v, want %v", p.First, p.First+p.Rows, part, want)
			}
		}
	}
}

// TestAvgEnds checks that averaging over large windows stops when the run is cancelled.
func TestAvgEnds(t *testing.T) {
	p := pool.Params{N: 1, H: 128, W: 128, C: 1, KH: 64, KW: 64, OH: 65, OW: 65, StrideH: 1, StrideW: 1}
	typed.Ends(t, "means", []any{AvgU8, AvgI8}, typed.Out(65*65), typed.Seq(0, 128*128), p)
}
