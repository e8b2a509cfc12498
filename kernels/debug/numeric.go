// Package debug holds the kernels of ops that summarize a tensor's numbers, and of the op
// Timestamp.
package debug

import (
	"math"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Timestamp stores in dst[0] the seconds since the beginning of 1970 UTC, to the microsecond.
func Timestamp(dst []float64) { dst[0] = float64(time.Now().UnixMicro()) / 1e6 }

// NanCount stores in dst[0] how many values are NaN.
func NanCount(dst []int64, values []float64) {
	n := int64(0)
	for _, v := range values {
		if v != v {
			n++
		}
	}
	dst[0] = n
}

// counts holds how many values of each kind a tensor contains.
type counts struct {
	nan, negInf, negative, zero, positive, posInf int
	least, largest                                float64
}

// count counts values by kind. Values of at most lower count as -∞. Values of at least upper count as ∞.
func count(values []float64, lower, upper float64) counts {
	c := counts{least: math.Inf(1), largest: math.Inf(-1)}
	for _, v := range values {
		switch {
		case v != v:
			c.nan++
			continue
		case v <= lower:
			c.negInf++
		case v >= upper:
			c.posInf++
		case v < 0:
			c.negative++
		case v > 0:
			c.positive++
		default:
			c.zero++
		}
		if math.IsInf(v, 0) {
			continue
		}
		c.least, c.largest = min(c.least, v), max(c.largest, v)
	}
	return c
}

// Params are the attributes of DebugNumericSummary.
type Params struct {
	DType        tensor.DType
	Lower, Upper float64
}

// NumericSummary stores 14 numbers and then the dimensions in dst. The numbers are: 1; the counts
// of elements, NaN, -∞, negative numbers, zeros, positive numbers and ∞; the least and the largest
// finite number; the mean and the variance of the finite numbers; the element type's number; the
// rank.
func NumericSummary(dst, values []float64, dims []int, p Params) {
	c := count(values, p.Lower, p.Upper)
	mean, variance := math.NaN(), math.NaN()
	n, sum := 0, 0.0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			n++
			sum += v
		}
	}
	if n > 0 {
		mean = sum / float64(n)
		squares := 0.0
		for _, v := range values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				squares += float64((v - mean) * (v - mean))
			}
		}
		variance = squares / float64(n)
	}
	copy(dst, []float64{1, float64(len(values)), float64(c.nan), float64(c.negInf), float64(c.negative), float64(c.zero), float64(c.positive),
		float64(c.posInf), c.least, c.largest, mean, variance, float64(p.DType), float64(len(dims))})
	for k, d := range dims {
		dst[14+k] = float64(d)
	}
}

// The modes of DebugNumericSummaryV2, each with the numbers that HealthF64 stores.
const (
	CurtHealth    = 2 // identifier, and 1 if there are NaN or infinities, else 0
	ConciseHealth = 3 // identifier, and the counts of elements, -∞, ∞ and NaN
	FullHealth    = 4 // identifier, -1, type and rank, and the counts of elements, -∞, ∞, NaN, negative, 0, positive
	Shape         = 5 // identifier, type, rank, number of elements, and six dimensions
	ThreeSlots    = 8 // three numbers: -∞, ∞ and NaN, each replaced by 0 if it does not occur
)

// HealthLen returns how many numbers a mode stores, or 0 for an unknown mode.
func HealthLen(mode int) int {
	switch mode {
	case CurtHealth:
		return 2
	case ConciseHealth:
		return 5
	case FullHealth:
		return 11
	case Shape:
		return 10
	case ThreeSlots:
		return 3
	}
	return 0
}

// HealthParams are the attributes of DebugNumericSummaryV2.
type HealthParams struct {
	Mode, ID int
	DType    tensor.DType
}

// HealthF64 stores the summary of the values that the mode p.Mode requires.
func HealthF64(dst, values []float64, dims []int, p HealthParams) {
	for i, v := range health(values, dims, &p) {
		dst[i] = v
	}
}

// HealthF32 is HealthF64 for f32.
func HealthF32(dst []float32, values []float64, dims []int, p HealthParams) {
	for i, v := range health(values, dims, &p) {
		dst[i] = float32(v)
	}
}

func health(values []float64, dims []int, p *HealthParams) []float64 {
	id, size, typ, rank := float64(p.ID), float64(len(values)), float64(p.DType), float64(len(dims))
	if p.Mode == Shape {
		out := []float64{id, typ, rank, size, 0, 0, 0, 0, 0, 0}
		for k, d := range dims[max(0, len(dims)-6):] { // the last six dimensions
			out[4+k] = float64(d)
		}
		return out
	}
	c := count(values, math.Inf(-1), math.Inf(1))
	odd := float64(min(c.nan+c.negInf+c.posInf, 1))
	switch p.Mode {
	case CurtHealth:
		return []float64{id, odd}
	case ConciseHealth:
		return []float64{id, size, float64(c.negInf), float64(c.posInf), float64(c.nan)}
	case FullHealth:
		return []float64{id, -1, typ, rank, size, float64(c.negInf), float64(c.posInf), float64(c.nan), float64(c.negative), float64(c.zero), float64(c.positive)}
	}
	out := make([]float64, 3)
	if c.negInf > 0 {
		out[0] = math.Inf(-1)
	}
	if c.posInf > 0 {
		out[1] = math.Inf(1)
	}
	if c.nan > 0 {
		out[2] = math.NaN()
	}
	return out
}
