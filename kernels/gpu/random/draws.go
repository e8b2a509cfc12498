package random

import "github.com/graphc/graphc/rt/device"

// Draws describes Samples draws for each of Params parameters. Draw s of parameter p is stored as
// result s*Params+p. It takes its random bits from part p*Samples+s of the stream, which no other
// draw uses.
type Draws struct{ Params, Samples int }

// Gamma draws from gamma distributions and stores the results in the array out. The array alpha holds
// the shapes of the distributions, and the scale is 1. Shapes and results are float64 numbers. The
// method is that of Marsaglia and Tsang ("A simple method for generating gamma variables", 2000). The
// result is NaN for a shape that is NaN or at most -2/3.
func Gamma(q *device.Queue, out, alpha, stream device.Ptr, p Draws) {
	n := p.Params * p.Samples
	q.Launch(&gammaDraws, device.Line(device.Blocks(n, 128, 16*q.Processors())), device.Line(128), 0, uint64(out), uint64(alpha), uint64(stream),
		uint64(p.Params), uint64(p.Samples))
}

// Classes describes Samples draws from each of Rows distributions over N classes.
type Classes struct{ Rows, N, Samples int }

// Multinomial32 draws classes and stores them in out[Rows, Samples], as int32 numbers. The float32
// numbers logits[Rows, N] are the unnormalised log probabilities of the classes. Classes with infinite
// or NaN logits are never drawn. If a row has no finite logit, the result is N. The array sum is
// scratch memory for Rows·N float64 numbers.
func Multinomial32(q *device.Queue, out, logits, sum, stream device.Ptr, p Classes) {
	multinomial(q, out, logits, sum, stream, p, 4)
}

// Multinomial64 is Multinomial32 with int64 results.
func Multinomial64(q *device.Queue, out, logits, sum, stream device.Ptr, p Classes) {
	multinomial(q, out, logits, sum, stream, p, 8)
}

func multinomial(q *device.Queue, out, logits, sum, stream device.Ptr, p Classes, size int) {
	n := p.Rows * p.Samples
	if n == 0 || p.N == 0 {
		return
	}
	q.Launch(&sums, device.Line(p.Rows), device.Line(256), 0, uint64(sum), uint64(logits), uint64(p.N))
	q.Launch(&classes, device.Line(device.Blocks(n, 128, 16*q.Processors())), device.Line(128), 0, uint64(out), uint64(sum), uint64(stream),
		uint64(p.Rows), uint64(p.N), uint64(p.Samples), uint64(size))
}
