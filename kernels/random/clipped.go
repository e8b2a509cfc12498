package random

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// ClippedParams describes draws from Params normal distributions within bounds: out[s*Params+p] is
// draw s of distribution p. Bits is the width in bits of the floating-point type in which the
// numbers are computed.
type ClippedParams struct {
	Params, Samples int
	Bits            int
}

// ClippedRowsParams describes Rows rows of Row numbers, with a distribution for each row. Shared is
// set if the bounds are scalars. If it is set, and the mean and the standard deviation have one
// element each, the numbers are drawn in batches of 100 numbers instead of in rows. This changes
// the numbers that are drawn.
type ClippedRowsParams struct {
	Rows, Row int
	Bits      int
	Shared    bool
}

// hundred is the number of draws of one distribution that share a reserved part of the stream.
const hundred = 100

// maxRejected is the number of consecutive rejections before giving up.
const maxRejected = 1000

// insideBounds is a distance from the mean, in standard deviations. It decides which method is
// used. If the mean lies between the bounds, and at least one bound is farther from the mean than
// this distance, normal numbers are drawn, and those outside the bounds are rejected.
const insideBounds = 1.3

// clipped is a generator of normal numbers within bounds. bits is the width of their floating-point
// type. Each batch of numbers continues the random stream after the previous batch.
type clipped struct {
	call mem.Call
	g    philox
	bits int
}

func (c *clipped) r(x float64) float64 { return rounded(x, c.bits) }

// uniforms stores the next uniform random numbers in dst and returns them: two numbers if they have
// 64 bits, and four otherwise.
func (c *clipped) uniforms(dst *[4]float64) []float64 {
	c.call.Work(drawWork)
	x := c.g.next()
	switch c.bits {
	case 64:
		dst[0], dst[1] = double(x[0], x[1]), double(x[2], x[3])
		return dst[:2]
	case 16:
		for i, v := range x {
			dst[i] = float64(halfUniform(v).Float32())
		}
	case brain:
		for i, v := range x {
			dst[i] = float64(brainUniform(v).Float32())
		}
	default:
		for i, v := range x {
			dst[i] = float64(float(v))
		}
	}
	return dst[:]
}

func (c *clipped) gaussians(dst *[4]float64) []float64 {
	c.call.Work(drawWork)
	x := c.g.next()
	if c.bits == 64 {
		dst[0], dst[1] = boxMullerDouble(x)
		return dst[:2]
	}
	for i := 0; i < 4; i += 2 {
		a, b := boxMuller(x[i], x[i+1])
		dst[i], dst[i+1] = c.r(float64(a)), c.r(float64(b))
	}
	return dst[:]
}

func gaveUp() error {
	return tensor.Errorf(tensor.Internal, "after %d rejected numbers no draw of a truncated normal distribution was accepted", maxRejected)
}

// limits holds the parameters of one distribution.
type limits struct{ mean, dev, low, high float64 }

func (l *limits) check() error {
	if l.dev > 0 && l.low < l.high && (!math.IsInf(l.low, 0) || !math.IsInf(l.high, 0)) {
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "no truncated normal distribution has the deviation %v and the bounds %v and %v", l.dev, l.low, l.high)
}

// Clipped draws from normal distributions cut off at bounds (Robert, "Simulation of truncated
// normal variables", 1995). The slices of parameters have p.Params elements. Clipped returns
// InvalidArgument for a deviation that is not positive, and for bounds that are both infinite or
// not in order. Clipped returns Internal if too many consecutive numbers fall outside.
func Clipped(run *mem.Budget, out, mean, stddev, lo, hi []float64, stream []uint64, p ClippedParams) error {
	c := clipped{call: run.Call(), g: open(stream), bits: p.Bits}
	if p.Samples == 0 {
		return nil
	}
	for b := range p.Params {
		l := limits{mean[b], stddev[b], lo[b], hi[b]}
		if err := l.check(); err != nil {
			return err
		}
		if err := c.batch(out, b, p.Params, p.Samples, l); err != nil {
			return err
		}
	}
	return nil
}

