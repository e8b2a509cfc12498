//go:build !amd64 || noasm

package conv

func groupsSIMD(c int) bool { return false }

func winoRowInSIMD(dst []float32, plane int, in []float32, base, step, c, from, to int) int { return 0 }

func winoRowOutSIMD(out []float32, at, step int, bias, res []float32, resAt, resStep int, src []float32, plane, c, from, to int, lo, hi float32) int {
	return 0
}

func winoFiveOutSIMD(out []float32, at, row, col int, bias, res []float32, resAt, resRow, resCol int, src []float32, plane, c, y0, y1, x1 int, lo, hi float32) int {
	return 0
}

func groupStrip(out, in, filter, bias []float32, s *strip) {}
