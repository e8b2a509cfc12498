package rnn

import (
	"math"
	"math/rand/v2"
	"testing"
)

type gru struct {
	p                      GRUParams
	x, h, wru, wc, bru, bc []float32
}

// reference returns r, u, c and the new state, computed in f64.
func (g *gru) reference() (r, u, c, out []float64) {
	n, p := g.p.Cell, g.p
	for b := range p.Batch {
		hr := make([]float64, n)
		x, h := widen(g.x[b*p.Input:][:p.Input]), widen(g.h[b*n:][:n])
		sum := func(w []float32, cols, col int, h []float64, bias float32) float64 {
			s := float64(bias)
			for i, v := range append(append([]float64{}, x...), h...) {
				s += v * float64(w[i*cols+col])
			}
			return s
		}
		for k := range n {
			r = append(r, sigmoid(sum(g.wru, 2*n, k, h, g.bru[k])))
			u = append(u, sigmoid(sum(g.wru, 2*n, n+k, h, g.bru[n+k])))
			hr[k] = h[k] * r[b*n+k]
		}
		for k := range n {
			v := math.Tanh(sum(g.wc, n, k, hr, g.bc[k]))
			c = append(c, v)
			out = append(out, u[b*n+k]*(h[k]-v)+v)
		}
	}
	return r, u, c, out
}

func narrow(s []float64) []float32 {
	w := make([]float32, len(s))
	for i, v := range s {
		w[i] = float32(v)
	}
	return w
}

func TestGRU(t *testing.T) {
	q := rand.New(rand.NewPCG(1, 2))
	p := GRUParams{Batch: 3, Input: 4, Cell: 5}
	g := &gru{p, random(q, 12), random(q, 15), random(q, 90), random(q, 45), random(q, 10), random(q, 5)}
	r, u, c, out := g.reference()

	// Check the gates. Their sums are chosen so that the gates equal those of the reference.
	inverse := func(y float64) float32 { return float32(math.Log(y / (1 - y))) }
	ru := make([]float32, 30)
	for i := range r {
		ru[i/5*10+i%5], ru[i/5*10+5+i%5] = inverse(r[i]), inverse(u[i])
	}
	gr, gu, hr := make([]float32, 15), make([]float32, 15), make([]float32, 15)
	GRUGatesF32(gr, gu, hr, ru, g.h, 5)
	near(t, "r", gr, r, 1e-5)
	near(t, "u", gu, u, 1e-5)
	for i := range hr {
		if hr[i] != g.h[i]*gr[i] {
			t.Fatal("hr")
		}
	}
	gc, gh := make([]float32, 15), make([]float32, 15)
	for i, v := range c {
		gc[i] = float32(math.Atanh(v))
	}
	GRUStateF32(gh, gc, gu, g.h)
	near(t, "c", gc, c, 1e-5)
	near(t, "h", gh, out, 1e-5)

	// Compare the gradient with difference quotients.
	dh := random(q, 15)
	dx, dhp, dc, dru := random(q, 12), random(q, 15), random(q, 15), random(q, 30)
	GRUGradF32(nil, dx, dhp, dc, dru, g.h, g.wru, g.wc, narrow(r), narrow(u), narrow(c), dh, make([]float32, GRUGradScratchLen(p)), p)
	loss := func() float64 {
		_, _, _, out := g.reference()
		var l float64
		for i, v := range out {
			l += v * float64(dh[i])
		}
		return l
	}
	check := func(name string, of, grads []float32) {
		t.Helper()
		for i := range of {
			const e = 1.0 / 256
			was := of[i]
			of[i] = was + e
			up := loss()
			of[i] = was - e
			down := loss()
			of[i] = was
			if want := (up - down) / (2 * e); math.Abs(want-float64(grads[i])) > 1e-3 {
				t.Fatalf("the gradient of %s[%d] is %v, differences give %v", name, i, grads[i], want)
			}
		}
	}
	check("x", g.x, dx)
	check("h", g.h, dhp)
	sum := func(s []float32, cols int) []float32 { // sum adds over the batch, which gives the gradient of a bias
		v := make([]float32, cols)
		for i, x := range s {
			v[i%cols] += x
		}
		return v
	}
	check("b_c", g.bc, sum(dc, 5))
	check("b_ru", g.bru, sum(dru, 10))
}
