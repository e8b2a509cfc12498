//go:build arm64 && !noasm

package narrow

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel"
)

// args are the arguments of a micro-kernel. Steps are in bytes. The generator of the assembly
// hard-codes the fields' offsets.
type args struct {
	a, b, c, bias, res, scale unsafe.Pointer
	lda, ldc, ldr, panel, k   int
	lo, hi                    float32
}

// bytes holds the size in bytes of an element of each kind.
var bytes = [...]int{2, 2, 1}

// mostRows is the largest number of rows a tile has.
const mostRows = 4

// runSIMD splits the block into panels and rows. Run has checked all addresses.
func runSIMD(c, a []float32, w *Panels, bias, res []float32, p *Block) {
	kind, data, _ := w.open()
	size := bytes[kind] * panel.Width
	g := args{lda: p.Lda * 4, ldc: p.Ldc * 4, ldr: p.Ldr * 4, panel: p.Depth * size, k: p.K, lo: p.Lo, hi: p.Hi}
	for j, np := 0, 0; j < p.N; j += np * panel.Width {
		np = 1
		if p.M == 1 && p.N-j >= 2*panel.Width {
			np = 2
		}
		g.b = unsafe.Add(data, (j/panel.Width*p.Depth+p.First)*size)
		if kind == i8 {
			g.scale = unsafe.Pointer(&w.Scale[j])
		}
		if left := p.N - j; left < panel.Width {
			g.tail(c[j:], a, panel.From(bias, j), panel.From(res, j), kind, left, p)
			return
		}
		if len(bias) != 0 {
			g.bias = unsafe.Pointer(&bias[j])
		}
		// Spread the rows evenly among the tiles, so that no tile has far fewer rows than the
		// others.
		tiles := (p.M + mostRows - 1) / mostRows
		most := (p.M + tiles - 1) / tiles
		for m := 0; m < p.M; m += most {
			g.a, g.c = unsafe.Pointer(&a[m*p.Lda]), unsafe.Pointer(&c[m*p.Ldc+j])
			if len(res) != 0 {
				g.res = unsafe.Pointer(&res[m*p.Ldr+j])
			}
			call(kind, min(most, p.M-m), np, (*byte)(unsafe.Pointer(&g)))
		}
	}
}

// tail computes the columns after the last whole panel, for all rows. left is the number of these
// columns. The receiver is passed by value, so that the arrays to which its fields point stay on
// the stack.
func (g args) tail(c, a, bias, res []float32, kind kind, left int, p *Block) {
	var sums, more, extra [panel.Width]float32
	if len(bias) != 0 {
		copy(more[:], bias[:left])
		g.bias = unsafe.Pointer(&more)
	}
	for m := range p.M {
		g.a, g.c = unsafe.Pointer(&a[m*p.Lda]), unsafe.Pointer(&sums)
		if len(res) != 0 {
			copy(extra[:], res[m*p.Ldr:][:left])
			g.res = unsafe.Pointer(&extra)
		}
		call(kind, 1, 1, (*byte)(unsafe.Pointer(&g)))
		copy(c[m*p.Ldc:], sums[:left])
	}
}

// expandSIMD is Expand in assembly. It converts panel by panel, because each has separate
// scales.
func expandSIMD(dst []float32, w *Panels, n, depth int) {
	kind, data, have := w.open()
	size := depth * panel.Width
	if have < n*size || kind == i8 && len(w.Scale) < n*panel.Width {
		panic("narrow: packed operand too short")
	}
	const chunk = 1 << 10 // largest number of rows that one call converts
	for j := range n {
		for k := 0; k < depth; k += chunk {
			at := j*size + k*panel.Width
			s, rows := (*byte)(unsafe.Add(data, at*bytes[kind])), min(chunk, depth-k)
			switch kind {
			case f16:
				expandF16NEON(&dst[at], s, nil, rows)
			case bf16:
				expandBF16NEON(&dst[at], s, nil, rows)
			default:
				expandI8NEON(&dst[at], s, &w.Scale[j*panel.Width], rows)
			}
		}
	}
}

func call(kind kind, mr, np int, g *byte) {
	switch int(kind)*16 + np*8 - 8 + mr {
	case 1:
		rowsF16x1x1(g)
	case 2:
		rowsF16x2x1(g)
	case 3:
		rowsF16x3x1(g)
	case 4:
		rowsF16x4x1(g)
	case 8 + 1:
		rowsF16x1x2(g)
	case 16 + 1:
		rowsBF16x1x1(g)
	case 16 + 2:
		rowsBF16x2x1(g)
	case 16 + 3:
		rowsBF16x3x1(g)
	case 16 + 4:
		rowsBF16x4x1(g)
	case 16 + 8 + 1:
		rowsBF16x1x2(g)
	case 32 + 1:
		rowsI8x1x1(g)
	case 32 + 2:
		rowsI8x2x1(g)
	case 32 + 3:
		rowsI8x3x1(g)
	case 32 + 4:
		rowsI8x4x1(g)
	case 32 + 8 + 1:
		rowsI8x1x2(g)
	default:
		panic("narrow: no such tile")
	}
}
