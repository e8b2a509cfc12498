package reduce

import "github.com/graphc/graphc/rt/device"

// Scan says how a running sum goes along the axis of [Outer, N, Inner].
type Scan struct {
	Outer, N, Inner int
	Exclusive       bool // element i covers those before i, not i itself
	Reverse         bool // from the end
}

func scan(q *device.Queue, k *device.Kernel, dst, src device.Ptr, p Scan) {
	flag := func(on bool) uint64 {
		if on {
			return 1
		}
		return 0
	}
	if p.N == 0 {
		return
	}
	q.Launch(k, device.Line(p.Outer*p.Inner), device.Line(256), 0, uint64(dst), uint64(src), uint64(p.N), uint64(p.Inner), flag(p.Exclusive), flag(p.Reverse))
}

// CumsumF32 sets dst to running sums of src, in a fixed order; halves are rounded once, integers wrap
// around. dst may be src.
func CumsumF32(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumsumF32, dst, src, p)
}

// CumsumF64 is CumsumF32 for float64.
func CumsumF64(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumsumF64, dst, src, p)
}

// CumsumF16 is CumsumF32 for binary16.
func CumsumF16(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumsumF16, dst, src, p)
}

// CumsumBF16 is CumsumF32 for bfloat16.
func CumsumBF16(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumsumBF16, dst, src, p)
}

// CumsumU32 is CumsumF32 for 32-bit integers, signed or not.
func CumsumU32(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumsumU32, dst, src, p)
}

// CumsumU64 is CumsumF32 for 64-bit integers, signed or not.
func CumsumU64(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumsumU64, dst, src, p)
}

// CumprodF32 is CumsumF32 for products.
func CumprodF32(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumprodF32, dst, src, p)
}

// CumprodF64 is CumprodF32 for float64.
func CumprodF64(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumprodF64, dst, src, p)
}

// CumprodF16 is CumprodF32 for binary16.
func CumprodF16(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumprodF16, dst, src, p)
}

// CumprodBF16 is CumprodF32 for bfloat16.
func CumprodBF16(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumprodBF16, dst, src, p)
}

// CumprodU32 is CumprodF32 for 32-bit integers, signed or not.
func CumprodU32(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumprodU32, dst, src, p)
}

// CumprodU64 is CumprodF32 for 64-bit integers, signed or not.
func CumprodU64(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumprodU64, dst, src, p)
}

// CumulativeLogsumexpF32 sets dst to logarithms of running sums of e^x: log(e^a + e^b) of two is the
// larger and log(1 + e^-|a-b|). dst may be src.
func CumulativeLogsumexpF32(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumlogsumF32, dst, src, p)
}

// CumulativeLogsumexpF64 is CumulativeLogsumexpF32 for float64.
func CumulativeLogsumexpF64(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumlogsumF64, dst, src, p)
}

// CumulativeLogsumexpF16 is CumulativeLogsumexpF32 for binary16.
func CumulativeLogsumexpF16(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumlogsumF16, dst, src, p)
}

// CumulativeLogsumexpBF16 is CumulativeLogsumexpF32 for bfloat16.
func CumulativeLogsumexpBF16(q *device.Queue, dst, src device.Ptr, p Scan) {
	scan(q, &cumlogsumBF16, dst, src, p)
}
