//go:build !unix

package rt

import (
	"io"
	"os"
)

// dontWait is nothing where no file can be a pipe.
const dontWait = 0

// mapFile reads the file's first n bytes.
func mapFile(f *os.File, n int) ([]byte, error) {
	b := block(n)
	_, err := io.ReadFull(f, b)
	return b, err
}

// unmap leaves what mapFile returned to the garbage collector.
func unmap([]byte) {}
