//go:build !unix

package rt

import (
	"io"
	"os"
)

// dontWait is a flag for os.OpenFile, with which opening a pipe returns at once. It is 0 on systems
// where a file cannot be a pipe.
const dontWait = 0

// mapFile reads the file's first n bytes.
func mapFile(f *os.File, n int) ([]byte, error) {
	b := block(n)
	_, err := io.ReadFull(f, b)
	return b, err
}

// unmap does nothing: the garbage collector frees the memory of mapFile.
func unmap([]byte) {}
