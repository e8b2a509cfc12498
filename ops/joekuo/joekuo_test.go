package joekuo

import (
	"slices"
	"testing"
)

// TestNumbers checks the first rows of the table, and the last number of the last row.
func TestNumbers(t *testing.T) {
	m := Numbers(MaxDims)
	for d, want := range [][]uint32{{1, 1, 1, 1}, {1}, {1, 3}, {1, 3, 1}, {1, 1, 1}, {1, 1, 3, 3}, {1, 3, 5, 13}, {1, 1, 5, 5, 17}, {1, 1, 5, 5, 5}, {1, 1, 7, 11, 19}} {
		if got := m[d*Digits:][:len(want)]; !slices.Equal(got, want) {
			t.Errorf("dimension %d: %v, want %v", d, got, want)
		}
	}
	for i, v := range m {
		if k := i % Digits; v&1 == 0 || k < 31 && v >= 1<<(k+1) {
			t.Fatalf("dimension %d, number %d is %d", i/Digits, k, v)
		}
	}
	if !slices.Equal(Numbers(300), m[:300*Digits]) {
		t.Error("the numbers depend on how many there are")
	}
	if len(packed) != 351930 {
		t.Errorf("%d bytes", len(packed))
	}
}

func TestPrimitive(t *testing.T) {
	var got []uint32
	for p := uint32(3); p < 64; p++ {
		if primitive(p) {
			got = append(got, p)
		}
	}
	if want := []uint32{3, 7, 11, 13, 19, 25, 37, 41, 47, 55, 59, 61}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
