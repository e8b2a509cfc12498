//go:build !linux

package rt

// adviseHuge does nothing where the system takes no such advice.
func adviseHuge([]byte) {}
