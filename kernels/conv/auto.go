package conv

// AutoF32 is WinogradF32 where that is estimated to be clearly faster for the
// image's sizes, whatever rows p selects of it and however many images there are, else
// F32: for images whose size only a run tells. filter is packed by PackF32, wino by PackWinogradF32; scratch has
// AutoScratchLen(p) floats. It panics where WinogradOK is false.
func AutoF32(out, in, filter, wino, scratch []float32, p Params) {
	if autoWinograd(p) {
		WinogradF32(out, in, wino, scratch, p)
		return
	}
	F32(out, in, filter, scratch, p)
}

// autoWinograd is AutoF32's choice: that of a single image, so that a batch gives an
// image's bits.
func autoWinograd(p Params) bool {
	p.N, p.First, p.Rows = 1, 0, 0
	return PrefersWinograd(p)
}

// AutoScratchLen is the number of floats of scratch AutoF32 needs for p.
func AutoScratchLen(p Params) int { return max(ScratchLen(p), WinogradScratchLen(p)) }
