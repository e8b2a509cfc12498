//go:build unix

package rt

import (
	"os"
	"syscall"

	"github.com/graphc/graphc/rt/tensor"
)

// dontWait is a flag for os.OpenFile. With this flag, opening a pipe without a writer returns at
// once.
const dontWait = syscall.O_NONBLOCK

// mapFile maps the file's first n bytes read-only, until unmap. The error is ResourceExhausted.
func mapFile(f *os.File, n int) ([]byte, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "mapping %s: %v", f.Name(), err)
	}
	return b, nil
}

// unmap ends a mapping that mapFile returned. After a failure the memory stays mapped.
func unmap(b []byte) { _ = syscall.Munmap(b) }
