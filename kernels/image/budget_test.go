package image

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestEnds checks that drawing many boxes and resizing large images stop early if the run is
// cancelled.
func TestEnds(t *testing.T) {
	const n = 1 << 10
	boxes := make([]float32, 4*n)
	for i := range boxes {
		boxes[i] = float32(i / 2 % 2)
	}
	typed.Ends(t, "many boxes", []any{DrawF32}, make([]float32, n*n), make([]float32, n*n), boxes, BoxesParams{N: 1, H: n, W: n, C: 1, Boxes: n})
	const m = 1 << 9
	p := SpanParams{N: 1, H: m, W: m, C: 1, OH: m, OW: m, Kernel: Lanczos3, Antialias: true}
	scale, move, image := []float32{1, 1}, []float32{0, 0}, make([]float32, m*m)
	for _, f := range []any{Spans, SpansGrad} {
		typed.Ends(t, "a large image", []any{f}, make([]float32, m*m), image, scale, move, make([]float32, m*m), make([]float32, m), p)
	}
}
