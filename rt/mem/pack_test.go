package mem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestPack(t *testing.T) {
	for _, c := range []struct {
		name  string
		sizes []int
		lives []Life
		total int
	}{
		{"nothing", nil, nil, 0},
		{"a chain needs two", []int{100, 100, 100, 100}, []Life{{First: 0, Last: 1}, {First: 1, Last: 2}, {First: 2, Last: 3}, {First: 3, Last: 4}}, 256},
		{"all at once", []int{1, 64, 65}, []Life{{First: 0, Last: 9}, {First: 0, Last: 9}, {First: 0, Last: 9}}, 64 + 64 + 128},
		{"one after the other", []int{640, 64, 320}, []Life{{First: 0, Last: 0}, {First: 1, Last: 1}, {First: 2, Last: 2}}, 640},
		{"a gap is filled", []int{64, 64, 64}, []Life{{First: 0, Last: 9}, {First: 0, Last: 2}, {First: 3, Last: 9}}, 128},
		{"lanes share nothing, tasks of one do", []int{64, 64, 64}, []Life{{First: 0, Last: 1, Tasks: 1, Lane: 1}, {First: 2, Last: 3, Tasks: 1, Lane: 2}, {First: 4, Last: 5, Tasks: 1, Lane: 1}}, 128},
		{"lanes of other tasks", []int{64, 64}, []Life{{First: 0, Last: 1, Tasks: 1, Lane: 1}, {First: 3, Last: 4, Tasks: 3, Lane: 2}}, 64},
		{"empty", []int{0, 0}, []Life{{First: 0, Last: 1}, {First: 0, Last: 1}}, 0},
	} {
		offs := make([]int, len(c.sizes))
		total, err := Pack(c.sizes, c.lives, offs, math.MaxInt)
		if err != nil || total != c.total {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, total, err, c.total)
		}
	}
}

// TestPackDisjoint checks with random lifetimes that buffers in use at the same time share no
// bytes, and that the block is no larger than without sharing.
func TestPackDisjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 220 {
		n, steps := r.IntN(40), 30
		if k >= 200 { // many buffers
			n, steps = fewBuffers+r.IntN(1000), []int{30, 1000, 10000}[r.IntN(3)]
		}
		sizes, lives, offs := make([]int, n), make([]Life, n), make([]int, n)
		sum := 0
		for i := range sizes {
			sizes[i] = r.IntN(1000)
			f := int32(r.IntN(steps))
			lives[i] = Life{First: f, Last: f + int32(r.IntN(10))}
			sum += round(sizes[i])
		}
		total, err := Pack(sizes, lives, offs, math.MaxInt)
		if err != nil || total > sum {
			t.Fatalf("%d of %d bytes, %v", total, sum, err)
		}
		for i := range sizes {
			if offs[i]%Align != 0 || offs[i]+sizes[i] > total || offs[i] < 0 {
				t.Fatalf("buffer %d of %d bytes at %d of %d", i, sizes[i], offs[i], total)
			}
			for j := range i {
				if lives[i].Meets(lives[j]) && offs[i] < offs[j]+sizes[j] && offs[j] < offs[i]+sizes[i] {
					t.Fatalf("buffers %d and %d overlap", i, j)
				}
			}
		}
	}
}

func TestPackLimits(t *testing.T) {
	two := []Life{{First: 0, Last: 1}, {First: 0, Last: 1}}
	for _, c := range []struct {
		sizes []int
		code  tensor.Code
	}{
		{[]int{600, 500}, tensor.ResourceExhausted},
		{[]int{1, math.MaxInt}, tensor.ResourceExhausted},
		{[]int{-1, 1}, tensor.InvalidArgument},
		{[]int{500, 500}, tensor.ResourceExhausted}, // 2 × 512
		{[]int{448, 500}, tensor.OK},
	} {
		if _, err := Pack(c.sizes, two, make([]int, 2), 1000); tensor.CodeOf(err) != c.code {
			t.Errorf("%v: %v, want %v", c.sizes, err, c.code)
		}
	}
	const half = math.MaxInt/2 + 1
	if _, err := Pack([]int{half, half}, two, make([]int, 2), half); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("a sum that wraps around: %v", err)
	}
	if _, err := Pack([]int{math.MaxInt, math.MaxInt}, two, make([]int, 2), math.MaxInt); err != nil {
		// the sum of the sizes is limited to math.MaxInt and does not wrap around
		t.Errorf("the end of the address space: %v", err)
	}
}
