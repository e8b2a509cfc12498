package base

import "testing"

func TestCount(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 12: "12", 1500: "1.5 k", 2.5e6: "2.5 M", 1.25e9: "1.25 G", 3e12: "3 T"} {
		if got := Count(n); got != want {
			t.Errorf("%g: %s, want %s", n, got, want)
		}
	}
}
