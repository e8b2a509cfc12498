//go:build amd64 && !noasm

package panel

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// chunkF64 is the largest number of columns that one call of assembly processes. Eight rows of b of
// this length stay in the first-level cache while all rows of a are multiplied by them.
const chunkF64 = 256

func at64(s []float64, i int) *byte { return (*byte)(unsafe.Pointer(&s[i])) }

func mulF64SIMD(c []float64, ldc int, a []float64, am, ak int, b []float64, ldb, rows, k, n int) int {
	if !cpu.UseAVX2() {
		return 0
	}
	wide := cpu.UseAVX512()
	if !wide {
		n &^= 3
	}
	for m := range rows {
		clear(c[m*ldc : m*ldc+n])
	}
	as, lb := uintptr(ak*8), uintptr(ldb*8)
	for j := 0; j < n; j += chunkF64 {
		w := min(chunkF64, n-j)
		mask := uintptr(1)<<(w%8) - 1
		for i := 0; i < k; {
			step := 1
			if k-i >= 8 {
				step = 8
			}
			bp := at64(b, i*ldb+j)
			for m := range rows {
				cp, ap := at64(c, m*ldc+j), at64(a, m*am+i*ak)
				switch {
				case wide && step == 8:
					mulRow512f64x8(cp, ap, as, bp, lb, uintptr(w/8), mask)
				case wide:
					mulRow512f64x1(cp, ap, as, bp, lb, uintptr(w/8), mask)
				case step == 8:
					mulRow256f64x8(cp, ap, as, bp, lb, uintptr(w/4), 0)
				default:
					mulRow256f64x1(cp, ap, as, bp, lb, uintptr(w/4), 0)
				}
			}
			i += step
		}
	}
	return n
}

func dotsF64SIMD(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, k, n int) int {
	if !cpu.UseAVX2() {
		return 0
	}
	wide := cpu.UseAVX512()
	n &^= 3
	var part [4]float64
	for m := range rows {
		clear(c[m*ldc : m*ldc+n])
	}
	for j := 0; j < n; j += 4 {
		for i := 0; i < k; i += chunk {
			w := min(chunk, k-i)
			for m := range rows {
				ap, bp := at64(a, m*lda+i), at64(b, j*ldb+i)
				if wide {
					dots512f64((*byte)(unsafe.Pointer(&part)), ap, bp, uintptr(ldb*8), uintptr(w/8), uintptr(1)<<(w%8)-1, 1)
				} else {
					dots256f64((*byte)(unsafe.Pointer(&part)), ap, bp, uintptr(ldb*8), uintptr(w/4), 0, 1)
					for x := w &^ 3; x < w; x++ {
						for r := range part {
							part[r] += float64(a[m*lda+i+x] * b[(j+r)*ldb+i+x])
						}
					}
				}
				for r, v := range part {
					c[m*ldc+j+r] += v
				}
			}
		}
	}
	return n
}
