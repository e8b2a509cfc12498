//go:build !amd64 || noasm

package conv

func groupsSIMD() bool { return false }

func groupStrip(out, in, filter, bias []float32, s *strip) {}
