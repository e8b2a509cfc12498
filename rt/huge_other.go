//go:build !linux

package rt

// adviseHuge does nothing on systems without such a hint.
func adviseHuge([]byte) {}