// ClippedRows draws numbers as Clipped does, for an op whose random stream is given by attributes.
// The parameter s holds these attributes, except for s.Skip, which ClippedRows computes. Then it
// calls Start to write the stream. It returns InvalidArgument unless each slice of parameters has
// either one element or an element for each row.
func ClippedRows(run *mem.Budget, out, mean, stddev, lo, hi []float64, stream []uint64, s Params, p ClippedRowsParams) error {
	batches, samples := p.Rows, p.Row
	if p.Shared && len(mean) == 1 && len(stddev) == 1 {
		samples = hundred
		batches = (len(out) + hundred - 1) / hundred
	}
	at := func(x []float64, b int) float64 {
		if len(x) == 1 {
			return x[0]
		}
		return x[b]
	}
	for _, x := range [][]float64{mean, stddev, lo, hi} {
		if len(x) != 1 && len(x) != batches {
			return tensor.Errorf(tensor.InvalidArgument, "means, deviations and bounds must have 1 or %d elements, not %d", batches, len(x))
		}
	}
	s.Skip = batches * 2 * maxRejected * (samples + 3) / 4
	Start(stream, s)
	c := clipped{call: run.Call(), g: open(stream), bits: p.Bits}
	for b := range batches {
		l := limits{at(mean, b), at(stddev, b), at(lo, b), at(hi, b)}
		if err := l.check(); err != nil {
			return err
		}
		if err := c.batch(out, b*samples, 1, min(samples, len(out)-b*samples), l); err != nil {
			return err
		}
	}
	return nil
}

// batch draws n numbers and stores them in out[at], out[at+step], out[at+2*step] and so on.
func (c *clipped) batch(out []float64, at, step, n int, l limits) error {
	r, mean, dev, low, high := c.r, l.mean, l.dev, l.low, l.high
	if math.IsInf(low, -1) || high < mean {
		low, high, dev = high, low, -dev
	}
	a, z := r(r(low-mean)/dev), r(r(high-mean)/dev)
	root := r(math.Sqrt(r(r(a*a) + 4)))
	cut := r(r(2*r(math.Exp(r(0.5+r(r(a*r(a-root))/4))))) / r(a+root))
	width := r(z - a)
	beyond := r(insideBounds)
	done, rejected := 0, 0
	// take stores an accepted number and reports whether all n numbers have been drawn.
	take := func(x float64) bool {
		out[at+done*step] = r(r(x*dev) + mean)
		done++
		return done == n
	}
	var x, u [4]float64
	switch {
	case n <= 0:
	case a < -beyond && z >= 0 || z > beyond && a <= 0:
		for {
			for _, v := range c.gaussians(&x) {
				if v >= a && v <= z {
					if take(v) {
						return nil
					}
					rejected = 0
				} else if rejected++; rejected > maxRejected {
					return gaveUp()
				}
			}
		}
	case width < cut:
		plus := 0.0
		if a >= 0 {
			plus = r(a * a)
		}
		for {
			xs := c.uniforms(&x)
			us := c.uniforms(&u)
			for i, v := range xs {
				v = r(r(v*width) + a)
				switch g := r(r(plus-r(v*v)) / 2); {
				case us[i] <= r(math.Exp(g)):
					if take(v) {
						return nil
					}
					rejected = 0
				case rejected+1 >= maxRejected:
					return gaveUp()
				default:
					rejected++
				}
			}
		}
	default:
		alpha := r(r(a+root) / 2)
		for {
			xs := c.uniforms(&x)
			for i := 0; i < len(xs); i += 2 {
				v := r(r(r(-math.Log(xs[i]))/alpha) + a)
				d := r(a - alpha)
				if a < alpha {
					d = r(alpha - v)
				}
				switch g := r(math.Exp(r(r(-d*d) / 2))); {
				case xs[i+1] <= g && v < z:
					if take(v) {
						return nil
					}
					rejected = 0
				case rejected+1 >= maxRejected:
					return gaveUp()
				default:
					rejected++
				}
			}
		}
	}
	return nil
}
