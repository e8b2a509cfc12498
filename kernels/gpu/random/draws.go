package random

import "github.com/graphc/graphc/rt/device"

// Draws describes Samples draws for each of Params parameters: result s*Params+p is draw s of
// parameter p. Each draw p*Samples+s has a separate part of the stream.
type Draws struct{ Params, Samples int }

// Gamma sets out, float64, to draws from gamma distributions of the shape alpha[p], float64, and
// the scale 1, by Marsaglia and Tsang ("A simple method for generating gamma variables", 2000): the
// result is NaN for a shape that is NaN or at most -2/3.
func Gamma(q *device.Queue, out, alpha, stream device.Ptr, p Draws) {
	n := p.Params * p.Samples
	q.Launch(&gammaDraws, device.Line(device.Blocks(n, 128, 16*q.Processors())), device.Line(128), 0, uint64(out), uint64(alpha), uint64(stream),
		uint64(p.Params), uint64(p.Samples))
}

// Classes describes Samples draws from each of Rows distributions over N classes.
type Classes struct{ Rows, N, Samples int }

// Multinomial32 sets out[Rows, Samples], of int32, to classes drawn by logits[Rows, N], of
// float32, unnormalised log probabilities. Logits that are not finite are never drawn; if a row
// has no others, N is drawn. sum is scratch of Rows·N float64.
func Multinomial32(q *device.Queue, out, logits, sum, stream device.Ptr, p Classes) {
	multinomial(q, out, logits, sum, stream, p, 4)
}

// Multinomial64 is Multinomial32 for an out of int64.
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
