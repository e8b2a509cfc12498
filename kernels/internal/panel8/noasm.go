//go:build !(amd64 || arm64) || noasm

package panel8

func runSIMD(c []int32, a []uint8, b []int8, bias, row []int32, p *Block) {
	runGo(c, a, b, bias, row, p)
}

func sumSIMD(a []uint8) (uint64, int) { return 0, 0 }

func flipSIMD(dst []uint8, src []int8) int { return 0 }

func outF32SIMD(dst []float32, src []int32, scale, bias []float32, lo, hi float32) int { return 0 }

func outBytesSIMD(dst []uint8, src []int32, scale []float32, zero, lo, hi int32) int { return 0 }
