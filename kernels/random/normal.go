package random

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// boxMuller converts two random words to two numbers of the normal distribution.
func boxMuller(x0, x1 uint32) (float32, float32) {
	u := max(float(x0), 1e-7)
	v := float64(float32(2 * math.Pi * float64(float(x1))))
	r := float32(math.Sqrt(float64(float32(-2 * math.Log(float64(u))))))
	return float32(math.Sin(v)) * r, float32(math.Cos(v)) * r
}

func boxMullerDouble(x [4]uint32) (float64, float64) {
	u := max(double(x[0], x[1]), 1e-7)
	v := 2 * math.Pi * double(x[2], x[3])
	r := math.Sqrt(-2 * math.Log(u))
	return math.Sin(v) * r, math.Cos(v) * r
}

// normalWork is the approximate work of computing a group of two or four numbers.
const normalWork = 100

// normal stores normally distributed numbers in the slice out. It computes each group of four
// numbers from one block of the stream.
func normal[T any](run *mem.Budget, out []T, stream []uint64, store func(float32) T) {
	g, call := open(stream), run.Call()
	for len(out) > 0 {
		call.Work(normalWork)
		x := g.next()
		var f [4]float32
		f[0], f[1] = boxMuller(x[0], x[1])
		f[2], f[3] = boxMuller(x[2], x[3])
		for i, v := range f {
			if i < len(out) {
				out[i] = store(v)
			}
		}
		out = out[min(4, len(out)):]
	}
}

func same(v float32) float32 { return v }

// NormalF64 is NormalF32 for f64.
func NormalF64(run *mem.Budget, out []float64, stream []uint64) {
	g, call := open(stream), run.Call()
	for len(out) > 0 {
		call.Work(normalWork)
		a, b := boxMullerDouble(g.next())
		out[0] = a
		if len(out) > 1 {
			out[1] = b
		}
		out = out[min(2, len(out)):]
	}
}

// reserved is the size of the part of the stream that is set aside for each value. For a truncated
// normal number, this size is a number of random words. For a draw from a gamma, Poisson or binomial
// distribution, it is a number of blocks of four words.
const reserved = 256

// truncated stores truncated normal numbers in the slice out. Each group of four numbers reads a
// separate part of the stream.
func truncated[T any](run *mem.Budget, out []T, stream []uint64, store func(float32) T) {
	call := run.Call()
	for base := open(stream); len(out) > 0; base.skip(reserved) {
		call.Work(normalWork)
		g := single{p: base}
		n := min(4, len(out))
		for i := 0; i < n; {
			a := g.next()
			f0, f1 := boxMuller(a, g.next())
			for _, v := range [2]float32{f0, f1} {
				if v > -2 && v < 2 && i < n {
					out[i] = store(v)
					i++
				}
			}
		}
		out = out[n:]
	}
}

// TruncatedF64 is TruncatedF32 for f64.
func TruncatedF64(run *mem.Budget, out []float64, stream []uint64) {
	call := run.Call()
	for base := open(stream); len(out) > 0; base.skip(reserved / 2) {
		call.Work(normalWork)
		g := single{p: base}
		n := min(2, len(out))
		for i := 0; i < n; {
			var x [4]uint32
			for k := range x {
				x[k] = g.next()
			}
			f0, f1 := boxMullerDouble(x)
			for _, v := range [2]float64{f0, f1} {
				if v > -2 && v < 2 && i < n {
					out[i] = v
					i++
				}
			}
		}
		out = out[n:]
	}
}
