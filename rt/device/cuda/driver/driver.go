//go:build cuda && cgo && linux

package driver

// #cgo LDFLAGS: -L${SRCDIR} -ldl
import "C"
