package array

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/kernels/gpu/internal/gputest"
	"github.com/graphc/graphc/rt/device"
)

// copied is the reference implementation of a copy, in Go.
func copied[T any](dst, src []T, p Strided) {
	n, d, s := []int{p.N0, p.N1, p.N2, p.N3, p.N4, p.N5, p.N6, p.N7}, []int{p.D0, p.D1, p.D2, p.D3, p.D4, p.D5, p.D6, p.D7}, []int{p.S0, p.S1, p.S2, p.S3, p.S4, p.S5, p.S6, p.S7}
	var walk func(k, to, from int)
	walk = func(k, to, from int) {
		if k == p.Rank {
			dst[to] = src[from]
			return
		}
		for i := range n[k] {
			walk(k+1, to+i*d[k], from+i*s[k])
		}
	}
	walk(0, p.DstAt, p.SrcAt)
}

// copies lists the tested copies. The fields dst and src are the sizes of the two tensors in
// elements.
var copies = []struct {
	name     string
	p        Strided
	dst, src int
}{
	{"one element", Strided{DstAt: 3, SrcAt: 2}, 5, 4},
	{"nothing", Strided{Rank: 2, N0: 3, D0: 1, S0: 1}, 5, 4},
	{"contiguous", Strided{Rank: 2, N0: 3, N1: 5, D0: 5, D1: 1, S0: 5, S1: 1, DstAt: 1}, 16, 15},
	{"part of rows", Strided{Rank: 2, N0: 300, N1: 5, D0: 5, D1: 1, S0: 9, S1: 1, SrcAt: 3}, 1500, 2700},
	{"wide rows", Strided{Rank: 3, N0: 3, N1: 7, N2: 16, D0: 16, D1: 48, D2: 1, S0: 112, S1: 16, S2: 1}, 336, 336},
	{"reversed", Strided{Rank: 1, N0: 77, D0: 1, S0: -1, SrcAt: 76}, 77, 77},
	{"repeated", Strided{Rank: 3, N0: 4, N1: 3, N2: 7, D0: 21, D1: 7, D2: 1, S1: 0, S0: 7, S2: 1}, 84, 28},
	{"spread", Strided{Rank: 2, N0: 7, N1: 9, D0: 40, D1: 3, S0: 9, S1: 1, DstAt: 2}, 270, 63},
	{"transpose", Strided{Rank: 2, N0: 40, N1: 70, D0: 1, D1: 40, S0: 70, S1: 1}, 2800, 2800},
	{"batch of transposes", Strided{Rank: 3, N0: 3, N1: 33, N2: 20, D0: 660, D1: 1, D2: 33, S0: 660, S1: 20, S2: 1}, 1980, 1980},
	{"transposes in two dimensions", Strided{Rank: 5, N0: 2, N1: 3, N2: 2, N3: 9, N4: 8,
		D0: 432, D1: 144, D2: 72, D3: 1, D4: 9, S0: 72, S1: 288, S2: 144, S3: 8, S4: 1}, 864, 864},
	{"small transpose", Strided{Rank: 2, N0: 4, N1: 70, D0: 1, D1: 4, S0: 70, S1: 1}, 280, 280},
	{"eight dimensions", Strided{Rank: 8, N0: 2, N1: 3, N2: 2, N3: 3, N4: 2, N5: 2, N6: 2, N7: 3,
		D0: 432, D1: 144, D2: 72, D3: 24, D4: 12, D5: 6, D6: 3, D7: 1, S0: 1, S1: 2, S2: 6, S3: 12, S4: 36, S5: 72, S6: 144, S7: 288}, 864, 864},
}

func test[T comparable](t *testing.T, f func(q *device.Queue, dst, src device.Ptr, p Strided), value func(i int) T) {
	for _, c := range copies {
		for _, skip := range []int{0, 1} { // test with aligned addresses, and with addresses that are one element further
			src, want := make([]T, c.src+skip), make([]T, c.dst+skip)
			for i := range src {
				src[i] = value(i + 1)
			}
			copied(want[skip:], src[skip:], c.p)
			r := gputest.New(t)
			to, from := gputest.Put(r, make([]T, len(want))), gputest.Put(r, src)
			size := device.Ptr(skip * sizeOf(src))
			r.Do(func(q *device.Queue) { f(q, to+size, from+size, c.p) })
			gputest.Same(t, fmt.Sprintf("%s of %T", c.name, want), gputest.Get[T](r, to, len(want)), want)
		}
	}
}

func sizeOf[T any](s []T) int {
	switch any(s).(type) {
	case []uint8:
		return 1
	case []uint16:
		return 2
	case []uint32:
		return 4
	case []uint64:
		return 8
	}
	return 16
}

func TestCopies(t *testing.T) {
	test(t, Copy1, func(i int) uint8 { return uint8(i%250 + 1) })
	test(t, Copy2, func(i int) uint16 { return uint16(i) })
	test(t, Copy4, func(i int) uint32 { return uint32(i) * 0x10001 })
	test(t, Copy8, func(i int) uint64 { return uint64(i) << 33 })
	test(t, Copy16, func(i int) [2]uint64 { return [2]uint64{uint64(i), uint64(i) << 40} })
}

func TestFill(t *testing.T) {
	r := gputest.New(t)
	n := 1003
	a, b, c, d, e := gputest.Room[uint8](r, n), gputest.Room[uint16](r, n), gputest.Room[uint32](r, n), gputest.Room[uint64](r, n), gputest.Room[[2]uint64](r, n)
	r.Do(func(q *device.Queue) {
		Fill1(q, a, n, 0x1ff)
		Fill2(q, b, n, 0x12345)
		Fill4(q, c, n, 0x3f800000)
		Fill8(q, d, n, 1<<60)
		Fill16(q, e, n, 5, 6)
		Fill16(q, 0, 0, 5, 6)
	})
	gputest.Same(t, "1", gputest.Get[uint8](r, a, n), many[uint8](n, 0xff))
	gputest.Same(t, "2", gputest.Get[uint16](r, b, n), many[uint16](n, 0x2345))
	gputest.Same(t, "4", gputest.Get[uint32](r, c, n), many[uint32](n, 0x3f800000))
	gputest.Same(t, "8", gputest.Get[uint64](r, d, n), many[uint64](n, 1<<60))
	gputest.Same(t, "16", gputest.Get[[2]uint64](r, e, n), many(n, [2]uint64{5, 6}))
}

func many[T any](n int, v T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}
