package gather

import "github.com/graphc/graphc/rt/device"

// ScatterParams describes N slices of Inner elements, written to a tensor whose first Depth
// dimensions, at most 7, are D0, D1, … The indices of the slices are [N, Depth], and updates is [N,
// Inner]. With Scalar, updates is a single element, which is used for all elements of all slices.
type ScatterParams struct {
	N, Inner, Depth            int
	D0, D1, D2, D3, D4, D5, D6 int
	Scalar                     bool
}

// The operations of the kernels.
const (
	opAdd = iota
	opSub
	opMul
	opDiv
	opMin
	opMax
)

func scatter(q *device.Queue, k *device.Kernel, ref, updates, indices device.Ptr, p ScatterParams, op, index int) {
	step := uint64(1)
	if p.Scalar {
		step = 0
	}
	each(q, k, p.N*p.Inner, uint64(ref), uint64(updates), uint64(indices), uint64(p.N), uint64(p.Inner), step, uint64(op), uint64(index), uint64(p.Depth),
		uint64(p.D0), uint64(p.D1), uint64(p.D2), uint64(p.D3), uint64(p.D4), uint64(p.D5), uint64(p.D6))
}

// set writes slices in units of up to 16 bytes, as wide as the size of a slice and the alignment of
// the addresses allow.
func set(q *device.Queue, ref, updates, indices device.Ptr, p ScatterParams, size, index int) {
	if !p.Scalar {
		size, p.Inner = widen(size, p.Inner, ref|updates)
	}
	var k *device.Kernel
	switch size {
	case 1:
		k = &scatterSetB1
	case 2:
		k = &scatterSetB2
	case 4:
		k = &scatterSetB4
	case 8:
		k = &scatterSetB8
	default:
		k = &scatterSetB16
	}
	scatter(q, k, ref, updates, indices, p, 0, index)
}

// complex is like the function scatter, but it adds or subtracts complex numbers. The kernel k treats
// each complex number as two real numbers.
func complex(q *device.Queue, k *device.Kernel, ref, updates, indices device.Ptr, p ScatterParams, op, index int) {
	p.Inner *= 2
	scatter(q, k, ref, updates, indices, p, op, index)
}

func divide(q *device.Queue, k *device.Kernel, sums, counts device.Ptr, rows, inner int, root bool) {
	r := uint64(0)
	if root {
		r = 1
	}
	each(q, k, rows*inner, uint64(sums), uint64(counts), uint64(rows), uint64(inner), r)
}
