package conv

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// split divides the rows 0 to total-1 into random parts and calls f for each part.
func split(r *rand.Rand, total int, f func(first, rows int)) {
	for y := 0; y < total; {
		n := 1 + r.IntN(min(total-y, 1+r.IntN(total)))
		f(y, n)
		y += n
	}
}

// sameBits fails the test if whole and parts differ in an element. NaN equals NaN here, because the
// gaps between pixels are NaN.
func sameBits[T comparable](t *testing.T, what any, whole, parts []T) {
	t.Helper()
	for i, v := range whole {
		if w := parts[i]; v != w && (v == v || w == w) {
			t.Fatalf("%+v: element %d is %v in parts, %v at once", what, i, w, v)
		}
	}
}

// part returns the given number of rows of s, from the given row on. A row has c elements, and rows
// are ld elements apart.
func part[T any](s []T, row, rows, ld, c int) []T {
	if len(s) == 0 {
		return s
	}
	return s[row*ld:][: (rows-1)*ld+c : (rows-1)*ld+c]
}

// TestRows: the results are exactly the same for any split of the rows.
func TestRows(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 8))
		for i, p := range cases() {
			p.N += i % 3
			g := max(p.Groups, 1)
			d := p
			d.dense()
			ni, nf, no, nr := p.sizes()
			in, filter, res, bias := random(r, ni), random(r, nf), random(r, nr), random(r, p.OC)
			w := make([]float32, PackedLen(p.KH, p.KW, p.C/g, p.OC, g))
			PackF32(w, filter, p.KH, p.KW, p.C/g, p.OC, g)
			whole, parts := nans(no), nans(no)
			most := ScratchLen(p)
			F32(whole, in, w, nans(most), p.plus(bias, res))
			split(r, p.N*p.OH, func(first, rows int) {
				q := p
				q.First, q.Rows = first, rows
				n := ScratchLen(q)
				q.First = p.N*p.OH - rows
				if ScratchLen(q) != n || n > most {
					t.Fatalf("%+v: scratch of %d floats, %d for rows at the end, %d for the whole", p, n, ScratchLen(q), most)
				}
				q.First = first
				F32(part(parts, first*p.OW, rows*p.OW, d.LdOut, p.OC), in, w, nans(n), q.plus(bias, part(res, first*p.OW, rows*p.OW, d.LdRes, p.OC)))
			})
			sameBits(t, p, whole, parts)
		}
	})
}

// TestScratchGrows: ScratchLen never decreases when rows are added.
func TestScratchGrows(t *testing.T) {
	for _, p := range cases() {
		p.N = 3
		last := 0
		for rows := 1; rows <= p.N*p.OH; rows++ {
			q := p
			q.Rows = rows
			n := ScratchLen(q)
			if n < last {
				t.Fatalf("%+v: %d floats for %d rows, %d for one less", p, n, rows, last)
			}
			last = n
		}
		if n := ScratchLen(p); n != last {
			t.Fatalf("%+v: %d floats for the whole, %d for all rows", p, n, last)
		}
	}
	for _, p := range depthwiseCases() {
		last := 0
		for rows := 1; rows <= p.N*p.OH; rows++ {
			q := p
			q.Rows = rows
			n := DepthwiseScratchLen(q)
			if n < last {
				t.Fatalf("%+v: %d floats for %d rows, %d for one less", p, n, rows, last)
			}
			last = n
		}
	}
}

func TestRowsOtherTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	toF64 := func(v float32) float64 { return float64(v) }
	toI := func(v float32) int32 { return int32(v * 100) }
	for i, p := range cases() {
		p.N += i % 2
		if i%4 != 0 || p.H*p.W*p.C*p.OC > 1<<14 {
			continue
		}
		d := p
		d.dense()
		ni, nf, no, _ := p.sizes()
		in, filter := random(r, ni), random(r, nf)
		in64, filter64 := narrowed(in, toF64), narrowed(filter, toF64)
		w64, p64 := narrowed(nans(no), toF64), narrowed(nans(no), toF64)
		F64(w64, in64, filter64, make([]float64, AccLen(p)), p)
		inH, filterH := narrowed(in, tensor.ToF16), narrowed(filter, tensor.ToF16)
		wH, pH := make([]tensor.F16, no), make([]tensor.F16, no)
		F16(wH, inH, filterH, make([]float32, AccLen(p)), p)
		inB, filterB := narrowed(in, tensor.ToBF16), narrowed(filter, tensor.ToBF16)
		wB, pB := make([]tensor.BF16, no), make([]tensor.BF16, no)
		BF16(wB, inB, filterB, make([]float32, AccLen(p)), p)
		inI, filterI := narrowed(in, toI), narrowed(filter, toI)
		wI, pI := make([]int32, no), make([]int32, no)
		I32(wI, inI, filterI, make([]int32, AccLen(p)), p)
		split(r, p.N*p.OH, func(first, rows int) {
			q := p
			q.First, q.Rows = first, rows
			at, n := first*p.OW, rows*p.OW
			F64(part(p64, at, n, d.LdOut, p.OC), in64, filter64, make([]float64, AccLen(q)), q)
			F16(part(pH, at, n, d.LdOut, p.OC), inH, filterH, make([]float32, AccLen(q)), q)
			BF16(part(pB, at, n, d.LdOut, p.OC), inB, filterB, make([]float32, AccLen(q)), q)
			I32(part(pI, at, n, d.LdOut, p.OC), inI, filterI, make([]int32, AccLen(q)), q)
		})
		sameBits(t, p, w64, p64)
		sameBits(t, p, wH, pH)
		sameBits(t, p, wB, pB)
		sameBits(t, p, wI, pI)
	}
}

