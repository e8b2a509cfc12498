//go:build !cgo

package nvrtc

import "errors"

var errNoCgo = errors.New("nvrtc: the compiler is a C library: build with CGO_ENABLED=1 and a C compiler")

// Load returns an error: without cgo there is no compiler.
func Load(string) (major, minor int, err error) { return 0, 0, errNoCgo }

// Compile returns an error: without cgo there is no compiler.
func Compile(string, string, map[string]string, ...string) (string, error) { return "", errNoCgo }
