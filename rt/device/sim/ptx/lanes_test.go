package ptx

import (
	_ "embed"
	"math"
	"math/bits"
	"slices"
	"testing"
)

//go:embed testdata/lanes.ptx
var lanesPTX string

// words runs an entry of lanes.ptx on one block with the given number of threads, once for each
// element of the variable ways. After each run it calls check with the output. Each thread writes a
// number of 32-bit words to the output; the parameter per is this number.
func words(t *testing.T, entry string, threads, per int, check func(t *testing.T, out []uint32)) {
	t.Helper()
	m := parse(t, lanesPTX)
	for _, o := range ways {
		out := make([]uint32, 2+threads*per)
		var f Flat
		run(t, m.Copy(), entry, [3]int{1, 1, 1}, [3]int{threads, 1, 1}, 0, &f, o, f.Add(raw(out)))
		check(t, out[:threads*per])
	}
}

func TestShuffles(t *testing.T) {
	words(t, "shuffles", 32, 8, func(t *testing.T, out []uint32) {
		for i := range 32 {
			up, down, flags := uint32(99+i), uint32(102+i), uint32(7)
			if i == 0 {
				up, flags = 100, 6
			}
			if i >= 30 {
				down, flags = uint32(100+i), flags&^2
			}
			even := uint32(7)
			if i%2 == 0 {
				// an even lane reads from the odd lane after it, which is inactive
				even = math.MaxUint32
			}
			want := []uint32{up, down, uint32(100 + (i ^ 3)), uint32(100 + i&^7 + 5), flags, 108, even}
			if got := out[8*i : 8*i+7]; !slices.Equal(got, want) {
				t.Errorf("lane %d: %v, want %v", i, got, want)
			}
		}
	})
}

func TestVotes(t *testing.T) {
	words(t, "votes", 32, 10, func(t *testing.T, out []uint32) {
		for i := range 32 {
			active := uint32(0xff)
			if i >= 8 {
				active = 0xffffff00
			}
			want := []uint32{0xff, 1 + 16, 15 << (i &^ 3), 0, math.MaxUint32, 31 * 16, 31, 0, active, 1<<i - 1}
			if got := out[10*i : 10*i+10]; !slices.Equal(got, want) {
				t.Errorf("lane %d: %v, want %v", i, got, want)
			}
		}
	})
}

func TestBarriers(t *testing.T) {
	words(t, "barriers", 96, 3, func(t *testing.T, out []uint32) {
		for i := range 96 {
			other := uint32(i ^ 63)
			if i >= 64 {
				other = uint32(i - 64)
			}
			if got, want := out[3*i:3*i+3], []uint32{40, 2, other}; !slices.Equal(got, want) {
				t.Errorf("thread %d: %v, want %v", i, got, want)
			}
		}
	})
}

func TestCalls(t *testing.T) {
	words(t, "calls", 32, 2, func(t *testing.T, out []uint32) {
		for i := range 32 {
			want := uint32(1009)
			switch {
			case i == 6:
				want = 1066
			case i < 10:
				want = 1000 + 2*uint32(i)
			}
			if out[2*i] != want || out[2*i+1] != 0 {
				t.Errorf("thread %d: %v, want %v", i, out[2*i:2*i+2], want)
			}
		}
	})
}

func TestTable(t *testing.T) {
	words(t, "table", 50, 1, func(t *testing.T, out []uint32) {
		for i, got := range out {
			if want := uint32(i) + []uint32{0, 100, 1200, 1000}[i%4]; got != want {
				t.Errorf("thread %d: %v, want %v", i, got, want)
			}
		}
	})
}

// TestLock: lanes of a warp that wait for each other make progress.
func TestLock(t *testing.T) {
	words(t, "lock", 70, 1, func(t *testing.T, out []uint32) {
		if out[0] != 0 || out[1] != 70 {
			t.Error(out[:2])
		}
	})
}

func TestSpaces(t *testing.T) {
	m := parse(t, lanesPTX)
	if m.Target != "sm_90" || !slices.Contains(m.Entries(), "spaces") || m.Shared("spaces") != 16 || m.Shared("none") != 0 || m.Atomic("spaces") || !m.Atomic("lock") || m.Atomic("none") {
		t.Error(m.Target, m.Entries(), m.Shared("spaces"))
	}
	if p, ok := m.Parameters("spaces"); !ok || !slices.Equal(p, []int{8, 2, 4}) {
		t.Error(p, ok)
	}
	if _, ok := m.Parameters("none"); ok {
		t.Error("an entry that there is not")
	}
	out := make([]uint32, 16)
	var f Flat
	minus3 := int16(-3)
	run(t, m, "spaces", [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, &f, nil, f.Add(raw(out)), uint64(uint16(minus3)), uint64(math.Float32bits(1.5)))
	minus := func(n int) uint32 { return uint32(-n) }
	half := math.Float64bits(0.5)
	want := []uint32{minus(2), 0x30, math.Float32bits(2.5), math.Float32bits(1), 105, 0xffffabcd, uint32(half), uint32(half >> 32),
		0xffab00ab, 7, minus(2), 0x30, minus(3), math.Float32bits(1.5), 0xfffd, 0xfffd}
	if !slices.Equal(out, want) {
		t.Errorf("%#x, want %#x", out, want)
	}
}

// TestAtomicTypes runs atomic operations of all sizes, with one worker and with several.
func TestAtomicTypes(t *testing.T) {
	m := parse(t, lanesPTX)
	for _, o := range ways {
		out := make([]uint64, 7)
		var f Flat
		run(t, m, "halves", [3]int{2, 1, 1}, [3]int{1, 1, 1}, 0, &f, o, f.Add(raw(out)))
		want := []uint64{toF16(2, nearest) | (toF16(4, nearest)|toF16(2, nearest)<<16)<<32, toBF16(2, nearest) | 5<<16, 9, 1<<64 - 4, 4, 2, 0}
		if !slices.Equal(out, want) {
			t.Errorf("%#x, want %#x", out, want)
		}
	}
}

// TestPartWarps: the last warp of a block may have fewer than 32 lanes.
func TestPartWarps(t *testing.T) {
	m := parse(t, kernelsPTX)
	for _, threads := range []int{1, 31, 33, 65} {
		n := 200
		y := make([]uint32, 4*n)
		var f Flat
		run(t, m, "philox", [3]int{(n + threads - 1) / threads, 1, 1}, [3]int{threads, 1, 1}, 0, &f, nil, f.Add(raw(y)), 1, uint64(n))
		zeros := 0
		for _, v := range y {
			zeros += b1(v == 0)
		}
		if zeros > 0 || bits.OnesCount32(y[0]) == 0 {
			t.Errorf("%d threads: %d numbers are missing", threads, zeros)
		}
	}
}

func b1(b bool) int {
	if b {
		return 1
	}
	return 0
}
