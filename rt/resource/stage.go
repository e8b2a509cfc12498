package resource

import (
	"context"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// StageParams bounds the contents of a staging area. A call that puts a tuple into the area waits
// until the tuple fits within these bounds.
type StageParams struct {
	Capacity int // the most tuples; 0 means no limit
	Memory   int // the most bytes of all tuples; 0 means no limit
}

// Stage is a staging area of TensorFlow. It contains a queue of tuples, and tuples that are identified
// by a key. A call that gets a tuple waits until another call has put it into the area. A call that
// puts a tuple waits until there is room.
type Stage struct {
	monitor
	line  [][]*Box
	bytes int // the size in bytes of all tuples: those in the fields line, keyed and parts

	keyed map[int64][]*Box // complete tuples; a component that was already taken is nil
	parts map[int64][]*Box // tuples with missing components
}

// NewStage returns an empty staging area.
func NewStage() tensor.Handle {
	return tensor.Handle{V: &Stage{keyed: map[int64][]*Box{}, parts: map[int64][]*Box{}}}
}

// StageOf returns the staging area that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func StageOf(h []tensor.Handle) (*Stage, error) { return of[Stage](h, "a staging area") }

func tupleBytes(t []*Box) int {
	n := 0
	for _, b := range t {
		if b != nil {
			n += b.Bytes()
		}
	}
	return n
}

// room waits until a tuple of n bytes fits within the bounds p. The function count returns the current
// number of tuples. The error is ResourceExhausted if n alone exceeds p.Memory.
func (s *Stage) room(ctx context.Context, p StageParams, n int, count func() int) error {
	if p.Memory > 0 && n > p.Memory {
		return tensor.Errorf(tensor.ResourceExhausted, "Attempted to insert tensors with combined size of '%d' bytes into Staging Area with a memory limit of '%d'.", n, p.Memory)
	}
	return s.await(ctx, func() bool {
		return (p.Capacity <= 0 || count() < p.Capacity) && (p.Memory <= 0 || s.bytes+n <= p.Memory)
	})
}

// Put waits until a tuple fits within the bounds p, and appends it to the queue.
func (s *Stage) Put(ctx context.Context, t []*Box, p StageParams) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := tupleBytes(t)
	if err := s.room(ctx, p, n, func() int { return len(s.line) }); err != nil {
		return err
	}
	s.line = append(s.line, t)
	s.bytes += n
	s.change()
	return nil
}

// Get waits until the queue contains a tuple, and removes and returns the first one.
func (s *Stage) Get(ctx context.Context) ([]*Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.await(ctx, func() bool { return len(s.line) > 0 }); err != nil {
		return nil, err
	}
	t := s.line[0]
	s.line[0] = nil
	s.line = s.line[1:]
	s.bytes -= tupleBytes(t)
	s.change()
	return t, nil
}

// Peek waits until the queue contains more than i tuples, and returns tuple i without removing it. The
// error is InvalidArgument for a negative i.
func (s *Stage) Peek(ctx context.Context, i int) ([]*Box, error) {
	if i < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the index %d is negative", i)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.await(ctx, func() bool { return len(s.line) > i }); err != nil {
		return nil, err
	}
	return s.line[i], nil
}

// Len returns the numbers of tuples in the queue, of complete tuples with keys, and of incomplete
// tuples with keys.
func (s *Stage) Len() (line, keyed, parts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.line), len(s.keyed), len(s.parts)
}

// Clear removes everything.
func (s *Stage) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line, s.bytes = nil, 0
	clear(s.keyed)
	clear(s.parts)
	s.change()
}

// PutKey waits until the components in t fit within the bounds p, and adds them to the tuple with the
// given key. A complete tuple has n components; t[k] is the component with the index indices[k]. The
// error is InvalidArgument for indices that are not ascending or out of range, and for components that
// the tuple already has.
func (s *Stage) PutKey(ctx context.Context, key int64, indices []int32, t []*Box, n int, p StageParams) error {
	if err := inOrder(indices, n); err != nil {
		return err
	}
	if len(indices) != len(t) {
		return tensor.Errorf(tensor.InvalidArgument, "%d indices for %d values", len(indices), len(t))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := tupleBytes(t)
	if err := s.room(ctx, p, size, func() int { return len(s.keyed) }); err != nil {
		return err
	}
	parts := s.parts[key]
	if parts == nil {
		parts = make([]*Box, n)
	}
	if len(parts) != n {
		return tensor.Errorf(tensor.InvalidArgument, "a tuple of %d components is staged as one of %d", len(parts), n)
	}
	for _, i := range indices {
		if parts[i] != nil {
			return tensor.Errorf(tensor.InvalidArgument, "The tensor for index '%d' for key '%d' was already initialized.", i, key)
		}
	}
	for k, i := range indices {
		parts[i] = t[k]
	}
	s.bytes += size
	if slices.Contains(parts, nil) {
		s.parts[key] = parts
		return nil
	}
	delete(s.parts, key)
	if _, ok := s.keyed[key]; ok { // there already is a complete tuple with this key; the new one is dropped
		s.bytes -= tupleBytes(parts)
	} else {
		s.keyed[key] = parts
	}
	s.change()
	return nil
}

func inOrder(indices []int32, n int) error {
	for k, i := range indices {
		if i < 0 || int(i) >= n {
			return tensor.Errorf(tensor.InvalidArgument, "Index '%d' for a tuple of %d components is out of bounds.", i, n)
		}
		if k > 0 && indices[k-1] >= i {
			return tensor.Errorf(tensor.InvalidArgument, "Indices are not strictly ordered")
		}
	}
	return nil
}

// GetKey waits until the tuple with the given key is complete. It returns the components with the
// given indices and, unless peek is set, removes them from the tuple.
func (s *Stage) GetKey(ctx context.Context, key int64, indices []int32, peek bool) ([]*Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.await(ctx, func() bool { return s.keyed[key] != nil }); err != nil {
		return nil, err
	}
	return s.take(key, indices, peek)
}

// GetAny waits until there is a complete tuple, and chooses the one with the least key. It returns the
// key and, like GetKey without peek, removes and returns components.
func (s *Stage) GetAny(ctx context.Context, indices []int32) (int64, []*Box, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.await(ctx, func() bool { return len(s.keyed) > 0 }); err != nil {
		return 0, nil, err
	}
	var key int64
	first := true
	for k := range s.keyed {
		if first || k < key {
			key, first = k, false
		}
	}
	t, err := s.take(key, indices, false)
	return key, t, err
}

func (s *Stage) take(key int64, indices []int32, peek bool) ([]*Box, error) {
	have := s.keyed[key]
	if err := inOrder(indices, len(have)); err != nil {
		return nil, err
	}
	out := make([]*Box, len(indices))
	for k, i := range indices {
		if out[k] = have[i]; out[k] == nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Tensor at index '%d' for key '%d' has already been removed.", i, key)
		}
	}
	if peek {
		return out, nil
	}
	for _, i := range indices {
		have[i] = nil
	}
	s.bytes -= tupleBytes(out)
	if !slices.ContainsFunc(have, func(b *Box) bool { return b != nil }) {
		delete(s.keyed, key)
	}
	s.change()
	return out, nil
}
