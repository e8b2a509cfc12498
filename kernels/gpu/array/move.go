package array

import (
	"slices"

	"github.com/graphc/graphc/rt/device"
)

// dim is a dimension of a copy with its strides.
type dim struct{ n, d, s int }

// dims returns the dimensions of a copy, the one with the largest stride in dst first. Dimensions of
// size 1 are dropped. Neighbouring dimensions are merged if a single stride describes both in dst,
// and likewise in src. The bool is false for an empty copy.
func (p *Strided) dims() ([]dim, bool) {
	all := [...]dim{{p.N0, p.D0, p.S0}, {p.N1, p.D1, p.S1}, {p.N2, p.D2, p.S2}, {p.N3, p.D3, p.S3},
		{p.N4, p.D4, p.S4}, {p.N5, p.D5, p.S5}, {p.N6, p.D6, p.S6}, {p.N7, p.D7, p.S7}}
	var dims []dim
	for _, d := range all[:p.Rank] {
		if d.n == 0 {
			return nil, false
		}
		if d.n > 1 {
			dims = append(dims, d)
		}
	}
	slices.SortStableFunc(dims, func(a, b dim) int { return abs(b.d) - abs(a.d) })
	merged := dims[:0]
	for _, d := range dims {
		if i := len(merged) - 1; i >= 0 && merged[i].d == d.n*d.d && merged[i].s == d.n*d.s {
			d.n *= merged[i].n
			merged[i] = d
			continue
		}
		merged = append(merged, d)
	}
	return merged, true
}

func abs(x int) int { return max(x, -x) }

// least is the smallest size of two transposed dimensions at which the function turn is faster than
// the function strided.
const least = 8

func move(q *device.Queue, dst, src device.Ptr, p *Strided, size int) {
	dims, any := p.dims()
	if !any {
		return
	}
	dst, src = dst+device.Ptr(p.DstAt*size), src+device.Ptr(p.SrcAt*size)
	if n := len(dims) - 1; n < 0 || dims[n].d == 1 && dims[n].s == 1 {
		if n <= 0 {
			count := size
			if n == 0 {
				count *= dims[0].n
			}
			q.Move(dst, src, count)
			return
		}
		dims, size = widen(dims, dst, src, size)
	} else if turn(q, dst, src, dims, size) {
		return
	}
	strided(q, dst, src, dims, size)
}

// widen returns an equivalent copy with wider elements, each of which consists of several
// neighbouring elements. It doubles the element size up to 16 bytes, while the row length, all
// strides and both addresses are multiples of the doubled size. It returns the new dimensions and
// the new size in bytes.
func widen(dims []dim, dst, src device.Ptr, size int) ([]dim, int) {
	dims = slices.Clone(dims)
	last := len(dims) - 1
	for size < 16 && dims[last].n%2 == 0 && (dst|src)%device.Ptr(2*size) == 0 &&
		!slices.ContainsFunc(dims[:last], func(d dim) bool { return d.d%2 != 0 || d.s%2 != 0 }) {
		for i := range dims[:last] {
			dims[i].d /= 2
			dims[i].s /= 2
		}
		dims[last].n /= 2
		size *= 2
	}
	return dims, size
}

// turn performs a copy with the kernel that transposes square tiles. It requires that one dimension is
// contiguous in dst, that a different dimension is contiguous in src, and that there are at most
// five dimensions. Otherwise it launches nothing and returns false.
func turn(q *device.Queue, dst, src device.Ptr, dims []dim, size int) bool {
	a := slices.IndexFunc(dims, func(d dim) bool { return d.d == 1 && d.n >= least })
	b := slices.IndexFunc(dims, func(d dim) bool { return d.s == 1 && d.n >= least })
	if a < 0 || b < 0 || a == b || len(dims) > 5 {
		return false
	}
	rest := []dim{{n: 1}, {n: 1}, {n: 1}}
	count := 1
	for i, d := range dims {
		if i != a && i != b {
			rest = append(rest, d)
			count *= d.n
		}
	}
	x, y, z := rest[len(rest)-3], rest[len(rest)-2], rest[len(rest)-1]
	var k *device.Kernel
	switch size {
	case 1:
		k = &turnedB1
	case 2:
		k = &turnedB2
	case 4:
		k = &turnedB4
	case 8:
		k = &turnedB8
	default:
		k = &turnedB16
	}
	na, nb := dims[a].n, dims[b].n
	q.Launch(k, device.Line((na+31)/32*((nb+31)/32)*count), device.Dim{X: 32, Y: 8, Z: 1}, 0, uint64(dst), uint64(src), uint64(na), uint64(nb),
		uint64(dims[a].s), uint64(dims[b].d), uint64(y.n), uint64(z.n), uint64(x.d), uint64(y.d), uint64(z.d), uint64(x.s), uint64(y.s), uint64(z.s))
	return true
}

// strided launches a general kernel. The kernel divides an element's index once for each dimension.
// Therefore copies of at most three dimensions use a separate, quicker kernel.
func strided(q *device.Queue, dst, src device.Ptr, dims []dim, size int) {
	var three, eight *device.Kernel
	switch size {
	case 1:
		three, eight = &strided3B1, &strided8B1
	case 2:
		three, eight = &strided3B2, &strided8B2
	case 4:
		three, eight = &strided3B4, &strided8B4
	case 8:
		three, eight = &strided3B8, &strided8B8
	default:
		three, eight = &strided3B16, &strided8B16
	}
	k, rank := three, 3
	if len(dims) > 3 {
		k, rank = eight, 8
	}
	n := 1
	for _, d := range dims {
		n *= d.n
	}
	pad := slices.Repeat([]dim{{n: 1}}, rank-len(dims))
	dims = append(pad, dims...)
	args := []uint64{uint64(dst), uint64(src), uint64(n)}
	for _, d := range dims[1:] {
		args = append(args, uint64(d.n))
	}
	for _, d := range dims {
		args = append(args, uint64(d.d))
	}
	for _, d := range dims {
		args = append(args, uint64(d.s))
	}
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}
