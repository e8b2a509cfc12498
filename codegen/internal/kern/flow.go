package kern

import (
	"context"
	"sync/atomic"

	"github.com/graphc/graphc/rt/tensor"
)

// Less stores whether a[0] < b[0].
func Less(dst []bool, a, b []int64) { dst[0] = a[0] < b[0] }

// Sum stores a[0] + b[0] in dst[0]. The slice dst may be a or b.
func Sum(dst, a, b []int64) { dst[0] = a[0] + b[0] }

// Odd stores whether a[0] is odd.
func Odd(dst []bool, a []int64) { dst[0] = a[0]%2 != 0 }

// Twice stores the strings of src, then the same strings with ' appended to each.
func Twice(dst, src []string) {
	for i, s := range src {
		dst[i], dst[len(src)+i] = s, s+"'"
	}
}

// Link is a list: an element and the rest of the list.
type Link struct {
	V    int64
	Rest tensor.Handle
}

// Push stores the list that begins with v[0] and continues with rest[0].
func Push(dst, rest []tensor.Handle, v []int64) { dst[0].V = &Link{v[0], rest[0]} }

// Total adds the elements of a list.
func Total(dst []int64, list []tensor.Handle) {
	dst[0] = 0
	for l, ok := list[0].V.(*Link); ok; l, ok = l.Rest.V.(*Link) {
		dst[0] += l.V
	}
}

// Counter is a resource.
type Counter struct {
	Name   string
	Labels []string
	Shape  []int
	N      atomic.Int64
}

// NewCounter makes a counter that begins at start[0].
func NewCounter(name string, start []int64, labels []string, shape []int) (tensor.Handle, error) {
	if start[0] < 0 {
		return tensor.Handle{}, tensor.Errorf(tensor.InvalidArgument, "the counter begins at %d", start[0])
	}
	c := &Counter{Name: name, Labels: labels, Shape: shape}
	c.N.Store(start[0])
	return tensor.Handle{V: c}, nil
}

// NewGate makes a gate. Pass waits until Open opens it.
func NewGate() tensor.Handle { return tensor.Handle{V: make(chan struct{}, 1)} }

// Increment adds by[0] to a counter and stores the new value.
func Increment(dst []int64, h []tensor.Handle, by []int64) error {
	c, ok := h[0].V.(*Counter)
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "%T is not a counter", h[0].V)
	}
	dst[0] = c.N.Add(by[0])
	return nil
}

// Open lets one call of Pass return.
func Open(h []tensor.Handle) {
	select {
	case h[0].V.(chan struct{}) <- struct{}{}:
	default:
	}
}

// Pass waits for Open.
func Pass(ctx context.Context, h []tensor.Handle) error {
	select {
	case <-h[0].V.(chan struct{}):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Empty stores the list without elements.
func Empty(dst []tensor.Handle) { dst[0] = tensor.Handle{} }
