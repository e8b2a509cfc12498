//go:build amd64 && !noasm

package narrow

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/cpu"
)

//go:generate go run -C ../../_gen ./narrow -pkg narrow -out ../internal/narrow/rows_amd64.s -stubs ../internal/narrow/rows_amd64.go -calls ../internal/narrow/calls_amd64.go

// args are the arguments of a micro-kernel. Steps are in bytes. The generator of the assembly
// hard-codes the fields' offsets.
type args struct {
	a, b, c, bias, res, scale unsafe.Pointer
	lda, ldc, ldr, panel, k   int
	mask                      uint64 // AVX-512: a bit for each column of the tile's last panel
	lo, hi                    float32
}

// bytes holds the size in bytes of an element of each kind.
var bytes = [...]int{2, 2, 1}

// runSIMD splits the block into panels. Run has checked all addresses.
func runSIMD(c, a []float32, w *Panels, bias, res []float32, p *Block) {
	kind, data, _ := w.open()
	wide := cpu.UseAVX512()
	size := bytes[kind] * panel.Width
	g := args{a: unsafe.Pointer(&a[0]), lda: p.Lda * 4, ldc: p.Ldc * 4, ldr: p.Ldr * 4, panel: p.Depth * size, k: p.K, lo: p.Lo, hi: p.Hi}
	panels := (p.N + panel.Width - 1) / panel.Width
	for j := 0; j < panels; {
		np, most := shape(p.M, panels-j, wide)
		left := min(p.N-(j+np-1)*panel.Width, panel.Width)
		g.mask = 1<<left - 1
		g.b = unsafe.Add(data, (j*p.Depth+p.First)*size)
		if kind == i8 {
			g.scale = unsafe.Pointer(&w.Scale[j*panel.Width])
		}
		n := j * panel.Width
		if !wide && left < panel.Width {
			g.tail(c[n:], panel.From(bias, n), panel.From(res, n), kind, left, p)
			return
		}
		if len(bias) != 0 {
			g.bias = unsafe.Pointer(&bias[n])
		}
		// Spread the rows evenly among the tiles, so that no tile has far fewer rows than the
		// others.
		most = (p.M + (p.M+most-1)/most - 1) / ((p.M + most - 1) / most)
		for m := 0; m < p.M; m += most {
			mr := min(most, p.M-m)
			g.a, g.c = unsafe.Pointer(&a[m*p.Lda]), unsafe.Pointer(&c[m*p.Ldc+n])
			if len(res) != 0 {
				g.res = unsafe.Pointer(&res[m*p.Ldr+n])
			}
			g.call(kind, wide, mr, np)
		}
		g.a = unsafe.Pointer(&a[0])
		j += np
	}
}

// tail computes the columns after the last whole panel, for all rows. left is the number of these
// columns.
func (g *args) tail(c, bias, res []float32, kind kind, left int, p *Block) {
	var sums, more, extra [panel.Width]float32
	if len(bias) != 0 {
		copy(more[:], bias[:left])
		g.bias = unsafe.Pointer(&more)
	}
	a := g.a
	for m := range p.M {
		g.a, g.c = unsafe.Add(a, m*p.Lda*4), unsafe.Pointer(&sums)
		if len(res) != 0 {
			copy(extra[:], res[m*p.Ldr:][:left])
			g.res = unsafe.Pointer(&extra)
		}
		g.call(kind, false, 1, 1)
		copy(c[m*p.Ldc:], sums[:left])
	}
}

// shape returns the number of panels in a tile, np, and its largest number of rows, most.
func shape(rows, panels int, wide bool) (np, most int) {
	switch {
	case !wide && rows == 1 && panels >= 5:
		return 4, 1
	case !wide:
		return 1, 4
	case rows == 1 && panels >= 8:
		return 8, 1
	case rows <= 6 && panels >= 4:
		return 4, 6
	case panels >= 2:
		return 2, 14
	}
	return 1, 14
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
			d, s := (*byte)(unsafe.Pointer(&dst[at])), (*byte)(unsafe.Add(data, at*bytes[kind]))
			rows := uintptr(min(chunk, depth-k))
			switch kind {
			case f16:
				expandF16(d, s, nil, rows)
			case bf16:
				expandBF16(d, s, nil, rows)
			default:
				expandI8(d, s, (*byte)(unsafe.Pointer(&w.Scale[j*panel.Width])), rows)
			}
		}
	}
}

func (g *args) call(kind kind, wide bool, mr, np int) {
	p := (*byte)(unsafe.Pointer(g))
	switch kind {
	case f16:
		callF16(p, wide, np*16+mr)
	case bf16:
		callBF16(p, wide, np*16+mr)
	default:
		callI8(p, wide, np*16+mr)
	}
}
