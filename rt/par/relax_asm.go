//go:build (amd64 || arm64) && !noasm

package par

// relax tells the processor that a loop waits.
//
//go:noescape
func relax()
