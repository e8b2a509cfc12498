//go:build arm64 && !noasm

package cpu

import (
	"os"
	"runtime"
	"sync"
)

var dot struct {
	once sync.Once
	has  bool
}

// UseDotProd reports whether a kernel may now use FEAT_DotProd, the instructions for dot products
// of bytes. The first call queries the system.
func UseDotProd() bool {
	if !UseNEON() {
		return false
	}
	dot.once.Do(func() { dot.has = hasDotProd() })
	return dot.has
}

// hasDotProd reads the processor's features from the auxiliary vector on Linux (getauxval(3)). All
// of Apple's processors have the feature.
func hasDotProd() bool {
	const hwcap, asimddp = 16, 1 << 20
	switch runtime.GOOS {
	case "darwin", "ios":
		return true
	case "linux", "android":
		v, err := os.ReadFile("/proc/self/auxv")
		for ; err == nil && len(v) >= 16; v = v[16:] {
			if word(v) == hwcap {
				return word(v[8:])&asimddp != 0
			}
		}
	}
	return false
}

// word returns the little-endian number at the start of b.
func word(b []byte) (w uint64) {
	for i, v := range b[:8] {
		w |= uint64(v) << (8 * i)
	}
	return w
}
