//go:build !(amd64 || arm64) || noasm

package conv

func stripSIMD(out, in, filter, bias []float32, s *strip) bool { return false }

func winoInSIMD(dst []float32, plane int, in []float32, base, row, col, c, y0, y1, x0, x1 int) int {
	return 0
}

func winoOutSIMD(out []float32, at, row, col int, bias, res []float32, resAt, resRow, resCol int, src []float32, plane, c, y0, y1, x1 int, lo, hi float32) int {
	return 0
}

func winoFilterSIMD(dst []float32, plane int, src []float32, c, half int) bool { return false }
