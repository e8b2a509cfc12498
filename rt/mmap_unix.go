//go:build unix

package rt

import (
	"os"
	"syscall"

	"github.com/graphc/graphc/rt/tensor"
)

// mapFile maps the file's first n bytes to be read. They stay mapped as long as
// the process lives, since slices of them may be anywhere.
func mapFile(f *os.File, n int) ([]byte, error) {
	b, err := syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "mapping %s: %v", f.Name(), err)
	}
	return b, nil
}
