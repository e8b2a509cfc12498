package rt

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// GrowTo resizes buffer k, which is outside the block, to n elements. The parameter size is the
// size of an element in bytes. GrowTo ends the run with InvalidArgument if n is negative, and with
// ResourceExhausted if the run would need more memory than its limit allows.
func (s *State[D, V, I, M, X]) GrowTo(k, n, size int) {
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
	b := &s.run.budget
	b.Give(cap(s.Grown[k]))
	s.Grown[k] = nil
	b.Need(need)
	if more := min(need/4, b.Left()); more > 0 && b.Take(more) == nil {
		need += more
	}
	s.Grown[k] = block(need)[:Mul(n, size)]
	if s.hook != nil {
		s.Grew(cap(s.Grown[k]), s.held())
	}
}

// spare is called by the run's mem.Budget when memory runs short; see Budget.Init. It releases
// buffers that earlier runs left and that this run has not used yet. The second result is the total
// size of these buffers in bytes. The parameter made is the number of bytes counted so far for strings
// and for objects of handles. The first result is how many of these bytes are no longer referenced.
// While several threads work for the run, spare does nothing.
func (s *State[D, V, I, M, X]) spare(made int) (values, other int) {
	if s.run.shared {
		return 0, 0
	}
	before := s.held()
	s.trim()
	other = before - s.held()
	// Finding the referenced values takes long. It is done only when enough new values were made.
	if made-s.live > s.max/64 {
		s.live = min(made, mem.Held(s.Strings, s.Handles))
		values = made - s.live
	}
	return values, other
}

// trim releases the memory of those buffers that this run has not used yet. Earlier runs left this
// memory.
func (s *State[D, V, I, M, X]) trim() {
	for i, g := range s.Grown {
		if len(g) == 0 {
			s.Grown[i] = nil
		}
	}
	for i, v := range s.Strings {
		if len(v) == 0 {
			s.Strings[i] = nil
		}
	}
	for i, v := range s.Handles {
		if len(v) == 0 {
			s.Handles[i] = nil
		}
	}
}

// held returns the total size in bytes of all buffers. For the block, this is the size that the
// layout of this run needs, even if an earlier run left a larger block.
func (s *State[D, V, I, M, X]) held() int {
	team := len(s.own)
	if s.side != nil {
		team = len(s.Of.own)
	}
	total := Add(s.layout.size, Mul(s.layout.own, team))
	for _, g := range s.Grown {
		total = Add(total, cap(g))
	}
	for _, v := range s.Strings {
		total = Add(total, cap(v)*tensor.String.Size())
	}
	for _, v := range s.Handles {
		total = Add(total, cap(v)*tensor.Resource.Size())
	}
	return total
}

// together is called with the argument true when several threads begin to work for the run, and with
// false when they have ended. In the meantime, the buffers that earlier runs left cannot be released.
// Therefore together releases them first if the run uses more than half of its memory limit.
func (s *State[D, V, I, M, X]) together(on bool) {
	if on && s.run.budget.Used() > s.max/2 {
		s.run.budget.Spare()
	}
	s.run.shared = on
}

// GrowStrings resizes string buffer k to n elements.
func (s *State[D, V, I, M, X]) GrowStrings(k, n int) {
	s.Strings[k] = refs(&s.run.budget, s.Strings[k], n, tensor.String.Size())
}

// GrowHandles resizes handle buffer k to n elements.
func (s *State[D, V, I, M, X]) GrowHandles(k, n int) {
	s.Handles[k] = refs(&s.run.budget, s.Handles[k], n, tensor.Resource.Size())
}

// refs returns v resized to n elements. The type T contains pointers, as strings and handles do. The
// parameter size is the size of an element in bytes. Elements beyond the returned length are always
// zero, so they keep no memory alive.
func refs[T any](b *mem.Budget, v []T, n, size int) []T {
	if n < 0 {
		panic(tensor.Errorf(tensor.InvalidArgument, "a tensor would have %d elements", n))
	}
	if n > cap(v) {
		b.Give(cap(v) * size)
		b.Need(Mul(n, size))
		room := n
		if more := min(n/4, b.Left()/size); more > 0 && b.Take(more*size) == nil {
			room += more
		}
		return make([]T, n, room)
	}
	if n < len(v) {
		clear(v[n:])
	}
	return v[:n]
}
