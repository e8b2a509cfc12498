package random

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// BinomialParams describes draws from binomial distributions. Params and Samples have the same
// meaning as in Draws. Bits is the width in bits of the type of counts and probabilities. The
// product of a count and a probability is rounded to this type. Whole is set if the caller converts
// the results to integers. In this case, the result is 0 where it would otherwise be NaN.
type BinomialParams struct {
	Params, Samples int
	Bits            int
	Whole           bool
}

// inversionBlocks is the number of blocks of the stream that a draw by inversion reserves.
const inversionBlocks = 42

// Binomial draws the number of successes in count[p] trials with the probability prob[p]. If the
// expected number of successes is less than 10, it adds up random numbers with a geometric
// distribution. Otherwise it uses transformed rejection (Hörmann, "The generation of binomial
// random variates", 1993). A count or a probability of at most 0 gives 0. A probability of NaN
// gives NaN. Binomial returns DeadlineExceeded for a count that is NaN.
func Binomial(run *mem.Budget, out, count, prob []float64, stream []uint64, p BinomialParams) error {
	call := run.Call()
	for b := range p.Params {
		n, q := count[b], prob[b]
		swap := q > 0.5
		if swap {
			q = rounded(1-q, p.Bits)
		}
		many := rounded(n*q, p.Bits) >= 10
		h := newBinomial(n, q)
		for k := range p.Samples {
			call.Work(2)
			i := b*p.Samples + k
			x, ok := 0.0, true
			switch {
			case n <= 0 || prob[b] <= 0:
			case prob[b] >= 1:
				x = n
			case q != q:
				if x = math.NaN(); p.Whole {
					x = 0
				}
			case n != n:
				return endless("count", n)
			case many:
				call.Work(drawWork)
				s := stretch(stream, reserved, i)
				s.call = &call
				x, ok = s.transformed(&h)
			default:
				call.Work(drawWork)
				s := stretch(stream, inversionBlocks, i)
				s.call = &call
				x, ok = s.inversion(n, q)
			}
			if !ok {
				return endless("count", n)
			}
			if swap && prob[b] < 1 && n > 0 {
				x = n - x
			}
			out[k*p.Params+b] = x
		}
	}
	return nil
}

// inversion returns a random number with a binomial distribution of n trials. q is the probability
// of success. It adds up random numbers with a geometric distribution, and returns the largest
// number of them whose sum does not exceed n. It returns false if it gives up.
func (s *sampler) inversion(n, q float64) (float64, bool) {
	sum, limit := 0.0, math.Log1p(-q)
	for k := range maxTries {
		if k%triesEach == triesEach-1 {
			s.call.Work(triesEach * drawWork)
		}
		if sum += math.Ceil(math.Log(s.uniform()) / limit); sum > n {
			return float64(k), true
		}
	}
	return 0, false
}

// binomial holds the values shared by one distribution's draws by rejection, named as in the paper.
type binomial struct {
	n, a, b, c, vr, r, alpha, m float64
}

func newBinomial(n, q float64) binomial {
	spq := math.Sqrt(n * q * (1 - q))
	b := 1.15 + float64(2.53*spq)
	return binomial{n: n, b: b, a: -0.0873 + float64(0.0248*b) + float64(0.01*q), c: float64(n*q) + 0.5,
		vr: 0.92 - 4.2/b, r: q / (1 - q), alpha: (2.83 + 5.1/b) * spq, m: math.Floor((n + 1) * q)}
}

func (s *sampler) transformed(h *binomial) (float64, bool) {
	for n := range maxTries {
		if n%triesEach == triesEach-1 {
			s.call.Work(triesEach * drawWork)
		}
		u := s.uniform()
		v := s.uniform()
		u -= 0.5
		us := 0.5 - math.Abs(u)
		k := math.Floor(float64((2*h.a/us+h.b)*u) + h.c)
		if us >= 0.07 && v <= h.vr {
			return k, true
		}
		if k < 0 || k > h.n {
			continue
		}
		v = math.Log(v * h.alpha / (h.a/(us*us) + h.b))
		bound := float64((h.m+0.5)*math.Log((h.m+1)/(h.r*(h.n-h.m+1)))) +
			float64((h.n+1)*math.Log((h.n-h.m+1)/(h.n-k+1))) +
			float64((k+0.5)*math.Log(h.r*(h.n-k+1)/(k+1))) +
			stirlingTail(h.m) + stirlingTail(h.n-h.m) - stirlingTail(k) - stirlingTail(h.n-k)
		if v <= bound {
			return k, true
		}
	}
	return 0, false
}

// stirlingTail returns ln k! minus Stirling's approximation.
func stirlingTail(k float64) float64 {
	if k <= 9 {
		return [...]float64{0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
			0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287}[max(int(k), 0)]
	}
	q := (k + 1) * (k + 1)
	return (1.0/12 - (1.0/360-1.0/1260/q)/q) / (k + 1)
}
