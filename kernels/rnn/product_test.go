package rnn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/rt/mem"
)

// TestProduct checks that computing a product some rows at a time gives the same bits as computing
// it at once.
func TestProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []float32 {
		s := make([]float32, n)
		for i := range s {
			s[i] = float32(r.NormFloat64())
		}
		return s
	}
	var run *mem.Budget
	call := run.Call()
	for _, p := range []gemm.BatchParams{{M: 70, N: 33, K: 40}, {M: 33, N: 70, K: 40, TransA: true}, {M: 33, N: 17, K: 90, TransB: true}} {
		a, b, scratch := numbers(p.M*p.K), numbers(p.K*p.N), make([]float32, gemm.BatchScratchLen(p))
		whole, parts := make([]float32, p.M*p.N), make([]float32, p.M*p.N)
		gemm.BatchF32(whole, a, b, scratch, p)
		for _, rows := range []int{1, 16, 32, 100} {
			clear(parts)
			productBy(&call, rows, parts, a, b, scratch, p)
			if !slices.Equal(whole, parts) {
				t.Errorf("%+v: %d rows at a time differ", p, rows)
			}
		}
	}
}
