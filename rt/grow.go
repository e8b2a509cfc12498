package rt

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// GrowTo gives buffer k outside of the block room for n elements of size bytes.
// A size that is negative or beyond the limit ends the run.
func (s *State[D, V, I, M]) GrowTo(k, n, size int) {
	if n < 0 {
		panic(tensor.Errorf(tensor.InvalidArgument, "a tensor would have %d elements", n))
	}
	need := Mul(n, size)
	if s.side != nil {
		mu := s.side.lock()
		mu.Lock()
		defer mu.Unlock()
	}
	if need <= cap(s.Grown[k]) {
		s.Grown[k] = s.Grown[k][:need]
		return
	}
	s.Grown[k] = nil
	total := Add(need, s.held())
	if total > s.max && s.side == nil {
		s.trim()
		total = Add(need, s.held())
	}
	if total > s.max {
		panic(tensor.Errorf(tensor.ResourceExhausted, "%d bytes of scratch are needed, the limit of a run is %d"+mem.Raise, total, s.max))
	}
	room := min(Add(need, need/4), Add(s.max-total, need))
	s.Grown[k] = block(max(need, room))[:need]
	if s.hook != nil {
		s.Grew(cap(s.Grown[k]), s.held())
	}
}

// trim lets go of buffers of earlier runs that this run does not use yet.
func (s *State[D, V, I, M]) trim() {
	for i, g := range s.Grown {
		if len(g) == 0 {
			s.Grown[i] = nil
		}
	}
}

// held returns the bytes of all buffers. Of the block only what this run uses
// counts, not what a larger run before it left.
func (s *State[D, V, I, M]) held() int {
	team := len(s.own)
	if s.side != nil {
		team = len(s.Of.own)
	}
	total := Add(s.layout.size, Mul(s.layout.own, team))
	for _, g := range s.Grown {
		total = Add(total, cap(g))
	}
	return total
}

// GrowStrings gives string buffer k room for n elements.
func (s *State[D, V, I, M]) GrowStrings(k, n int) {
	s.Strings[k] = refs(s.Strings[k], n, tensor.String.Size(), s.max)
}

// GrowHandles gives buffer k of handles room for n elements.
func (s *State[D, V, I, M]) GrowHandles(k, n int) {
	s.Handles[k] = refs(s.Handles[k], n, tensor.Resource.Size(), s.max)
}

// refs returns v with room for n elements of size bytes that refer to other
// memory. Those beyond the elements in use are always zero, so that they keep
// nothing alive.
func refs[T any](v []T, n, size, limit int) []T {
	if n < 0 {
		panic(tensor.Errorf(tensor.InvalidArgument, "a tensor would have %d elements", n))
	}
	if Mul(n, size) > limit {
		panic(tensor.Errorf(tensor.ResourceExhausted, "%d strings or handles are needed, the limit of a run is %d bytes"+mem.Raise, n, limit))
	}
	if n > cap(v) {
		return make([]T, n, min(Add(n, n/4), max(n, limit/size)))
	}
	if n < len(v) {
		clear(v[n:])
	}
	return v[:n]
}
