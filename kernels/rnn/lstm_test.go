package rnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/tensor"
)

func random(r *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = r.Float32()*2 - 1
	}
	return s
}

// lstm is a sequence with its inputs and results.
type lstm struct {
	p                                     LSTMParams
	x, csPrev, hPrev, w, wci, wcf, wco, b []float32
	i, cs, f, o, ci, co, h                []float32
	n                                     int64
}

func newLSTM(seed uint64, p LSTMParams) *lstm {
	r := rand.New(rand.NewPCG(seed, 7))
	s := &lstm{p: p, n: int64(p.Steps)}
	size := p.Batch * p.Cell
	s.x, s.csPrev, s.hPrev = random(r, p.Steps*p.Batch*p.Input), random(r, size), random(r, size)
	s.w, s.b = random(r, (p.Input+p.Cell)*4*p.Cell), random(r, 4*p.Cell)
	s.wci, s.wcf, s.wco = random(r, p.Cell), random(r, p.Cell), random(r, p.Cell)
	if p.Half {
		for _, v := range [][]float32{s.x, s.csPrev, s.hPrev, s.w, s.b, s.wci, s.wcf, s.wco} {
			p.round(v)
		}
	}
	for _, o := range []*[]float32{&s.i, &s.cs, &s.f, &s.o, &s.ci, &s.co, &s.h} {
		*o = random(r, p.Steps*size)
	}
	return s
}

// run computes the sequence by the same calls of kernels that a compiled program contains.
func (s *lstm) run() error {
	p := s.p
	rows, wide := p.Steps*p.Batch, 4*p.Cell
	gates := make([]float32, rows*wide)
	gemm.BatchF32(gates, s.x, s.w, make([]float32, 1<<16), gemm.BatchParams{M: rows, N: wide, K: p.Input})
	wh := make([]float32, gemm.PackedLen(p.Cell, wide))
	gemm.PackF32(wh, s.w[p.Input*wide:], p.Cell, wide, false)
	return LSTMF32(nil, s.i, s.cs, s.f, s.o, s.ci, s.co, s.h, gates, s.csPrev, s.hPrev, wh, s.wci, s.wcf, s.wco, s.b, []int64{s.n},
		make([]float32, LSTMScratchLen(p)), p)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// reference computes the sequence in f64 and returns the state and the output of each step.
func (s *lstm) reference() (cs, h []float64) {
	p := s.p
	size := p.Batch * p.Cell
	cPrev, hPrev := widen(s.csPrev), widen(s.hPrev)
	for t := range int(s.n) {
		c2, h2 := make([]float64, size), make([]float64, size)
		for r := range p.Batch {
			for k := range p.Cell {
				var g [4]float64
				for j := range g {
					col := j*p.Cell + k
					g[j] = float64(s.b[col])
					for x := range p.Input {
						g[j] += float64(s.x[(t*p.Batch+r)*p.Input+x]) * float64(s.w[x*4*p.Cell+col])
					}
					for x := range p.Cell {
						g[j] += hPrev[r*p.Cell+x] * float64(s.w[(p.Input+x)*4*p.Cell+col])
					}
				}
				gi, gc, gf, go_ := g[0], g[1], g[2], g[3]
				if p.ForgetFirst {
					gc, gf = gf, gc
				}
				at := r*p.Cell + k
				gf += float64(p.ForgetBias)
				if p.Peephole {
					gi += cPrev[at] * float64(s.wci[k])
					gf += cPrev[at] * float64(s.wcf[k])
				}
				c := sigmoid(gi)*math.Tanh(gc) + sigmoid(gf)*cPrev[at]
				if m := float64(p.Clip); m > 0 {
					c = min(max(c, -m), m)
				}
				if p.Peephole {
					go_ += c * float64(s.wco[k])
				}
				c2[at], h2[at] = c, sigmoid(go_)*math.Tanh(c)
			}
		}
		cs, h = append(cs, c2...), append(h, h2...)
		cPrev, hPrev = c2, h2
	}
	rest := make([]float64, (p.Steps-int(s.n))*size)
	return append(cs, rest...), append(h, rest...)
}

func widen(s []float32) []float64 {
	w := make([]float64, len(s))
	for i, v := range s {
		w[i] = float64(v)
	}
	return w
}

func near(t *testing.T, what string, got []float32, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, v := range got {
		if math.Abs(float64(v)-want[i]) > tol*(1+math.Abs(want[i])) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, v, want[i])
		}
	}
}

var lstmParams = []LSTMParams{
	{Steps: 1, Batch: 1, Input: 1, Cell: 1},
	{Steps: 3, Batch: 2, Input: 5, Cell: 4, ForgetBias: 1},
	{Steps: 4, Batch: 3, Input: 2, Cell: 7, Peephole: true, Clip: 0.4},
	{Steps: 2, Batch: 2, Input: 3, Cell: 17, ForgetFirst: true, Peephole: true, ForgetBias: 0.5},
	{Steps: 0, Batch: 2, Input: 3, Cell: 2},
	{Steps: 2, Batch: 0, Input: 3, Cell: 2},
}

func TestLSTM(t *testing.T) {
	for k, p := range lstmParams {
		for _, half := range []bool{false, true} {
			p.Half = half
			t.Run(fmt.Sprint(k, half), func(t *testing.T) {
				s := newLSTM(uint64(k), p)
				s.n = int64(max(p.Steps-k%2, 0))
				if err := s.run(); err != nil {
					t.Fatal(err)
				}
				cs, h := s.reference()
				tol := 1e-5
				if half {
					tol = 1e-2
				}
				near(t, "cs", s.cs, cs, tol)
				near(t, "h", s.h, h, tol)
			})
		}
	}
}

