package conv

import "math"

// A model of the machine for the choice between the methods, in cycles. The model need not be
// exact: it must only recognise when one of two costs is far below the other.
const (
	fmaPerCycle   = 32 // f32 multiply-adds per cycle in a product of matrices
	bytesPerCycle = 8  // bytes of weights that a run reads from memory per cycle
	// The number of cycles that the transform of a tile of 36 planes takes for each input channel, and
	// for each output channel.
	transformCycles = 14
	// The number of cycles that the transform of a filter takes for each pair of an input channel and an
	// output channel.
	filterCycles = 9
	// Winograd's method has a larger error, so it is chosen only if it is clearly faster.
	winogradMargin = 0.75
	// The assumed product of an image's side and its number of channels, if the image's size is
	// unknown. In typical networks, this product is about the same for all layers.
	usualStage = 56 * 64
)

// Cost estimates the cycles of F32 and of WinogradF32 for p. N, OH and OW may be 0, meaning
// unknown. winograd is negative if WinogradOK is false.
func Cost(p Params) (direct, winograd float64) {
	p.dense()
	if p.OH <= 0 || p.OW <= 0 {
		side := min(max(usualStage/max(p.C, 1), 1), 224)
		if p.OH <= 0 {
			p.OH = side
		}
		if p.OW <= 0 {
			p.OW = side
		}
	}
	p.N = max(p.N, 1)
	n := float64(p.N)
	oc := float64(roundUp(p.OC))
	products := float64(p.C/p.Groups) * oc
	taps := float64(p.KH * p.KW)
	direct = taps * products * (n*float64(p.OH*p.OW)/fmaPerCycle + 4./bytesPerCycle)
	if !WinogradOK(p) {
		return direct, -1
	}
	w := p.wino()
	tiles := n * float64(w.across*w.down)
	// Every block of tiles needs the transformed filter. Each time, the filter is either read in its
	// transformed form or transformed again.
	passes := math.Ceil(tiles / float64(w.tiles))
	filter := taps*4/bytesPerCycle + passes*filterCycles
	if winoStored(p.KH, p.KW, p.C) {
		filter = passes * float64(w.planes) * 4 / bytesPerCycle
	}
	winograd = products*(float64(w.planes)*tiles/fmaPerCycle+filter) + tiles*transformCycles*float64(w.planes)/winoPlanes*(float64(roundUp(p.C))+oc)
	return direct, winograd
}

// PrefersWinograd reports whether Cost estimates that WinogradF32 is clearly faster than F32. N, OH and
// OW may be 0, meaning unknown, as in a call of Cost.
func PrefersWinograd(p Params) bool {
	d, w := Cost(p)
	return w >= 0 && w < winogradMargin*d
}

func roundUp(n int) int { return (n + 15) / 16 * 16 }
