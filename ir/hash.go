package ir

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"math"
	"reflect"
	"sort"

	"github.com/graphc/graphc/rt/tensor"
)

// NewHash returns a SHA-256 that hashes large writes in pieces. Go cannot preempt a goroutine in
// the middle of one block of hashing, and a garbage collection waits until all goroutines have
// stopped. Hashing a large tensor in one call would stall the whole process, including the
// goroutine that handles signals.
func NewHash() hash.Hash { return pieces{sha256.New()} }

type pieces struct{ hash.Hash }

const pieceBytes = 1 << 20 // takes about 2 ms on a processor without instructions for SHA

// Write implements io.Writer.
func (h pieces) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > pieceBytes {
		h.Hash.Write(b[:pieceBytes])
		b = b[pieceBytes:]
	}
	h.Hash.Write(b)
	return n, nil
}

// HashAttr writes an attribute's value to a hash so that values that differ
// write different bytes. Numbers are written by their bits.
func HashAttr(h io.Writer, v Attr) {
	switch v := v.(type) {
	case *tensor.Tensor:
		HashTensor(h, v)
	case []*tensor.Tensor:
		fmt.Fprintf(h, "tensors %d\n", len(v))
		for _, t := range v {
			HashTensor(h, t)
		}
	case float32:
		fmt.Fprintf(h, "float %d\n", math.Float32bits(v))
	case []float32:
		fmt.Fprintf(h, "floats %d\n", len(v))
		for _, f := range v {
			HashAttr(h, f)
		}
	case Func:
		fmt.Fprintf(h, "func %q %d\n", v.Name, len(v.Attrs))
		names := make([]string, 0, len(v.Attrs))
		for k := range v.Attrs {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			fmt.Fprintf(h, "%q=", k)
			HashAttr(h, v.Attrs[k])
		}
	case []Func:
		fmt.Fprintf(h, "funcs %d\n", len(v))
		for _, f := range v {
			HashAttr(h, f)
		}
	default:
		fmt.Fprintf(h, "%T %#v\n", v, v)
	}
}

// HashTensor writes type, shape and bits of a tensor to a hash.
func HashTensor(h io.Writer, t *tensor.Tensor) {
	fmt.Fprintf(h, "%d %v\n", t.DType, []int(t.Shape))
	if ss, ok := t.Data.([]string); ok {
		for _, s := range ss {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
		return
	}
	if n := t.Len(); n > 0 {
		h.Write(tensor.Raw(reflect.ValueOf(t.Data)))
	}
}
