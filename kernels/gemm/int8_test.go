package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func randomBytes(r *rand.Rand, n int) []uint8 {
	s := make([]uint8, n)
	for i := range s {
		s[i] = uint8(r.Uint32())
		if r.IntN(3) == 0 {
			s[i] = 255
		}
	}
	return s
}

func asI8(s []uint8) []int8 {
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// int8Case is a product with its operands and the exact result.
type int8Case struct {
	p          Int8Params
	a, raw     []uint8
	b          []int8
	sums, bias []int32
	want       []int32 // dense
}

func newInt8Case(r *rand.Rand, p Int8Params, transB, withBias bool) *int8Case {
	q := p
	q.dense()
	rows, cols := p.M, p.K
	if p.TransA {
		rows, cols = p.K, p.M
	}
	c := &int8Case{p: p, a: randomBytes(r, max((rows-1)*q.Lda+cols, 0)), raw: randomBytes(r, p.K*p.N),
		b: make([]int8, Int8PackedLen(p.K, p.N)), sums: make([]int32, p.N), want: make([]int32, p.M*p.N)}
	if p.UnsignedB {
		PackU8(c.b, c.sums, c.raw, p.K, p.N, transB)
	} else {
		PackI8(c.b, c.sums, asI8(c.raw), p.K, p.N, transB)
	}
	if withBias {
		c.bias = make([]int32, p.N)
		for i := range c.bias {
			c.bias[i] = int32(r.Uint32())
		}
	}
	for m := range p.M {
		for n := range p.N {
			var s int32
			for k := range p.K {
				x, y := m*q.Lda+k, k*p.N+n
				if p.TransA {
					x = k*q.Lda + m
				}
				if transB {
					y = n*p.K + k
				}
				u, v := int32(c.a[x]), int32(int8(c.raw[y]))
				if p.SignedA {
					u = int32(int8(c.a[x]))
				}
				if p.UnsignedB {
					v = int32(c.raw[y])
				}
				s += (u - p.ZeroA) * (v - p.ZeroB)
			}
			if withBias {
				s += c.bias[n]
			}
			c.want[m*p.N+n] = s
		}
	}
	return c
}

var int8Sizes = []Int8Params{
	{M: 1, N: 1, K: 1}, {M: 0, N: 5, K: 3}, {M: 5, N: 0, K: 3}, {M: 3, N: 17, K: 0}, {M: 5, N: 7, K: 9, Lda: 12, Ldc: 10},
	{M: 33, N: 50, K: 70}, {M: 33, N: 50, K: 72}, {M: 33, N: 50, K: 70, TransA: true}, {M: 7, N: 20, K: 13, TransA: true, Lda: 9},
	{M: 1, N: 100, K: 300}, {M: 8, N: 64, K: 256}, {M: 8, N: 128, K: 4096}, {M: 3, N: 20, K: 20000}, {M: 130, N: 33, K: 300},
}

func TestInt8(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var cases []*int8Case
	for i, p := range int8Sizes {
		for v := range 8 {
			p.SignedA, p.UnsignedB = v&1 != 0, v&2 != 0
			p.ZeroA, p.ZeroB = 0, 0
			if v&4 != 0 {
				p.ZeroA, p.ZeroB = int32(r.IntN(600)-200), int32(r.IntN(300)-100)
			}
			cases = append(cases, newInt8Case(r, p, (i+v)%2 == 0, v%3 == 0))
		}
	}
	levels(t, func(t *testing.T) {
		for _, c := range cases {
			p := c.p
			q := p
			q.dense()
			got := make([]int32, max((p.M-1)*q.Ldc+p.N, 0))
			scratch := randomBytes(r, Int8ScratchLen(p)+1)[1:]
			Int8(got, c.a, c.b, c.sums, c.bias, scratch, p)
			for m := range p.M {
				for n := range p.N {
					if g, w := got[m*q.Ldc+n], c.want[m*p.N+n]; g != w {
						t.Fatalf("%+v: c[%d,%d] = %d, want %d", p, m, n, g, w)
					}
				}
			}
		}
	})
}

func TestInt8Out(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for _, p := range int8Sizes {
			p.ZeroA, p.ZeroB = 100, 3
			c := newInt8Case(r, p, false, true)
			n := int8Case{want: newInt8Sums(c)}
			scale, bias := make([]float32, p.N), make([]float32, p.N)
			for i := range scale {
				scale[i], bias[i] = r.Float32()*1e-8, r.Float32()
			}
			q := p
			q.dense()
			size := max((p.M-1)*q.Ldc+p.N, 0)
			f, u, s := make([]float32, size), make([]uint8, size), make([]int8, size)
			acc, scratch := make([]int32, Int8OutScratchLen(p)), make([]uint8, Int8ScratchLen(p))
			Int8F32(f, c.a, c.b, c.sums, scale, bias, acc, scratch, p, Relu, 0, 0)
			Int8U8(u, c.a, c.b, c.sums, c.bias, scale, acc, scratch, p, 7, 0, 255)
			Int8I8(s, c.a, c.b, c.sums, c.bias, scale, acc, scratch, p, -3, -128, 127)
			for m := range p.M {
				for j := range p.N {
					at, i := m*q.Ldc+j, m*p.N+j
					if w := max(float32(float32(n.want[i])*scale[j])+bias[j], 0); f[at] != w {
						t.Fatalf("%+v: f32 [%d,%d] = %v, want %v", p, m, j, f[at], w)
					}
					v := math.RoundToEven(float64(float32(c.want[i]) * scale[j]))
					if wu, ws := min(max(v+7, 0), 255), min(max(v-3, -128), 127); float64(u[at]) != wu || float64(s[at]) != ws {
						t.Fatalf("%+v: [%d,%d] = %d and %d, want %v and %v", p, m, j, u[at], s[at], wu, ws)
					}
				}
			}
		}
	})
}

