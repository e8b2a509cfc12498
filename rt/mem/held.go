package mem

import (
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// Holder is a value that tells how many bytes it holds. seen are those, and parts of those, that have been counted
// already.
type Holder interface {
	Held(seen map[any]bool) int
}

// small is the length of texts below which a text counts for each place that refers to it.
const small = 256

// Held returns the bytes of the values that buffers of strings and of handles refer to.
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

// Texts returns the bytes of texts; one that several refer to counts once where it is long.
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

// Handles returns the bytes of what handles lead to.
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
