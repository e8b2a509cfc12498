//go:build !(amd64 || arm64) || noasm

package par

import "runtime"

// relax lets other goroutines go first.
func relax() { runtime.Gosched() }
