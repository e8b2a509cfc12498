//go:build !(amd64 || arm64) || noasm

package pool

func stripSIMD(out, in []float32, s *strip, avg bool) bool { return false }
