//go:build !(amd64 || arm64) || noasm

package panel

func runSIMD(c, a, b, bias, res []float32, p *Block) { runGo(c, a, b, bias, res, p) }

func transposeSIMD(dst []float32, ldd int, src []float32, lds, rows, cols int) (int, int) {
	return 0, 0
}

func addSIMD(dst, src []float32) int { return 0 }

func mulRowSIMD(c, a []float32, step int, b []float32, ldb, k int) int { return 0 }

func dotsSIMD(c, a, b []float32, ldb int) int { return 0 }

func copyRows(dst, src []float32, lds, k int) bool { return false }

func mulF64SIMD(c []float64, ldc int, a []float64, am, ak int, b []float64, ldb, rows, k, n int) int {
	return 0
}

func dotsF64SIMD(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, k, n int) int {
	return 0
}
