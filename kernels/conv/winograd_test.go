package conv

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
)

// winogradCases are convolutions for WinogradF32, with every remainder of channels and tiles.
func winogradCases() []Params {
	var all []Params
	for c := 1; c <= 40; c++ {
		all = append(all, same(Params{N: 1, H: 1 + c%9, W: 1 + c%7, C: c, KH: 3, KW: 3, OC: 1 + c*7%40, Act: gemm.Act(c % 3)}))
	}
	for h := 1; h <= 14; h++ {
		for w := 1; w <= 14; w++ {
			p := same(Params{N: 1 + (h+w)%2, H: h, W: w, C: 1 + h*w%20, KH: 3, KW: 3, OC: 9 + h%10})
			all = append(all, p)
			if h > 2 && w > 2 {
				all = append(all, valid(p))
			}
		}
	}
	for n := 1; n <= 20; n++ {
		p := same(Params{N: 1 + n%2, H: 1 + n*7%9, W: 1 + n*5%11, C: 1 + n*11%37, KH: 5, KW: 5, OC: 1 + n*17%50, Act: gemm.Act(n % 3)})
		all = append(all, p)
		if p.H > 4 && p.W > 4 {
			all = append(all, valid(p))
		}
	}
	all = append(all,
		Params{N: 2, H: 9, W: 9, C: 5, KH: 5, KW: 5, OH: 5, OW: 4, OC: 18, PadTop: -2, PadLeft: 3, LdIn: 6, LdOut: 20, LdRes: 22},
		same(Params{N: 2, H: 15, W: 17, C: 70, KH: 5, KW: 5, OC: 40}))
	for n := 1; n <= 17; n++ {
		for k := range 4 {
			p := Params{N: 1 + n%2, H: 1 + (n*5+k)%6, W: n, C: 1 + (n*11+k)%37, KH: 1, KW: 7, OC: 1 + (n*7+k*13)%50, Act: gemm.Act(n % 3)}
			if k%2 == 1 {
				p.H, p.W, p.KH, p.KW = p.W, p.H, 7, 1
			}
			if k < 2 {
				p = same(p)
			} else if p = valid(p); p.OH <= 0 || p.OW <= 0 {
				continue
			}
			all = append(all, p)
		}
	}
	all = append(all,
		Params{N: 1, H: 9, W: 9, C: 5, KH: 1, KW: 7, OH: 12, OW: 4, OC: 18, PadTop: 2, PadLeft: -1, LdIn: 7, LdOut: 19, LdRes: 21},
		Params{N: 2, H: 9, W: 5, C: 17, KH: 7, KW: 1, OH: 9, OW: 8, OC: 16, PadTop: 3, PadLeft: 1})
	return append(all,
		same(Params{N: 3, H: 20, W: 22, C: 24, KH: 3, KW: 3, OC: 150, LdIn: 25, LdOut: 161, LdRes: 152, Act: gemm.Clip, Lo: -1, Hi: 1}),
		same(Params{N: 1, H: 14, W: 14, C: 128, KH: 3, KW: 3, OC: 33}),
		same(Params{N: 1, H: 7, W: 6, C: 270, KH: 3, KW: 3, OC: 140}),
		Params{N: 2, H: 9, W: 9, C: 5, KH: 3, KW: 3, OH: 5, OW: 4, OC: 18, PadTop: -2, PadLeft: -1},
		Params{N: 1, H: 3, W: 3, C: 17, KH: 3, KW: 3, OH: 12, OW: 13, OC: 16, PadTop: 4, PadLeft: 5},
		Params{N: 0, H: 3, W: 3, C: 17, KH: 3, KW: 3, OH: 3, OW: 3, OC: 16})
}

func winogradPacked(filter []float32, p Params) []float32 {
	w := make([]float32, WinogradPackedLen(p.KH, p.KW, p.C, p.OC))
	PackWinogradF32(w, filter, p.KH, p.KW, p.C, p.OC)
	return w
}