func TestLSTMLength(t *testing.T) {
	s := newLSTM(1, LSTMParams{Steps: 2, Batch: 1, Input: 1, Cell: 1})
	for _, n := range []int64{-1, 3, math.MaxInt64} {
		s.n = n
		if err := s.run(); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("length %d: %v", n, err)
		}
		g := make([]float32, 64)
		err := LSTMGradF32(nil, g, g, g, g, g, g, g, g, s.x, s.csPrev, s.hPrev, s.w, s.wci, s.wcf, s.wco, s.i, s.cs, s.f, s.o, s.ci, s.co, s.h, g, g, []int64{n}, nil, s.p)
		if tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("gradient, length %d: %v", n, err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative size is taken")
		}
	}()
	(&LSTMParams{Steps: -1}).check()
}

// loss returns Σ cs·a + Σ h·b, with cs and h from the f64 reference.
func (s *lstm) loss(a, b []float32) float64 {
	cs, h := s.reference()
	var l float64
	for i := range cs {
		l += cs[i]*float64(a[i]) + h[i]*float64(b[i])
	}
	return l
}

// TestLSTMGrad compares the gradients with difference quotients of the reference.
func TestLSTMGrad(t *testing.T) {
	for k, p := range lstmParams[:4] {
		p.Clip = 0 // the gradient ignores Clip
		s := newLSTM(uint64(k), p)
		s.n = int64(max(p.Steps-k%2, 1))
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 3))
		size := p.Batch * p.Cell
		da, db := random(r, p.Steps*size), random(r, p.Steps*size)
		clear(da[int(s.n)*size:])
		clear(db[int(s.n)*size:])
		like := func(v []float32) []float32 { return random(r, len(v)) }
		gx, gc, gh, gw := like(s.x), like(s.csPrev), like(s.hPrev), like(s.w)
		gi, gf, go_, gb := like(s.wci), like(s.wcf), like(s.wco), like(s.b)
		if err := LSTMGradF32(nil, gx, gc, gh, gw, gi, gf, go_, gb, s.x, s.csPrev, s.hPrev, s.w, s.wci, s.wcf, s.wco,
			s.i, s.cs, s.f, s.o, s.ci, s.co, s.h, da, db, []int64{s.n}, make([]float32, LSTMGradScratchLen(p)), p); err != nil {
			t.Fatal(err)
		}
		for _, v := range []struct {
			name      string
			of, grads []float32
		}{{"x", s.x, gx}, {"csPrev", s.csPrev, gc}, {"hPrev", s.hPrev, gh}, {"w", s.w, gw}, {"wci", s.wci, gi}, {"wcf", s.wcf, gf}, {"wco", s.wco, go_}, {"b", s.b, gb}} {
			for i := range v.of {
				if i%5 > 1 {
					continue
				}
				const e = 1.0 / 256
				was := v.of[i]
				v.of[i] = was + e
				up := s.loss(da, db)
				v.of[i] = was - e
				down := s.loss(da, db)
				v.of[i] = was
				if want := (up - down) / (2 * e); math.Abs(want-float64(v.grads[i])) > 2e-3*(1+math.Abs(want)) {
					t.Fatalf("case %d: the gradient of %s[%d] is %v, differences give %v", k, v.name, i, v.grads[i], want)
				}
			}
		}
	}
}

// TestLSTMCellGrad checks that the gradients of a single step agree with those of a sequence of one
// step.
func TestLSTMCellGrad(t *testing.T) {
	for _, half := range []bool{false, true} {
		p := LSTMParams{Steps: 1, Batch: 3, Input: 2, Cell: 5, Peephole: true, Half: half}
		s := newLSTM(9, p)
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 3))
		da, db := random(r, 15), random(r, 15)
		p.round(da)
		p.round(db)
		gx, gc, gh, gw, gb := random(r, len(s.x)), random(r, 15), random(r, 15), random(r, len(s.w)), random(r, 20)
		gi, gf, go_ := random(r, 5), random(r, 5), random(r, 5)
		if err := LSTMGradF32(nil, gx, gc, gh, gw, gi, gf, go_, gb, s.x, s.csPrev, s.hPrev, s.w, s.wci, s.wcf, s.wco,
			s.i, s.cs, s.f, s.o, s.ci, s.co, s.h, da, db, []int64{1}, make([]float32, LSTMGradScratchLen(p)), p); err != nil {
			t.Fatal(err)
		}
		cc, dg, ci, cf, co := random(r, 15), random(r, 60), random(r, 5), random(r, 5), random(r, 5)
		LSTMCellGradF32(cc, dg, ci, cf, co, s.csPrev, s.wci, s.wcf, s.wco, s.i, s.cs, s.f, s.o, s.ci, s.co, da, db, p)
		near(t, "csPrev", cc, widen(gc), 1e-6)
		near(t, "wci", ci, widen(gi), 1e-3)
		near(t, "wcf", cf, widen(gf), 1e-3)
		near(t, "wco", co, widen(go_), 1e-3)
		sum := make([]float64, 20)
		for i, v := range dg {
			sum[i%20] += float64(v)
		}
		near(t, "dgates", gb, sum, 1e-5)
	}
}
