package array

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// naive copies the box one element at a time.
func naive(dst, src []float32, dims, ds []int, d int, ss []int, s int) {
	if len(dims) == 0 {
		dst[d] = src[s]
		return
	}
	for range dims[0] {
		naive(dst, src, dims[1:], ds[1:], d, ss[1:], s)
		d += ds[0]
		s += ss[0]
	}
}

func iota32(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i + 1)
	}
	return x
}

// TestMove compares permuted, reversed, repeated and strided boxes of up to
// five axes with the plain loops.
func TestMove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		rank := r.IntN(6)
		dims, perm := make([]int, rank), r.Perm(rank)
		for k := range dims {
			dims[k] = []int{0, 1, 1, 2, 3, 4, 5, 17, 33}[1+r.IntN(6+2*r.IntN(2))]
		}
		if rank > 0 && r.IntN(30) == 0 {
			dims[0] = 0
		}
		n := 1
		ds := make([]int, rank)
		for k := rank - 1; k >= 0; k-- {
			ds[k] = n
			n *= dims[k]
		}
		ss, size, off := make([]int, rank), 1, 0
		for _, k := range perm {
			step := 1 + r.IntN(2)*r.IntN(2)
			switch r.IntN(6) {
			case 0:
				ss[k] = 0
				continue
			case 1:
				ss[k] = -size * step
				off += max(dims[k]-1, 0) * size * step
			default:
				ss[k] = size * step
			}
			size *= max(dims[k], 1) * step
		}
		src := iota32(size)
		want, got := make([]float32, n), make([]float32, n)
		naive(want, src, dims, ds, 0, ss, off)
		MoveF32(got, src, dims, ds, 0, ss, off)
		if !slices.Equal(want, got) {
			t.Fatalf("dims %v dst %v src %v + %d: got %v, want %v", dims, ds, ss, off, got, want)
		}
		// The inverse copy of the same box, unless the box reads an element more than once.
		if !slices.Contains(ss, 0) {
			back, wantBack := make([]float32, size), make([]float32, size)
			naive(wantBack, got, dims, ss, off, ds, 0)
			MoveF32(back, got, dims, ss, off, ds, 0)
			if !slices.Equal(back, wantBack) {
				t.Fatalf("back: dims %v dst %v + %d src %v", dims, ss, off, ds)
			}
		}
	}
}

func TestMoveAllocatesNothing(t *testing.T) {
	src, dst := iota32(2*3*40*5), make([]float32, 2*3*40*5)
	dims, ds, ss := []int{2, 40, 3, 5}, []int{600, 15, 5, 1}, []int{600, 5, 200, 1}
	if n := testing.AllocsPerRun(100, func() { MoveF32(dst, src, dims, ds, 0, ss, 0) }); n != 0 {
		t.Errorf("Move allocates %v times", n)
	}
	block, space, batched, margin := []int{2, 2}, []int{40, 3}, []int{21, 3}, []int{1, 2}
	big := make([]float32, 4*2*21*3*5)
	if n := testing.AllocsPerRun(100, func() {
		SpaceToBatchF32(big, src, block, space, batched, margin, BlockParams{2, 5})
	}); n != 0 {
		t.Errorf("SpaceToBatch allocates %v times", n)
	}
	before, after := []int{1, 0, 2, 0}, []int{0, 3, 1, 0}
	wide := make([]float32, 3*43*6*5)
	if n := testing.AllocsPerRun(100, func() {
		PadF32(wide, src, dims, before, after, PadParams[float32]{})
		MirrorPadF32(wide, src, dims, before, after, 0)
	}); n != 0 {
		t.Errorf("padding allocates %v times", n)
	}
}

func TestPad(t *testing.T) {
	for _, c := range []struct {
		dims, before, after []int
		want                []float32
	}{
		{[]int{2}, []int{1}, []int{2}, []float32{9, 1, 2, 9, 9}},
		{[]int{2, 2}, []int{0, 1}, []int{0, 0}, []float32{9, 1, 2, 9, 3, 4}},
		{[]int{2, 2}, []int{1, 0}, []int{0, 0}, []float32{9, 9, 1, 2, 3, 4}},
		{[]int{2, 1}, []int{0, 0}, []int{1, 1}, []float32{1, 9, 2, 9, 9, 9}},
		{[]int{0, 2}, []int{1, 0}, []int{0, 0}, []float32{9, 9}},
		{nil, nil, nil, []float32{1}},
	} {
		n := 1
		for _, d := range c.dims {
			n *= d
		}
		got := make([]float32, len(c.want))
		PadF32(got, iota32(n), c.dims, c.before, c.after, PadParams[float32]{Value: []float32{9}})
		if !slices.Equal(got, c.want) {
			t.Errorf("Pad %v by %v %v: %v, want %v", c.dims, c.before, c.after, got, c.want)
		}
	}
}

func TestMirrorPad(t *testing.T) {
	got := make([]float32, 7)
	MirrorPadF32(got, iota32(3), []int{3}, []int{2}, []int{2}, 1)
	if want := []float32{3, 2, 1, 2, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("REFLECT: %v, want %v", got, want)
	}
	MirrorPadF32(got, iota32(3), []int{3}, []int{1}, []int{3}, 0)
	if want := []float32{1, 1, 2, 3, 3, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("SYMMETRIC: %v, want %v", got, want)
	}
	grad := make([]float32, 3)
	MirrorPadGradF32(grad, []float32{1, 1, 1, 1, 1, 1, 1}, []int{3}, []int{1}, []int{3}, 0)
	if want := []float32{3, 2, 2}; !slices.Equal(grad, want) {
		t.Errorf("gradient: %v, want %v", grad, want)
	}
	if MirrorFits([]int{3}, []int{3}, []int{0}, 1) == nil || MirrorFits([]int{3}, []int{3}, []int{0}, 0) != nil {
		t.Error("MirrorFits")
	}
}

// TestSelectionAllocatesNothing checks that kernels which call a function for each element do not
// allocate the function's variables on the heap.
func TestSelectionAllocatesNothing(t *testing.T) {
	x, y := iota32(60), make([]float32, 60)
	idx, scratch, at := make([]int32, 60), make([]int32, UniqueScratch(60)), make([]int64, 120)
	p := DiagParams{Batch: 1, Rows: 6, Cols: 10, Lo: -1, Hi: 1, Len: 6}
	dims, pad := []int{6, 10}, []float32{0}
	shift, axis := []int{3}, []int{1}
	if n := testing.AllocsPerRun(50, func() {
		UniqueF32I32(nil, y, idx, x, scratch, UniqueParams[int32]{Outer: 1, N: 60, Inner: 1})
		ListDiffF32I32(nil, y, idx, x, x[:7], scratch)
		WhereF32(at, x, dims)
		DiagPartF32(y[:18], x, pad, p)
		SetDiagF32(y, x, x, p)
		RollF32(y, x, dims, shift, axis)
		BroadcastF32(y, x[:10], dims, []int{1, 10})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
