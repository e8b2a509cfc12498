package roofline

import (
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

func TestMeasure(t *testing.T) {
	before := cpu.SetLimit(cpu.AVX512)
	defer cpu.SetLimit(before)
	for _, l := range []cpu.Level{cpu.AVX512, cpu.AVX2, cpu.Portable} {
		cpu.SetLimit(l)
		if a, b := multiplyAdds(3), multiplyAdds(6); 2*a != b {
			t.Errorf("%v: 3 rounds are %d operations, 6 are %d", l, a, b)
		}
		if a, b := byteDots(2), byteDots(4); 2*a != b {
			t.Errorf("%v: 2 rounds are %d operations on bytes, 4 are %d", l, a, b)
		}
		for _, n := range []int{0, line, 3 * line} {
			readAll(make([]byte, n))
		}
	}
}

// TestReadPlain checks that the two halves of a measured block are equal. Otherwise, readPlain
// would not read the whole block.
func TestReadPlain(t *testing.T) {
	for _, n := range []int{line, 6000 / line * line, 3*4096 + line} {
		for _, b := range blocks(2, n) {
			if len(b) != n || !readPlain(b) {
				t.Errorf("the halves of a block of %d bytes differ", n)
			}
		}
	}
}

func TestSeconds(t *testing.T) {
	m := &Machine{GFLOPs: 100, Levels: []Level{{"L1", 1000, 200}, {"L2", 10000, 50}, {"memory", 0, 10}}}
	for _, c := range []struct {
		name                             string
		ops, near, reach, far, footprint float64
		bytesEach                        int
		want                             float64
	}{
		{"computes", 1e6, 100, 100, 0, 0, 4, 1e-5},
		{"reads from the first level", 0, 1000, 1000, 0, 0, 4, 5e-9},
		{"reads from the second", 0, 2000, 2000, 0, 0, 4, 4e-8},
		{"reads chunks from the first level", 0, 2000, 500, 0, 0, 4, 1e-8},
		{"weights come from memory", 0, 100, 100, 100, 1e9, 4, 5e-10 + 1e-8},
		{"the greater counts", 1, 0, 0, 1000, 20000, 4, 1e-7},
		{"bytes, whose limit is not known", 1e9, 0, 0, 0, 0, 1, 0},
	} {
		if got := m.Seconds(c.ops, c.near, c.reach, c.far, c.footprint, c.bytesEach); got < c.want*0.999 || got > c.want*1.001 {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestBytesOf(t *testing.T) {
	for s, want := range map[string]int{"48K": 48 << 10, "2M": 2 << 20, "512": 512} {
		if n, ok := bytesOf(s); !ok || n != want {
			t.Errorf("%q: %d, %v", s, n, ok)
		}
	}
	for _, s := range []string{"", "K", "-1K", "x"} {
		if n, ok := bytesOf(s); ok {
			t.Errorf("%q: %d", s, n)
		}
	}
}

func TestTogether(t *testing.T) {
	for threads := 1; threads <= 3; threads++ {
		total := 0
		if took := together(threads, func() { total = 0 }, func() int { return 5 }, &total); took <= 0 || total != 5*threads {
			t.Errorf("%d threads: %d in %v", threads, total, took)
		}
	}
}
