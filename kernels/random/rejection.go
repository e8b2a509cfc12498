package random

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// sampler returns the random numbers that a single draw from a distribution needs. They come from a
// part of the stream that is reserved for this draw. Both uniform and normal numbers are computed
// in pairs, and the second number of a pair is returned first.
type sampler struct {
	call      *mem.Call // nil for distributions that rarely reject a number
	g         philox
	u, n      [2]float64
	uniforms  int // number of elements of u that have not been returned yet
	gaussians int // number of elements of n that have not been returned yet
}

func (s *sampler) uniform() float64 {
	if s.uniforms == 0 {
		x := s.g.next()
		s.u = [2]float64{double(x[0], x[1]), double(x[2], x[3])}
		s.uniforms = 2
	}
	s.uniforms--
	return s.u[s.uniforms]
}

func (s *sampler) gaussian() float64 {
	if s.gaussians == 0 {
		s.n[0], s.n[1] = boxMullerDouble(s.g.next())
		s.gaussians = 2
	}
	s.gaussians--
	return s.n[s.gaussians]
}

// drawWork is the approximate work of making and using two numbers.
const drawWork = 64

// Draws describes Samples draws for each of Params parameters: out[s*Params+p] is draw s of
// parameter p. Each draw reads a separate part of the stream, with the number p*Samples+s. If out
// is empty, nothing is drawn, whatever the values of the fields are.
type Draws struct{ Params, Samples int }

// stretch returns the generator of part i of the stream. Each part has size blocks.
func stretch(stream []uint64, size, i int) sampler {
	g := open(stream)
	g.skip(uint64(size) * uint64(i))
	return sampler{g: g}
}

// maxTries is the largest number of rejected numbers in one draw. Far fewer are rejected, except
// with parameters for which every number is rejected.
const maxTries = 1 << 20

// triesEach is the number of tries after which a draw calls the method Work of the budget to report
// the work done.
const triesEach = 256

func endless(what string, v float64) error {
	return tensor.Errorf(tensor.DeadlineExceeded, "no draw would ever be accepted of a distribution with the %s %v", what, v)
}

// Gamma draws from gamma distributions of the shape alpha[p] and the scale 1, by the method of
// Marsaglia and Tsang ("A simple method for generating gamma variables", 2000). The result is NaN
// if the shape is NaN or at most -2/3.
func Gamma(run *mem.Budget, out, alpha []float64, stream []uint64, p Draws) {
	if len(out) == 0 {
		return
	}
	call := run.Call()
	for a := range p.Params {
		shape := alpha[a]
		less := shape < 1
		d := shape - 1.0/3
		if less {
			d = shape + 2.0/3
		}
		c := 1.0 / 3 / math.Sqrt(d)
		for k := range p.Samples {
			call.Work(drawWork)
			s := stretch(stream, reserved, a*p.Samples+k)
			if shape == 1 {
				out[k*p.Params+a] = -math.Log1p(-s.uniform())
				continue
			}
			out[k*p.Params+a] = s.gamma(shape, d, c, less)
		}
	}
}

// gamma returns a random number with the gamma distribution of the shape alpha. The parameter less
// must be true if alpha < 1, and false otherwise. d must be alpha-1/3, or alpha+2/3 if alpha < 1, and
// c must be 1/(3·√d). If alpha < 1, the number is drawn with the shape alpha+1, and a random factor
// corrects it.
func (s *sampler) gamma(alpha, d, c float64, less bool) float64 {
	for {
		x := s.gaussian()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := s.uniform()
		if u < 1-float64(0.0331*(x*x)*(x*x)) || math.Log(u) < float64(0.5*x*x)+float64(d*(1-v+math.Log(v))) {
			r := d * v
			if less {
				r *= math.Pow(s.uniform(), 1/alpha)
			}
			return r
		}
	}
}

// Poisson draws from Poisson distributions with the rates rate[p]. For a rate below 10, it
// multiplies uniform numbers (Knuth, "Seminumerical algorithms"). Otherwise, it uses transformed
// rejection (Hörmann, "The transformed rejection method for generating Poisson random variables",
// 1993). A negative rate gives 0, and an infinite rate gives infinity. Poisson returns
// DeadlineExceeded for a rate of NaN.
func Poisson(run *mem.Budget, out, rate []float64, stream []uint64, p Draws) error {
	return poissons(run, out, rate, stream, p, math.Inf(1))
}

// PoissonWhole is Poisson for results that are integers: an infinite rate gives 0.
func PoissonWhole(run *mem.Budget, out, rate []float64, stream []uint64, p Draws) error {
	return poissons(run, out, rate, stream, p, 0)
}

func poissons(run *mem.Budget, out, rate []float64, stream []uint64, p Draws, endlessly float64) error {
	if len(out) == 0 {
		return nil
	}
	call := run.Call()
	for r := range p.Params {
		v := rate[r]
		if v != v {
			return endless("rate", v)
		}
		h := newPoisson(v)
		for k := range p.Samples {
			call.Work(drawWork)
			s := stretch(stream, reserved, r*p.Samples+k)
			var ok bool
			x := 0.0
			switch {
			case math.IsInf(v, 1):
				x, ok = endlessly, true
			case v < 10:
				x, ok = s.knuth(h.exp), true
			default:
				s.call = &call
				x, ok = s.hormann(&h)
			}
			if !ok {
				return endless("rate", v)
			}
			out[k*p.Params+r] = x
		}
	}
	return nil
}

// poisson holds the values shared by the draws of one rate.
type poisson struct {
	rate, exp, log, a, b, invAlpha float64
}

func newPoisson(rate float64) poisson {
	if rate < 10 {
		return poisson{rate: rate, exp: math.Exp(-rate)}
	}
	b := 0.931 + float64(2.53*math.Sqrt(rate))
	return poisson{rate: rate, log: math.Log(rate), b: b, a: -0.059 + float64(0.02483*b), invAlpha: 1.1239 + 1.1328/(b-3.4)}
}

// knuth multiplies uniform random numbers until the product is at most limit. It returns the number
// of factors without the last one.
func (s *sampler) knuth(limit float64) float64 {
	x, product := 0.0, 1.0
	for {
		if product *= s.uniform(); product <= limit {
			return x
		}
		x++
	}
}

func (s *sampler) hormann(h *poisson) (float64, bool) {
	for n := range maxTries {
		if n%triesEach == triesEach-1 {
			s.call.Work(triesEach * drawWork)
		}
		u := s.uniform() - 0.5
		v := s.uniform()
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*h.a/us+h.b)*u) + h.rate + 0.43)
		if us >= 0.07 && v <= 0.9277-3.6224/(h.b-2) {
			return k, true
		}
		if k < 0 || us < 0.013 && v > us {
			continue
		}
		lg, _ := math.Lgamma(k + 1)
		if math.Log(v*h.invAlpha/(h.a/(us*us)+h.b)) <= -h.rate+float64(k*h.log)-lg {
			return k, true
		}
	}
	return 0, false
}