func TestWinogradF32(t *testing.T) {
	type example struct {
		p                     Params
		in, filter, bias, res []float32
		want, mag             []float64
	}
	var all []example
	r := rand.New(rand.NewPCG(12, 12))
	for i, p := range winogradCases() {
		ni, nf, _, nr := p.sizes()
		e := example{p: p, in: random(r, ni), filter: random(r, nf)}
		if i%2 == 0 {
			e.bias = random(r, p.OC)
		}
		if i%3 == 0 {
			e.res = random(r, nr)
		}
		e.want, e.mag = reference(widen(e.in, f32id), widen(e.filter, f32id), widen(e.bias, f32id), widen(e.res, f32id), p)
		for i := range e.mag {
			e.mag[i] += float64(p.C) // the error is relative to the tile's largest sums
		}
		all = append(all, e)
	}
	levels(t, func(t *testing.T) {
		for _, e := range all {
			p, bias, res := e.p, e.bias, e.res
			_, _, no, _ := p.sizes()
			d := p
			d.dense()
			what := fmt.Sprintf("%+v bias %v res %v", p, bias != nil, res != nil)
			packed := winogradPacked(e.filter, p)
			whole, check := result(t, no)
			WinogradF32(whole, e.in, packed, nans(WinogradScratchLen(p)), p.plus(bias, res))
			check()
			compare(t, what, widen(whole, f32id), e.want, e.mag, d.LdOut, p.OC, 2e-6)
			for i, v := range whole {
				if i%d.LdOut >= p.OC && v == v {
					t.Fatalf("%s: wrote between pixels at %d", what, i)
				}
			}
			parts := nans(no)
			split(r, p.N*p.OH, func(first, rows int) {
				q := p
				q.First, q.Rows = first, rows
				n := WinogradScratchLen(q)
				WinogradF32(part(parts, first*p.OW, rows*p.OW, d.LdOut, p.OC), e.in, packed, nans(n), q.plus(bias, part(res, first*p.OW, rows*p.OW, d.LdRes, p.OC)))
			})
			sameBits(t, what, whole, parts)
			if p.LdRes == p.LdOut && res != nil {
				onto := append([]float32(nil), res...)
				WinogradF32(onto, e.in, packed, nans(WinogradScratchLen(p)), p.plus(bias, onto))
				sameBits(t, what+" onto the residual", whole, onto)
			}
		}
	})
}

// TestWinogradChannels: ranges of output channels, each computed with a part of the filter, have
// exactly the same results as all channels computed at once.
func TestWinogradChannels(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(14, 14))
		for _, p := range []Params{
			same(Params{N: 1, H: 6, W: 9, C: 20, KH: 3, KW: 3, OC: 150}), same(Params{N: 2, H: 30, W: 30, C: 9, KH: 3, KW: 3, OC: 70, LdOut: 75, LdRes: 71}),
			same(Params{N: 1, H: 6, W: 9, C: 70, KH: 3, KW: 3, OC: 150}), same(Params{N: 1, H: 5, W: 5, C: 290, KH: 3, KW: 3, OC: 40}),
			same(Params{N: 1, H: 6, W: 9, C: 20, KH: 7, KW: 1, OC: 150}), same(Params{N: 1, H: 6, W: 9, C: 20, KH: 5, KW: 5, OC: 150}),
		} {
			d := p
			d.dense()
			ni, nf, no, nr := p.sizes()
			in, filter, bias, res := random(r, ni), random(r, nf), random(r, p.OC), random(r, nr)
			packed := winogradPacked(filter, p)
			whole, parts := nans(no), nans(no)
			most := WinogradScratchLen(p)
			WinogradF32(whole, in, packed, nans(most), p.plus(bias, res))
			for o := 0; o < p.OC; {
				q := p
				q.OC = min(16*(1+r.IntN(4)), p.OC-o)
				q.LdOut, q.LdRes = d.LdOut, d.LdRes
				if n := WinogradScratchLen(q); n > most {
					t.Fatalf("%+v: %d floats for %d channels, %d for all", p, n, q.OC, most)
				}
				WinogradF32(parts[o:], in, packed[o*WinogradPackedLen(p.KH, p.KW, p.C, 16)/16:][:WinogradPackedLen(p.KH, p.KW, p.C, q.OC)], nans(WinogradScratchLen(q)), q.plus(bias[o:], res[o:]))
				o += q.OC
			}
			sameBits(t, p, whole, parts)
		}
	})
}

func TestWinogradScratchGrows(t *testing.T) {
	for _, p := range winogradCases() {
		last := 0
		for rows := 1; rows <= p.N*p.OH; rows++ {
			q := p
			q.Rows = rows
			n := WinogradScratchLen(q)
			q.First = p.N*p.OH - rows
			if n < last || WinogradScratchLen(q) != n {
				t.Fatalf("%+v: %d floats for %d rows, %d at the end, %d for one less", p, n, rows, WinogradScratchLen(q), last)
			}
			last = n
		}
	}
}

