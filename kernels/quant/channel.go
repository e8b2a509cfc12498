package quant

import "math"

// ChannelParams describes rows of C channels. Each channel has its own range [lo, hi]. Only the end
// that is farther from zero is used, as if the range were symmetric around zero.
type ChannelParams struct {
	C    int
	Clip float32 // upper limit of the range that RangePerChannel writes
}

// reach returns the largest float that the i32 numbers of a channel represent.
func reach(lo, hi []float32, c int) float32 { return max(abs(lo[c]), abs(hi[c])) }

// RangePerChannel determines the range of the floats that are represented by the int32 numbers in src,
// and stores this range in outLo and outHi. The range is symmetric around zero, or it begins at zero
// if no number is negative. Both ends are at most p.Clip away from zero.
func RangePerChannel(outLo, outHi []float32, src []int32, lo, hi []float32, p ChannelParams) {
	most, negative := float32(0), false
	for c := range p.C {
		low, high := int32(math.MaxInt32), int32(math.MinInt32)
		for i := c; i < len(src); i += p.C {
			low, high = min(low, src[i]), max(high, src[i])
		}
		if low > high {
			continue
		}
		step := reach(lo, hi, c) / (1 << 31)
		most = max(most, abs(float32(low)*step), abs(float32(high)*step))
		negative = negative || low < 0
	}
	most = min(most, p.Clip)
	outLo[0], outHi[0] = 0, most
	if negative {
		outLo[0] = -most
	}
}

// RequantizePerChannelU8 converts rows of int32 numbers to bytes over the range [wantLo, wantHi],
// and rounds halves to even. Only the end of this range that is farther from zero determines the
// scale. The range is copied to outLo and outHi.
func RequantizePerChannelU8(dst []uint8, outLo, outHi []float32, src []int32, lo, hi, wantLo, wantHi []float32, p ChannelParams) {
	perChannel(dst, src, lo, hi, reach(wantLo, wantHi, 0), &p)
	outLo[0], outHi[0] = wantLo[0], wantHi[0]
}

// RequantizePerChannelI8 is RequantizePerChannelU8 for signed bytes.
func RequantizePerChannelI8(dst []int8, outLo, outHi []float32, src []int32, lo, hi, wantLo, wantHi []float32, p ChannelParams) {
	perChannel(dst, src, lo, hi, reach(wantLo, wantHi, 0), &p)
	outLo[0], outHi[0] = wantLo[0], wantHi[0]
}

func perChannel[T int8 | uint8](dst []T, src []int32, lo, hi []float32, want float32, p *ChannelParams) {
	low, high, _ := limits[T]()
	for c := range p.C {
		scale := float32(high) * reach(lo, hi, c) / want / (1 << 31)
		for i := c; i < len(src); i += p.C {
			v := math.RoundToEven(float64(float32(src[i]) * scale))
			if !(v > low) {
				v = low
			}
			dst[i] = T(min(v, high))
		}
	}
}
