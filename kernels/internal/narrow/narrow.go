// Package narrow multiplies f32 rows with packed columns that are stored as half floats or
// bytes and widened when they are used.
//
// The layout is package panel's, [ceil(N/16)][K][16]. Bytes have a scale for each column:
// a weight is the byte times its column's scale, rounded to f32.
package narrow

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

// Panels are packed weights. One of the slices F16, BF16 and I8 holds them.
type Panels struct {
	F16   []tensor.F16
	BF16  []tensor.BF16
	I8    []int8
	Scale []float32 // for I8: a scale for each column, including the padding of the last panel
}

// kind is the element type of packed weights.
type kind int

const (
	f16 kind = iota
	bf16
	i8
)

// open returns the element type of the weights, the address of the first weight, and the number of
// weights.
func (w *Panels) open() (k kind, data unsafe.Pointer, n int) {
	switch {
	case len(w.F16) > 0:
		return f16, unsafe.Pointer(&w.F16[0]), len(w.F16)
	case len(w.BF16) > 0:
		return bf16, unsafe.Pointer(&w.BF16[0]), len(w.BF16)
	case len(w.I8) > 0:
		return i8, unsafe.Pointer(&w.I8[0]), len(w.I8)
	}
	return f16, nil, 0
}

// From returns the panels of w from panel j on. A panel has depth rows.
func (w Panels) From(j, depth int) Panels {
	at := j * depth * panel.Width
	switch {
	case len(w.F16) > 0:
		w.F16 = w.F16[at:]
	case len(w.BF16) > 0:
		w.BF16 = w.BF16[at:]
	default:
		w.I8, w.Scale = w.I8[at:], w.Scale[j*panel.Width:]
	}
	return w
}

// Expand converts the first n panels of w to floats and stores them in dst. A panel has depth
// rows of 16 elements, so dst has n*depth*16 elements.
func Expand(dst []float32, w Panels, n, depth int) {
	size := depth * panel.Width
	dst = dst[:n*size]
	if len(dst) == 0 {
		return
	}
	if cpu.UseAVX2() || cpu.UseNEON() {
		expandSIMD(dst, &w, n, depth)
		return
	}
	switch {
	case len(w.F16) > 0:
		for i, v := range w.F16[:len(dst)] {
			dst[i] = v.Float32()
		}
	case len(w.BF16) > 0:
		for i, v := range w.BF16[:len(dst)] {
			dst[i] = v.Float32()
		}
	default:
		for i, v := range w.I8[:len(dst)] {
			dst[i] = float32(v) * w.Scale[i/size*panel.Width+i%panel.Width]
		}
	}
}

// MaxRows is the largest number of rows that Run accepts.
const MaxRows = 28

// Block is a product of a few rows with narrow columns; see panel.Block.
type Block struct {
	M, N, K       int
	Lda, Ldc, Ldr int
	Depth         int // number of rows of a panel; the product uses the rows First to First+K-1
	First         int
	Lo, Hi        float32
}

func (p *Block) check(c, a []float32, n int, w *Panels, bias, res []float32) {
	panels := (p.N + panel.Width - 1) / panel.Width
	switch {
	case p.M > MaxRows || p.K <= 0 || p.First < 0 || p.First+p.K > p.Depth || p.Lda < 0 || p.Ldc < p.N && p.M > 1:
		panic("narrow: bad block")
	case len(a) < (p.M-1)*p.Lda+p.K:
		panic("narrow: left operand too short")
	case n < panels*p.Depth*panel.Width || len(w.I8) > 0 && len(w.Scale) < panels*panel.Width:
		panic("narrow: packed operand too short")
	case len(c) < (p.M-1)*p.Ldc+p.N:
		panic("narrow: result too short")
	case len(bias) != 0 && len(bias) < p.N:
		panic("narrow: bias too short")
	case len(res) != 0 && (p.Ldr < 0 || len(res) < (p.M-1)*p.Ldr+p.N):
		panic("narrow: residual too short")
	}
}

// Run computes clamp(A·W + bias + res, Lo, Hi) for at most MaxRows rows. If the machine has no kernel
// for this, Run does nothing and returns false. The results equal those of panel.Run with widened
// panels, bit for bit.
func Run(c, a []float32, w Panels, bias, res []float32, p Block) bool {
	if !cpu.UseAVX2() && !cpu.UseNEON() {
		return false
	}
	if p.M <= 0 || p.N <= 0 {
		return true
	}
	_, _, n := w.open()
	p.check(c, a, n, &w, bias, res)
	runSIMD(c, a, &w, bias, res, &p)
	return true
}