// newInt8Sums returns the expected result of the case c without the bias.
func newInt8Sums(c *int8Case) []int32 {
	s := make([]int32, len(c.want))
	for i, v := range c.want {
		s[i] = v - c.bias[i%c.p.N]
	}
	return s
}

// TestInt8RowSplit checks that several calls, each for a part of the rows, give the same results as
// one call for all rows.
func TestInt8RowSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	p := Int8Params{M: 40, N: 50, K: 67, SignedA: true, ZeroA: 5, ZeroB: -7}
	c := newInt8Case(r, p, false, true)
	for cut := range p.M {
		got := make([]int32, p.M*p.N)
		for _, part := range [][2]int{{0, cut}, {cut, p.M}} {
			q := p
			q.M = part[1] - part[0]
			Int8(got[part[0]*p.N:], c.a[part[0]*p.K:], c.b, c.sums, c.bias, make([]uint8, Int8ScratchLen(q)), q)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Fatalf("cut %d: element %d is %d, want %d", cut, i, got[i], c.want[i])
			}
		}
	}
}

func TestInt8Batch(t *testing.T) {
	i8 := func(i int) int8 { return int8(i*37%256 - 128) }
	u8 := func(i int) uint8 { return uint8(i * 91) }
	scratch := func(p BatchParams) []uint8 { return make([]uint8, Int8BatchScratchLen(p)+1)[1:] }
	levels(t, func(t *testing.T) {
		testBatch(t, func(c []int32, a, b []int8, p BatchParams) { Int8BatchI8I8(c, a, b, scratch(p), p) }, i8, i8, realOf[int8], realOf[int8], realOf[int32], 0)
		testBatch(t, func(c []int32, a []int8, b []uint8, p BatchParams) { Int8BatchI8U8(c, a, b, scratch(p), p) }, i8, u8, realOf[int8], realOf[uint8], realOf[int32], 0)
		testBatch(t, func(c []int32, a []uint8, b []int8, p BatchParams) { Int8BatchU8I8(c, a, b, scratch(p), p) }, u8, i8, realOf[uint8], realOf[int8], realOf[int32], 0)
		testBatch(t, func(c []int32, a, b []uint8, p BatchParams) { Int8BatchU8U8(c, a, b, scratch(p), p) }, u8, u8, realOf[uint8], realOf[uint8], realOf[int32], 0)
	})
}

func TestInt8DoesNotAllocate(t *testing.T) {
	p := Int8Params{M: 30, N: 40, K: 50, SignedA: true, ZeroB: 3}
	c := newInt8Case(rand.New(rand.NewPCG(5, 5)), p, false, false)
	y, acc, scratch := make([]int32, 30*40), make([]int32, Int8OutScratchLen(p)), make([]uint8, Int8ScratchLen(p))
	u, scale := make([]uint8, 30*40), make([]float32, 40)
	if n := testing.AllocsPerRun(10, func() {
		Int8(y, c.a, c.b, c.sums, nil, scratch, p)
		Int8U8(u, c.a, c.b, c.sums, nil, scale, acc, scratch, p, 0, 0, 255)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkInt8(b *testing.B) {
	for _, s := range [][3]int{{128, 768, 768}, {128, 3072, 768}, {1024, 1024, 1024}, {1, 4096, 1024}, {8, 4096, 1024}} {
		p := Int8Params{M: s[0], N: s[1], K: s[2], ZeroA: 128, ZeroB: 3}
		b.Run(fmt.Sprintf("%dx%dx%d", p.M, p.N, p.K), func(b *testing.B) {
			a, w, sums := make([]uint8, p.M*p.K), make([]int8, Int8PackedLen(p.K, p.N)), make([]int32, p.N)
			c, scratch := make([]int32, p.M*p.N), make([]uint8, Int8ScratchLen(p))
			for b.Loop() {
				Int8(c, a, w, sums, nil, scratch, p)
			}
			b.ReportMetric(2*float64(p.M)*float64(p.N)*float64(p.K)/1e9*float64(b.N)/b.Elapsed().Seconds(), "GOP/s")
		})
	}
}
