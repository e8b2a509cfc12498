package rnn

import (
	"testing"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEndsWithin checks that a single step with large cells stops when the run is cancelled.
func TestEndsWithin(t *testing.T) {
	out := func(n int) []float32 { return make([]float32, n) }
	const batch, cell = 256, 512
	p := GRUParams{Batch: batch, Input: 1, Cell: cell}
	all := out(batch * cell)
	typed.Ends(t, "large cells", []any{GRUGradF32}, out(batch), all, all, out(2*len(all)), all, out((cell+1)*2*cell), out((cell+1)*cell), all, all, all, all,
		out(GRUGradScratchLen(p)), p)
}

// TestEnds checks that a long sequence stops when the run is cancelled.
func TestEnds(t *testing.T) {
	p := LSTMParams{Steps: 1 << 10, Batch: 1, Input: 1, Cell: 64}
	out, size := func(n int) []float32 { return make([]float32, n) }, p.Steps*p.Cell
	c := p.Cell
	typed.Ends(t, "many steps", []any{LSTMF32}, out(size), out(size), out(size), out(size), out(size), out(size), out(size), out(4*size), out(c), out(c),
		out(gemm.PackedLen(c, 4*c)), out(c), out(c), out(c), out(4*c), []int64{int64(p.Steps)}, out(LSTMScratchLen(p)), p)
	typed.Ends(t, "many steps", []any{LSTMGradF32}, out(p.Steps), out(c), out(c), out((c+1)*4*c), out(c), out(c), out(c), out(4*c), out(p.Steps), out(c), out(c), out((c+1)*4*c),
		out(c), out(c), out(c), out(size), out(size), out(size), out(size), out(size), out(size), out(size), out(size), out(size), []int64{int64(p.Steps)}, out(LSTMGradScratchLen(p)), p)
}
