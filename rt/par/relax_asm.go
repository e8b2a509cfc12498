//go:build (amd64 || arm64) && !noasm

package par

// relax tells the processor that the thread spins.
//
//go:noescape
func relax()
