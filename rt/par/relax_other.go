//go:build !(amd64 || arm64) || noasm

package par

import "runtime"

// relax yields to other goroutines.
func relax() { runtime.Gosched() }
