package conv

// AutoF32 calls WinogradF32 if an estimate for the image's size says that WinogradF32 is clearly faster
// than F32. Otherwise, and if WinogradOK is false, it calls F32. AutoF32 is for images whose size is
// known only at run time. The choice does not depend on the rows that p selects or the number of images.
// filter is packed by PackF32, and wino by PackWinogradF32. scratch has AutoScratchLen(p) floats.
func AutoF32(out, in, filter, wino, scratch []float32, p Params) {
	if autoWinograd(p) {
		WinogradF32(out, in, wino, scratch, p)
		return
	}
	F32(out, in, filter, scratch, p)
}

// autoWinograd reports whether AutoF32 calls WinogradF32. It decides for a single image. Thus an
// image has the same result in a batch as alone.
func autoWinograd(p Params) bool {
	p.N, p.First, p.Rows = 1, 0, 0
	return PrefersWinograd(p)
}

// AutoScratchLen returns the number of floats of scratch that AutoF32 needs for p.
func AutoScratchLen(p Params) int { return max(ScratchLen(p), WinogradScratchLen(p)) }
