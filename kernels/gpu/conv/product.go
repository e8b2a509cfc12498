package conv

import "github.com/graphc/graphc/rt/device"

// product launches p.Groups products [rows, depth]·[depth, cols]. If there are too few tiles to
// occupy the device, each sum over depth is split into several parts, which are stored in the
// scratch memory. The size of this memory limits the number of parts.
func product(q *device.Queue, t kind, k *device.Kernel, out, left, right, scratch device.Ptr, p *Params, rows, cols, depth int) {
	const side, step = 64, 16
	tiles := (rows + side - 1) / side * ((cols + side - 1) / side)
	results := rows * cols * p.Groups
	if results == 0 {
		return
	}
	parts := 1
	if scratch != 0 {
		parts = max(1, min(2*q.Processors()/(tiles*p.Groups), depth/(8*step), Scratch/(t.wide*results)))
	}
	to := out
	if parts > 1 {
		to = scratch
	}
	args := append([]uint64{uint64(to), uint64(left), uint64(right), uint64(tiles), uint64(parts)}, p.args()...)
	q.Launch(k, device.Line(tiles*p.Groups*parts), device.Line(256), 0, args...)
	join(q, t.join, out, scratch, results, parts)
}

// join launches the kernel that adds up the parts of n results.
func join(q *device.Queue, k *device.Kernel, out, scratch device.Ptr, n, parts int) {
	if parts > 1 {
		q.Launch(k, device.Line(device.Blocks(n, 256, 16*q.Processors())), device.Line(256), 0, uint64(out), uint64(scratch), uint64(n), uint64(parts))
	}
}

func forward(q *device.Queue, t kind, out, in, filter, scratch device.Ptr, p Params) {
	p.fill()
	g := device.Gemm{DType: t.dtype, N: p.OC, K: p.taps() * p.C, LDA: p.taps() * p.C, LDB: p.OC, LDC: p.OC, B: filter, Batch: 1, Alpha: 1}
	if library(q, t, &g, in, scratch, &p, func(g *device.Gemm, rows device.Ptr, first, count int) {
		g.M, g.A, g.C = count, rows, out+device.Ptr(first*p.OC*t.size)
	}) {
		return
	}
	product(q, t, t.forward, out, in, filter, scratch, &p, p.positions(), p.OC/p.Groups, p.taps()*p.C/p.Groups)
}

func input(q *device.Queue, t kind, in, grad, filter, scratch device.Ptr, p Params) {
	p.fill()
	if p.pointwise() && p.places() > 0 && p.C > 0 && p.OC > 0 && p.Groups == 1 &&
		q.Gemm(device.Gemm{DType: t.dtype, TransB: true, M: p.places(), N: p.C, K: p.OC, Batch: 1, A: grad, B: filter, C: in, LDA: p.OC, LDB: p.OC, LDC: p.C, Alpha: 1}) {
		return
	}
	product(q, t, t.input, in, grad, filter, scratch, &p, p.places(), p.C/p.Groups, p.taps()*p.OC/p.Groups)
}

func filterGrad(q *device.Queue, t kind, filter, in, grad, scratch device.Ptr, p Params) {
	p.fill()
	rows := p.taps() * p.C
	g := device.Gemm{DType: t.dtype, TransA: true, M: rows, N: p.OC, LDA: rows, LDB: p.OC, LDC: p.OC, C: filter, Batch: 1, Alpha: 1}
	// In half precision, the library is used only if one product covers all windows. Otherwise the
	// sums of the first product would be rounded to half precision before those of the next product
	// are added.
	if (t.size == t.wide || p.chunk(t.size) >= p.positions()) && library(q, t, &g, in, scratch, &p, func(g *device.Gemm, rows device.Ptr, first, count int) {
		g.K, g.A, g.B = count, rows, grad+device.Ptr(first*p.OC*t.size)
		if first > 0 {
			g.Beta = 1
		}
	}) {
		return
	}
	product(q, t, t.filter, filter, in, grad, scratch, &p, rows/p.Groups, p.OC/p.Groups, p.positions())
}

// pointwise reports whether each output position reads only the input element at the same position.
func (p *Params) pointwise() bool {
	return p.taps() == 1 && p.SD == 1 && p.SH == 1 && p.SW == 1 && p.PD == 0 && p.PH == 0 && p.PW == 0 && p.OD == p.D && p.OH == p.H && p.OW == p.W
}

// chunk returns the number of windows that one product can cover. If windows must be copied, this
// is the number of windows that fit in the scratch memory. Otherwise it is the number of all
// windows.
func (p *Params) chunk(size int) int {
	if p.pointwise() {
		return p.positions()
	}
	return Scratch / max(1, size*p.taps()*p.C)
}

// library uses the device's matrix library to compute a product in which the rows of one operand
// are windows of the input. Each call of the matrix library covers as many windows as the scratch
// memory holds. Before each call, set(g, rows, first, count) completes g for the windows
// [first, first+count), which are stored at the address rows. library returns false if the matrix
// library does not accept g, if channels are grouped, if the scratch memory holds too few windows,
// or if there is nothing to multiply.
func library(q *device.Queue, t kind, g *device.Gemm, in, scratch device.Ptr, p *Params, set func(g *device.Gemm, rows device.Ptr, first, count int)) bool {
	n, chunk := p.positions(), p.chunk(t.size)
	if p.Groups != 1 || n == 0 || p.C == 0 || p.OC == 0 || p.taps() == 0 || chunk < min(n, 256) || scratch == 0 && !p.pointwise() {
		return false
	}
	chunk = min(chunk, n)
	if set(g, scratch, 0, chunk); !q.Multiplies(g) {
		return false
	}
	for first := 0; first < n; first += chunk {
		count := min(chunk, n-first)
		rows := in + device.Ptr(first*p.C*t.size)
		if !p.pointwise() {
			rows = scratch
			columns(q, scratch, in, first, count, t.size, *p)
		}
		set(g, rows, first, count)
		if !q.Gemm(*g) {
			return false // this can only be the first product, since the device accepts either all of these products or none
		}
	}
	return true
}

// columns copies the windows [first, first+count) of the input to the rows of dst. The copy moves
// units of up to 16 bytes. The size of a pixel in bytes and both addresses must be multiples of the
// unit.
func columns(q *device.Queue, dst, in device.Ptr, first, count, size int, p Params) {
	for size < 16 && p.C%2 == 0 && (dst|in)%device.Ptr(2*size) == 0 {
		size, p.C = 2*size, p.C/2
	}
	var k *device.Kernel
	switch size {
	case 1:
		k = &columnsB1
	case 2:
		k = &columnsB2
	case 4:
		k = &columnsB4
	case 8:
		k = &columnsB8
	default:
		k = &columnsB16
	}
	args := []uint64{uint64(dst), uint64(in), uint64(first), uint64(count)}
	for _, v := range [...]int{p.D, p.H, p.W, p.C, p.KD, p.KH, p.KW, p.OD, p.OH, p.OW, p.SD, p.SH, p.SW, p.PD, p.PH, p.PW, p.DilD, p.DilH, p.DilW} {
		args = append(args, uint64(v))
	}
	q.Launch(k, device.Line(device.Blocks(count*p.taps()*p.C, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func patches(q *device.Queue, dst, in device.Ptr, size int, p Params) {
	p.fill()
	if p.C > 0 {
		columns(q, dst, in, 0, p.positions(), size, p)
	}
}
