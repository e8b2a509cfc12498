package mem

import (
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// Holder is a value with a known size: Held returns its size in bytes. The parameter seen contains
// the values, and parts of values, that were already counted.
type Holder interface {
	Held(seen map[any]bool) int
}

// small is the length below which a string counts once for each reference to it.
const small = 256

// Held returns the size in bytes of the values that buffers of strings and of handles refer to.
func Held(texts [][]string, handles [][]tensor.Handle) int {
	total, seen := 0, map[any]bool{}
	for _, b := range texts {
		total = Add(total, Texts(b, seen))
	}
	for _, b := range handles {
		total = Add(total, Handles(b, seen))
	}
	return total
}

// Texts returns the size of strings in bytes. A long string counts once, even if there are several
// references.
func Texts(b []string, seen map[any]bool) int {
	total := 0
	for _, t := range b {
		if len(t) >= small {
			at := unsafe.StringData(t)
			if seen[at] {
				continue
			}
			seen[at] = true
		}
		total = Add(total, len(t))
	}
	return total
}

// Handles returns the size in bytes of the values that handles refer to.
func Handles(b []tensor.Handle, seen map[any]bool) int {
	total := 0
	for _, h := range b {
		if v, ok := h.V.(Holder); ok && !seen[v] {
			seen[v] = true
			total = Add(total, v.Held(seen))
		}
	}
	return total
}
