//go:build arm64 && !noasm

package panel

import (
	"unsafe"

	"github.com/graphc/graphc/rt/cpu"
)

// chunkF64 is the largest number of columns that one call of assembly processes. Eight rows of b of
// this length stay in the first-level cache while all rows of a are multiplied by them.
const chunkF64 = 256

const double = 8 // bytes

func at64(s []float64, i int) *byte { return (*byte)(unsafe.Pointer(&s[i])) }

func mulF64SIMD(c []float64, ldc int, a []float64, am, ak int, b []float64, ldb, rows, k, n int) int {
	if !cpu.UseNEON() {
		return 0
	}
	n &^= 1
	for m := range rows {
		clear(c[m*ldc : m*ldc+n])
	}
	as, lb := uintptr(ak*double), uintptr(ldb*double)
	for j := 0; j < n; j += chunkF64 {
		w := uintptr(min(chunkF64, n-j) / 2)
		i := 0
		for ; i+8 <= k; i += 8 {
			for m := range rows {
				mulRow8xF64(at64(c, m*ldc+j), at64(a, m*am+i*ak), as, at64(b, i*ldb+j), lb, w)
			}
		}
		for ; i < k; i++ {
			for m := range rows {
				mulRow1xF64(at64(c, m*ldc+j), at64(a, m*am+i*ak), as, at64(b, i*ldb+j), lb, w)
			}
		}
	}
	return n
}

func dotsF64SIMD(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, k, n int) int {
	if !cpu.UseNEON() {
		return 0
	}
	n &^= 3
	var part [4]float64
	for m := range rows {
		clear(c[m*ldc : m*ldc+n])
	}
	for j := 0; j < n; j += 4 {
		for i := 0; i < k; i += chunk {
			w := min(chunk, k-i)
			for m := range rows {
				dots4F64((*byte)(unsafe.Pointer(&part)), at64(a, m*lda+i), at64(b, j*ldb+i), uintptr(ldb*double), uintptr(w/2))
				if w&1 != 0 {
					for r := range part {
						part[r] += float64(a[m*lda+i+w-1] * b[(j+r)*ldb+i+w-1])
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
