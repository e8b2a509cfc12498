//go:build unix

package rt

import (
	"os"
	"syscall"

	"github.com/graphc/graphc/rt/tensor"
)

// dontWait, a flag of an open, has an open of a pipe without a writer return at once.
const dontWait = syscall.O_NONBLOCK

// mapFile maps the file's first n bytes to be read, until unmap.
func mapFile(f *os.File, n int) ([]byte, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "mapping %s: %v", f.Name(), err)
	}
	return b, nil
}

// unmap ends the use of what mapFile returned. A failure leaves it mapped.
func unmap(b []byte) { _ = syscall.Munmap(b) }
