package reduce

import "github.com/graphc/graphc/rt/tensor"

// Axis describes a tensor around one axis: Outer times N times Inner elements.
type Axis struct{ Outer, N, Inner int }

// strip is the number of columns searched at a time.
const strip = 128

// argMax sets dst[o,i] to the first position along the axis of the largest element. It ignores NaN,
// and elements that are not greater than start. If no element remains, the position is 0. Thus, if
// start is the lowest finite number, a row of -Inf gives 0, as in TensorFlow. dst has Outer·Inner
// elements. N is at least 1.
func argMax[T ordered](dst []int64, src []T, p Axis, start T) {
	if p.Inner == 1 {
		for o := range p.Outer {
			best, at := start, 0
			for k, v := range src[o*p.N:][:p.N] {
				if v > best {
					best, at = v, k
				}
			}
			dst[o] = int64(at)
		}
		return
	}
	var best [strip]T
	for o := range p.Outer {
		s := src[o*p.N*p.Inner:][:p.N*p.Inner]
		for c := 0; c < p.Inner; c += strip {
			to := dst[o*p.Inner+c:][:min(strip, p.Inner-c)]
			b := best[:len(to)]
			clear(to)
			for i := range b {
				b[i] = start
			}
			for k := range p.N {
				row := s[k*p.Inner+c:][:len(b)]
				for i, v := range row {
					if v > b[i] {
						b[i], to[i] = v, int64(k)
					}
				}
			}
		}
	}
}

// argMin is like argMax, but it finds the smallest element and ignores elements that are not less
// than start.
func argMin[T ordered](dst []int64, src []T, p Axis, start T) {
	if p.Inner == 1 {
		for o := range p.Outer {
			best, at := start, 0
			for k, v := range src[o*p.N:][:p.N] {
				if v < best {
					best, at = v, k
				}
			}
			dst[o] = int64(at)
		}
		return
	}
	var best [strip]T
	for o := range p.Outer {
		s := src[o*p.N*p.Inner:][:p.N*p.Inner]
		for c := 0; c < p.Inner; c += strip {
			to := dst[o*p.Inner+c:][:min(strip, p.Inner-c)]
			b := best[:len(to)]
			clear(to)
			for i := range b {
				b[i] = start
			}
			for k := range p.N {
				row := s[k*p.Inner+c:][:len(b)]
				for i, v := range row {
					if v < b[i] {
						b[i], to[i] = v, int64(k)
					}
				}
			}
		}
	}
}

// ordF16 maps a number to an integer, such that the order of the integers is the order of the
// numbers. For a NaN, it returns the parameter nan. Callers that search for the best element set this
// parameter to the integer of the best element so far. Thus a NaN is never better than this element.
func ordF16(x tensor.F16, nan int32) int32 {
	if x&0x7fff > 0x7c00 {
		return nan
	}
	if x&0x8000 != 0 {
		return -int32(x & 0x7fff)
	}
	return int32(x)
}

func ordBF16(x tensor.BF16, nan int32) int32 {
	if x&0x7fff > 0x7f80 {
		return nan
	}
	if x&0x8000 != 0 {
		return -int32(x & 0x7fff)
	}
	return int32(x)
}

// ArgMaxF16 sets each element of dst to the first position of the largest element along the axis.
// NaN is ignored.
func ArgMaxF16(dst []int64, src []tensor.F16, p Axis) {
	for o := range p.Outer {
		s := src[o*p.N*p.Inner:][:p.N*p.Inner]
		for i := range p.Inner {
			best, at := int32(-0x7bff), 0
			for k, j := 0, i; k < p.N; k, j = k+1, j+p.Inner {
				if v := ordF16(s[j], best); v > best {
					best, at = v, k
				}
			}
			dst[o*p.Inner+i] = int64(at)
		}
	}
}

// ArgMaxBF16 is ArgMaxF16 for bfloat16.
func ArgMaxBF16(dst []int64, src []tensor.BF16, p Axis) {
	for o := range p.Outer {
		s := src[o*p.N*p.Inner:][:p.N*p.Inner]
		for i := range p.Inner {
			best, at := int32(-0x7f7f), 0
			for k, j := 0, i; k < p.N; k, j = k+1, j+p.Inner {
				if v := ordBF16(s[j], best); v > best {
					best, at = v, k
				}
			}
			dst[o*p.Inner+i] = int64(at)
		}
	}
}

// ArgMinF16 sets each element of dst to the first position of the smallest element along the axis.
// NaN is ignored.
func ArgMinF16(dst []int64, src []tensor.F16, p Axis) {
	for o := range p.Outer {
		s := src[o*p.N*p.Inner:][:p.N*p.Inner]
		for i := range p.Inner {
			best, at := int32(0x7bff), 0
			for k, j := 0, i; k < p.N; k, j = k+1, j+p.Inner {
				if v := ordF16(s[j], best); v < best {
					best, at = v, k
				}
			}
			dst[o*p.Inner+i] = int64(at)
		}
	}
}

// ArgMinBF16 is ArgMinF16 for bfloat16.
func ArgMinBF16(dst []int64, src []tensor.BF16, p Axis) {
	for o := range p.Outer {
		s := src[o*p.N*p.Inner:][:p.N*p.Inner]
		for i := range p.Inner {
			best, at := int32(0x7f7f), 0
			for k, j := 0, i; k < p.N; k, j = k+1, j+p.Inner {
				if v := ordBF16(s[j], best); v < best {
					best, at = v, k
				}
			}
			dst[o*p.Inner+i] = int64(at)
		}
	}
}

// ArgMaxBool sets each element of dst to the position of the first true element along the axis, or
// to 0 if no element is true.
func ArgMaxBool(dst []int64, src []bool, p Axis) { argBool(dst, src, p, true) }

// ArgMinBool sets each element of dst to the position of the first false element along the axis, or
// to 0 if no element is false.
func ArgMinBool(dst []int64, src []bool, p Axis) { argBool(dst, src, p, false) }

func argBool(dst []int64, src []bool, p Axis, want bool) {
	for o := range p.Outer {
		for i := range p.Inner {
			at := 0
			for k := range p.N {
				if src[(o*p.N+k)*p.Inner+i] == want {
					at = k
					break
				}
			}
			dst[o*p.Inner+i] = int64(at)
		}
	}
}
