//go:build arm64 && !noasm

package panel8

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestDotProducts compares the results with and without dot product instructions.
func TestDotProducts(t *testing.T) {
	if !cpu.UseDotProd() {
		t.Skip("the processor has none")
	}
	r := rand.New(rand.NewPCG(3, 5))
	for m := 1; m <= 9; m++ {
		for _, n := range []int{1, 15, 16, 17, 40} {
			for k := 1; k <= 70; k += 1 + k/9 {
				p := Block{M: m, N: n, K: k, Lda: Groups(k)*Group + 4, Ldc: n + 1, PanelStep: Groups(k) * Group * Width, Add: k%2 == 0}
				a, b := make([]uint8, m*p.Lda), make([]int8, Len(k, n))
				for i := range a {
					a[i] = []uint8{0, 127, 128, 255, uint8(r.Uint32())}[r.IntN(5)]
				}
				for i := range b {
					b[i] = []int8{-128, -127, 127, int8(r.Uint32())}[r.IntN(4)]
				}
				with, bias, row := make([]int32, m*p.Ldc), make([]int32, n), make([]int32, m)
				for _, s := range [][]int32{with, bias, row} {
					for i := range s {
						s[i] = int32(r.Uint32())
					}
				}
				without := slices.Clone(with)
				runNEON(with, a, b, bias, row, &p, true)
				runNEON(without, a, b, bias, row, &p, false)
				if !slices.Equal(with, without) {
					t.Fatalf("%+v: %v with, %v without", p, with, without)
				}
			}
		}
	}
}