func TestDepthwiseRows(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	levels(t, func(t *testing.T) {
		for i, p := range depthwiseCases() {
			p.N += i % 3
			f := p.full()
			ni, nf, no, _ := f.sizes()
			in, filter, bias := random(r, ni), random(r, nf), random(r, f.OC)
			whole, parts := nans(no), nans(no)
			DepthwiseF32(whole, in, filter, nans(DepthwiseScratchLen(p)), p.plus(bias))
			split(r, p.N*p.OH, func(first, rows int) {
				q := p
				q.First, q.Rows = first, rows
				DepthwiseF32(part(parts, first*p.OW, rows*p.OW, f.OC, f.OC), in, filter, nans(DepthwiseScratchLen(q)), q.plus(bias))
			})
			sameBits(t, p, whole, parts)
			// The same with only those rows of the input that the selected rows depend on.
			parts = nans(no)
			d := p
			d.dense()
			split(r, p.N*p.OH, func(first, rows int) {
				q := p
				q.First, q.Rows = first, rows
				row := func(y int) int { // the row of the input, within its image, below padding and crops
					return y/p.OH*p.H + min(max(y%p.OH*d.StrideH-p.PadTop, 0), max(p.H, 0))
				}
				end := func(y int) int {
					return y/p.OH*p.H + min(max(y%p.OH*d.StrideH-p.PadTop+(p.KH-1)*d.DilH+1, 0), max(p.H, 0))
				}
				from, to := row(first), row(first)
				for y := first; y < first+rows; y++ {
					from, to = min(from, row(y)), max(to, end(y))
				}
				line := max(p.W, 0) * p.C
				q.InFirst = from
				DepthwiseF32(part(parts, first*p.OW, rows*p.OW, f.OC, f.OC), in[from*line:to*line], filter, nans(DepthwiseScratchLen(q)), q.plus(bias))
			})
			sameBits(t, p, whole, parts)
		}
	})
	for i, p := range depthwiseCases() {
		if i%9 != 0 {
			continue
		}
		f := p.full()
		ni, nf, no, _ := f.sizes()
		in, filter := narrowed(random(r, ni), tensor.ToF16), narrowed(random(r, nf), tensor.ToF16)
		whole, parts := make([]tensor.F16, no), make([]tensor.F16, no)
		DepthwiseF16(whole, in, filter, p)
		split(r, p.N*p.OH, func(first, rows int) {
			q := p
			q.First, q.Rows = first, rows
			DepthwiseF16(part(parts, first*p.OW, rows*p.OW, f.OC, f.OC), in, filter, q)
		})
		sameBits(t, p, whole, parts)
	}
}

func TestBackpropInputRows(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	run := func(t *testing.T, p BackpropParams, f func(out []float32, p BackpropParams)) {
		_, _, no := p.sizes()
		whole, parts := nans(no), nans(no)
		f(whole, p)
		split(r, p.N*p.H, func(first, rows int) {
			q := p
			q.First, q.Rows = first, rows
			f(part(parts, first*p.W, rows*p.W, p.C, p.C), q)
		})
		sameBits(t, p, whole, parts)
	}
	levels(t, func(t *testing.T) {
		for i, p := range backpropCases() {
			p.N += i % 3
			ng, nf, _ := p.sizes()
			grad, filter, bias := random(r, ng), random(r, nf), random(r, p.C)
			packed := make([]float32, BackpropPackedLen(p.KH, p.KW, p.C, p.OC))
			BackpropPackF32(packed, filter, p.KH, p.KW, p.C, p.OC)
			run(t, p, func(out []float32, q BackpropParams) {
				BackpropInputF32(out, grad, packed, nans(BackpropScratchLen(q)), q.plus(bias))
			})
		}
	})
	for i, p := range backpropCases() {
		ng, nf, no := p.sizes()
		if i%4 != 0 || no > 1000 {
			continue
		}
		toF64 := func(v float32) float64 { return float64(v) }
		grad, filter := narrowed(random(r, ng), toF64), narrowed(random(r, nf), toF64)
		run(t, p, func(out []float32, q BackpropParams) {
			wide := make([]float64, len(out))
			BackpropInputF64(wide, grad, filter, q)
			for i, v := range wide {
				out[i] = float32(v)
			}
		})
	}
}

// TestNoSuchRows: the convolutions refuse rows out of range.
func TestNoSuchRows(t *testing.T) {
	for _, c := range [][2]int{{-1, 2}, {1, 0}, {3, 2}, {5, 1}, {0, math.MaxInt}, {math.MaxInt, 1}, {0, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("First %d, Rows %d of 4 were taken", c[0], c[1])
				}
			}()
			p := Params{N: 1, H: 4, W: 1, C: 1, KH: 1, KW: 1, OH: 4, OW: 1, OC: 1, First: c[0], Rows: c[1]}
			F32(make([]float32, 4), make([]float32, 4), make([]float32, 16), nil, p)
		}()
	}
}
