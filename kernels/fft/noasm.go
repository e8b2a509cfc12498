//go:build !amd64 || noasm

package fft

func lanes() int { return 1 }

func togetherSIMD(x []float64, n, lanes int, roots []float64) bool { return false }
