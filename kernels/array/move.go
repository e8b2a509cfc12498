// Package array holds the kernels that move, repeat and reorder elements without
// computing with them, such as copies between strided boxes and padding.
package array

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/kernels/internal/vmath"
	"github.com/graphc/graphc/rt/cpu"
)

// MaxRank is the largest number of axes that a kernel of this package accepts.
const MaxRank = 16

// axis is a loop of n steps, with the strides of dst and src in elements.
type axis struct{ n, dst, src int }

// collapse writes the loops of a box to ax, outermost first, and returns their number, or -1 for an
// empty box. It drops axes of one step, and joins an axis with its inner neighbour if one loop can
// do the steps of both.
func collapse(ax *[MaxRank]axis, dims, dst, src []int) int {
	n := 0
	for k, d := range dims {
		if d <= 0 {
			return -1
		}
		if d == 1 {
			continue
		}
		a := axis{d, dst[k], src[k]}
		if n > 0 && ax[n-1].dst == d*a.dst && ax[n-1].src == d*a.src {
			a.n *= ax[n-1].n
			n--
		}
		ax[n] = a
		n++
	}
	return n
}

func move[T any](dst, src []T, dims, dstStrides []int, dstOff int, srcStrides []int, srcOff int) {
	var ax [MaxRank]axis
	n := collapse(&ax, dims, dstStrides, srcStrides)
	switch n {
	case -1:
		return
	case 0:
		dst[dstOff] = src[srcOff]
		return
	}
	// If the last axis is contiguous in dst and another axis is contiguous in src, the two axes are
	// a transposition, which moveAxes does in blocks. The other axis therefore becomes the second
	// to last. The order of the loops does not affect the result.
	if last := n - 1; ax[last].dst == 1 && ax[last].src != 1 {
		for k := last - 1; k >= 0; k-- {
			if ax[k].src == 1 {
				a := ax[k]
				copy(ax[k:last-1], ax[k+1:last])
				ax[last-1] = a
				break
			}
		}
	}
	moveAxes(dst, src, ax[:n], dstOff, srcOff)
}

// short is the length of the longest run that a loop copies faster than the built-in copy does.
const short = 8

func moveAxes[T any](dst, src []T, ax []axis, d, s int) {
	switch len(ax) {
	case 1:
		moveRow(dst, src, ax[0], d, s)
	case 2:
		a, b := ax[0], ax[1]
		switch {
		case b.dst == 1 && b.src == 1 && copyRows(dst, src, a, b.n, d, s):
		case b.dst == 1 && b.src == 1 && b.n <= short:
			for range a.n {
				from := src[s : s+b.n]
				to := dst[d:][:len(from)]
				for i, v := range from {
					to[i] = v
				}
				d += a.dst
				s += a.src
			}
		case b.dst == 1 && b.src == 1:
			for range a.n {
				copy(dst[d:d+b.n], src[s:s+b.n])
				d += a.dst
				s += a.src
			}
		case b.dst == 1 && a.src == 1:
			transpose(dst, src, a.n, a.dst, b.n, b.src, d, s)
		default:
			for range a.n {
				moveRow(dst, src, b, d, s)
				d += a.dst
				s += a.src
			}
		}
	default:
		a := ax[0]
		for range a.n {
			moveAxes(dst, src, ax[1:], d, s)
			d += a.dst
			s += a.src
		}
	}
}

// Package vmath copies rows of at least leastRow bytes faster than a loop does, and rows of at most
// mostRow bytes faster than the built-in copy does.
const leastRow, mostRow = 32, 2048

// copyRows copies a.n rows of n contiguous elements if package vmath can, and reports whether it
// did.
func copyRows[T any](dst, src []T, a axis, n, d, s int) bool {
	size := int(unsafe.Sizeof(dst[0]))
	// In this package, elements of up to 8 bytes contain no pointers.
	if size > 8 || n*size%4 != 0 || a.dst*size%4 != 0 || a.src*size%4 != 0 || n*size < leastRow || n*size > mostRow {
		return false
	}
	_, _ = dst[d:d+n], src[s:s+n]
	last, from := d+(a.n-1)*a.dst, s+(a.n-1)*a.src
	_, _ = dst[last:last+n], src[from:from+n]
	return vmath.CopyRows((*float32)(unsafe.Pointer(&dst[d])), (*float32)(unsafe.Pointer(&src[s])), n*size/4, a.n, a.dst*size/4, a.src*size/4)
}

func moveRow[T any](dst, src []T, a axis, d, s int) {
	switch {
	case a.dst == 1 && a.src == 1:
		copy(dst[d:d+a.n], src[s:s+a.n])
	case a.dst == 1 && a.src == 0:
		row, v := dst[d:d+a.n], src[s]
		for i := range row {
			row[i] = v
		}
	case a.dst == 1 && a.src == -1:
		row := dst[d : d+a.n]
		from := src[s-a.n+1 : s+1]
		for i := range row {
			row[i] = from[len(from)-1-i]
		}
	case a.dst == 1:
		row := dst[d : d+a.n]
		for i := range row {
			row[i] = src[s]
			s += a.src
		}
	default:
		for range a.n {
			dst[d] = src[s]
			d += a.dst
			s += a.src
		}
	}
}

// block is the side of the square that a transposition keeps in the first-level cache.
const block = 16

// strip is how many rows of dst a transposition of words writes at a time.
const strip = 16

// transpose copies dst[d + i·ld + j] = src[s + i + j·ls] for i < rows, j < cols.
func transpose[T any](dst, src []T, rows, ld, cols, ls, d, s int) {
	if unsafe.Sizeof(dst[0]) == 4 && rows >= 8 && cols >= 8 && ld >= 0 && ls >= 0 && (cpu.UseAVX2() || cpu.UseNEON()) {
		// In this package, words of 4 bytes contain no pointers. Package panel moves them
		// unchanged.
		to := unsafe.Slice((*float32)(unsafe.Pointer(&dst[d])), len(dst)-d)
		from := unsafe.Slice((*float32)(unsafe.Pointer(&src[s])), len(src)-s)
		for i := 0; i < rows; i += strip {
			panel.Transpose(to[i*ld:], ld, from[i:], ls, cols, min(strip, rows-i))
		}
		return
	}
	for j0 := 0; j0 < cols; j0 += block {
		nj := min(block, cols-j0)
		for i0 := 0; i0 < rows; i0 += block {
			ni := min(block, rows-i0)
			at := s + i0 + j0*ls
			to := d + i0*ld + j0
			i := 0
			for ; i+4 <= ni; i += 4 {
				r0 := dst[to : to+nj]
				r1 := dst[to+ld:][:len(r0)]
				r2 := dst[to+2*ld:][:len(r0)]
				r3 := dst[to+3*ld:][:len(r0)]
				p := at + i
				for j := range r0 {
					q := src[p : p+4 : p+4]
					r0[j], r1[j], r2[j], r3[j] = q[0], q[1], q[2], q[3]
					p += ls
				}
				to += 4 * ld
			}
			for ; i < ni; i++ {
				row := dst[to : to+nj]
				p := at + i
				for j := range row {
					row[j] = src[p]
					p += ls
				}
				to += ld
			}
		}
	}
}
