package conv

// AutoF32 is WinogradF32 where that is estimated to be clearly faster for the
// image's sizes, whatever rows p selects of it, else F32: for images whose size only a
// run tells. filter is packed by PackF32, wino by PackWinogradF32; scratch has
// AutoScratchLen(p) floats. It panics where WinogradOK is false.
func AutoF32(out, in, filter, wino, bias, res, scratch []float32, p Params) {
	whole := p
	whole.First, whole.Rows = 0, 0
	if PrefersWinograd(whole) {
		WinogradF32(out, in, wino, bias, res, scratch, p)
		return
	}
	F32(out, in, filter, bias, res, scratch, p)
}

// AutoScratchLen is the number of floats of scratch AutoF32 needs for p.
func AutoScratchLen(p Params) int { return max(ScratchLen(p), WinogradScratchLen(p)) }
