package sparse

import (
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Map stores sparse tensors, each as three variants, under numbers that count up from 0.
type Map struct {
	mu   sync.Mutex
	next int64
	kept map[int64][3]tensor.Handle
}

// NewMap makes a map.
func NewMap() tensor.Handle {
	return tensor.Handle{V: &Map{kept: map[int64][3]tensor.Handle{}}}
}

func mapOf(h []tensor.Handle) (*Map, error) {
	if len(h) > 0 {
		if m, ok := h[0].V.(*Map); ok {
			return m, nil
		}
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "the handle is not of a map of sparse tensors")
}

// add stores a sparse tensor, given as three variants, and returns the tensor's number in the map.
// The caller holds the lock.
func (m *Map) add(src []tensor.Handle) int64 {
	n := m.next
	m.next++
	m.kept[n] = [3]tensor.Handle(src)
	return n
}

// MapAdd adds a sparse tensor to a map, and sets number[0] to the tensor's number in the map. The
// parameter src holds the tensor's three variants.
func MapAdd(number []int64, kept, src []tensor.Handle) error {
	m, err := mapOf(kept)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	number[0] = m.add(src)
	return nil
}

// MapAddMany adds sparse tensors to a map, and sets numbers[i] to the number of tensor i in the map.
// The parameter src holds three variants for each tensor. Tensors with values get smaller numbers
// than tensors without values.
func MapAddMany(numbers []int64, kept, src []tensor.Handle) error {
	m, err := mapOf(kept)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, empty := range [2]bool{false, true} {
		for i := range numbers {
			p, ok := src[3*i+1].V.(*Part)
			if ok && (p.Shape[0] == 0) == empty {
				numbers[i] = m.add(src[3*i : 3*i+3])
			}
		}
	}
	return nil
}

// MapTake removes the sparse tensors with the given numbers and stores them in dst, three
// variants each. It returns InvalidArgument for an unknown number.
func MapTake(dst, kept []tensor.Handle, numbers []int64) error {
	m, err := mapOf(kept)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, n := range numbers {
		t, ok := m.kept[n]
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "unable to find sparse tensor %d in the map", n)
		}
		copy(dst[3*i:], t[:])
		delete(m.kept, n)
	}
	return nil
}