// TestPackWinograd compares the transform of a filter of one tap with values computed by hand.
func TestPackWinograd(t *testing.T) {
	filter := make([]float32, 9)
	filter[0] = 1
	packed := make([]float32, WinogradPackedLen(3, 3, 1, 1))
	PackWinogradF32(packed, filter, 3, 3, 1, 1)
	g := [6]float64{1, -2. / 3, -2. / 3, 1. / 6, 1. / 6, 0}
	for i, a := range g {
		for j, b := range g {
			if got := packed[(i*6+j)*16]; got != float32(a*b) {
				t.Errorf("plane %d,%d: %v, want %v", i, j, got, a*b)
			}
		}
	}
}

// TestWinogradInf checks that an infinite input gives NaN or infinity only in the tiles that read this
// input.
func TestWinogradInf(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(13, 13))
		p := same(Params{N: 1, H: 12, W: 12, C: 16, KH: 3, KW: 3, OC: 16})
		ni, nf, no, _ := p.sizes()
		in, filter, out := random(r, ni), random(r, nf), make([]float32, no)
		in[(6*12+6)*16] = float32(math.Inf(1)) // a pixel that only the tile in the middle reads
		WinogradF32(out, in, winogradPacked(filter, p), nans(WinogradScratchLen(p)), p)
		for i, v := range out {
			y, x := i/16/12, i/16%12
			if inside := y/4 == 1 && x/4 == 1; !inside && v-v != 0 {
				t.Fatalf("pixel %d,%d is %v", y, x, v)
			}
		}
	})
}

func TestWinogradDoesNotAllocate(t *testing.T) {
	for _, p := range []Params{{C: 8, KH: 3, KW: 3}, {C: 70, KH: 3, KW: 3}, {C: 9, KH: 5, KW: 5}, {C: 9, KH: 1, KW: 7}, {C: 9, KH: 7, KW: 1}} {
		p.N, p.H, p.W, p.OC = 1, 9, 9, 24
		p = same(p)
		ni, _, no, _ := p.sizes()
		in, w, out, s := make([]float32, ni), make([]float32, WinogradPackedLen(p.KH, p.KW, p.C, p.OC)), make([]float32, no), make([]float32, WinogradScratchLen(p))
		levels(t, func(t *testing.T) {
			if n := testing.AllocsPerRun(3, func() { WinogradF32(out, in, w, s, p) }); n != 0 {
				t.Errorf("%+v: %v allocations a call", p, n)
			}
		})
	}
}

func BenchmarkWinogradF32(b *testing.B) {
	for _, p := range []Params{
		{H: 56, W: 56, C: 64, OC: 64}, {H: 28, W: 28, C: 128, OC: 128}, {H: 14, W: 14, C: 256, OC: 256}, {H: 7, W: 7, C: 512, OC: 512},
		{H: 35, W: 35, C: 64, OC: 96}, {H: 17, W: 17, C: 192, OC: 192}, {H: 147, W: 147, C: 32, OC: 64}, {H: 8, W: 8, C: 448, OC: 384},
		{H: 17, W: 17, C: 160, OC: 160, KH: 1, KW: 7}, {H: 35, W: 35, C: 48, OC: 64, KH: 5, KW: 5}, {H: 17, W: 17, C: 192, OC: 192, KH: 7, KW: 1},
		{H: 14, W: 14, C: 128, OC: 32}, {H: 112, W: 112, C: 64, OC: 64}, {H: 224, W: 224, C: 16, OC: 16},
	} {
		p.N, p.Act = 1, gemm.Relu
		if p.KH == 0 {
			p.KH, p.KW = 3, 3
		}
		p = same(p)
		r := rand.New(rand.NewPCG(1, 1))
		ni, nf, no, _ := p.sizes()
		in, filter, bias, out := random(r, ni), random(r, nf), random(r, p.OC), make([]float32, no)
		packed := make([]float32, PackedLen(p.KH, p.KW, p.C, p.OC, 1))
		PackF32(packed, filter, p.KH, p.KW, p.C, p.OC, 1)
		wino := winogradPacked(filter, p)
		scratch := make([]float32, max(ScratchLen(p), WinogradScratchLen(p)))
		name := fmt.Sprintf("%dx%d_%dx%dx%d_%d", p.KH, p.KW, p.H, p.W, p.C, p.OC)
		b.Run("direct/"+name, func(b *testing.B) {
			bench(b, 2*no*p.KH*p.KW*p.C, func() { F32(out, in, packed, scratch, p.plus(bias, nil)) })
		})
		b.Run("winograd/"+name, func(b *testing.B) {
			bench(b, 2*no*p.KH*p.KW*p.C, func() { WinogradF32(out, in, wino, scratch, p.plus(bias, nil)) })
		})
	}
}
