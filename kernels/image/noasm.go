//go:build !amd64 || noasm

package image

func bilinearSIMD(dst, top, bottom []float32, left, right []int32, weight []float32, wy float32, c int) bool {
	return false
}
