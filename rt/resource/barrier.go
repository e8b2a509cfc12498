package resource

import (
	"context"
	"math"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// BarrierParams describes a barrier.
type BarrierParams struct {
	Name string // for errors
}

// Barrier collects the components of tuples by key. A tuple with all its components is ready.
// Ready tuples are taken in the order in which their keys were first inserted.
type Barrier struct {
	BarrierParams
	types int
	ready *Queue // ready tuples, each preceded by its rank in the order of insertion and its key

	mu        sync.Mutex
	closed    bool
	cancelled bool
	next      int64
	// incomplete tuples by key; like the elements of ready, each begins with its rank and its key; a
	// missing component is nil
	parts map[string][]*Box
}

// NewBarrier returns a barrier. See newSpec for types, ranks and dims.
func NewBarrier(p BarrierParams, types, ranks, dims []int) (tensor.Handle, error) {
	q := QueueParams{Name: p.Name, Kind: Priority, Capacity: -1}
	if len(ranks) > 0 {
		ranks = append([]int{0, 0}, ranks...)
	}
	h, err := NewQueue(q, append([]int{int(tensor.Int64), int(tensor.String)}, types...), ranks, dims)
	if err != nil {
		return tensor.Handle{}, err
	}
	return tensor.Handle{V: &Barrier{BarrierParams: p, types: len(types), ready: h.V.(*Queue), next: math.MinInt64, parts: map[string][]*Box{}}}, nil
}

// BarrierOf returns the barrier that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func BarrierOf(h []tensor.Handle) (*Barrier, error) { return of[Barrier](h, "a barrier") }

// Insert sets component i of the tuples with the given keys. The error is InvalidArgument if a tuple
// already has component i, and Cancelled if the barrier is closed and a key is new.
func (b *Barrier) Insert(ctx context.Context, keys []string, values []*Box, i int) error {
	if i < 0 || i >= b.types {
		return tensor.Errorf(tensor.InvalidArgument, "The component ID is out of range %d > num_components (= %d)", i, b.types)
	}
	if len(keys) != len(values) {
		return tensor.Errorf(tensor.InvalidArgument, "%d keys for %d values", len(keys), len(values))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cancelled {
		return tensor.Errorf(tensor.Cancelled, "Barrier %s is closed. Pending enqueues cancelled.", b.Name)
	}
	for k, key := range keys {
		if v := values[k]; v.DType != b.ready.Types[2+i] || b.ready.Shapes != nil && !fits(b.ready.Shapes[2+i], v.Shape) {
			return tensor.Errorf(tensor.InvalidArgument, "the value of key %s does not fit component %d: %v of the shape %v", key, i, v.DType, v.Shape)
		}
		t := b.parts[key]
		if t == nil {
			if b.closed {
				return tensor.Errorf(tensor.Cancelled, "Barrier %s is closed, but attempted to insert a brand new key: %s. Pending inserts cancelled: 0.", b.Name, key)
			}
			t = make([]*Box, 2+b.types)
			t[0] = &Box{DType: tensor.Int64, Shape: []int{}, Data: []int64{b.next}}
			t[1] = &Box{DType: tensor.String, Shape: []int{}, Data: []string{key}}
			b.next++
			b.parts[key] = t
		}
		if t[2+i] != nil {
			return tensor.Errorf(tensor.InvalidArgument, "Key %s already has a value for component %d in barrier %s", key, i, b.Name)
		}
		t[2+i] = values[k]
		if missing(t) {
			continue
		}
		delete(b.parts, key)
		if err := b.ready.Enqueue(ctx, t); err != nil {
			return err
		}
	}
	if b.closed && len(b.parts) == 0 {
		return b.ready.Close(ctx, true)
	}
	return nil
}

func missing(t []*Box) bool {
	for _, b := range t {
		if b == nil {
			return true
		}
	}
	return false
}

// Take waits for n ready tuples and removes them. It stores the components of these tuples in the
// slice parts, as Queue.DequeueMany does. The first element of parts holds the ranks of the tuples in
// the order of insertion, and the second one their keys. Each further element holds one component of
// all these tuples.
func (b *Barrier) Take(ctx context.Context, parts []tensor.Handle, n int, upTo bool) error {
	return b.ready.DequeueMany(ctx, parts, n, upTo)
}

// Close makes the barrier refuse new keys. With cancel, it also drops the incomplete tuples and makes
// the barrier refuse further components. The error is Cancelled if the barrier is already closed,
// unless this is the first call with cancel.
func (b *Barrier) Close(ctx context.Context, cancel bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed && (b.cancelled || !cancel) {
		return tensor.Errorf(tensor.Cancelled, "Barrier '%s' is already closed.", b.Name)
	}
	b.closed, b.cancelled = true, cancel
	if cancel {
		clear(b.parts)
	}
	if len(b.parts) == 0 {
		return b.ready.Close(ctx, true)
	}
	return nil
}

// Destroy resets the barrier to its initial state. Waiting calls return Cancelled.
func (b *Barrier) Destroy() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed, b.cancelled, b.next = false, false, math.MinInt64
	clear(b.parts)
	b.ready.Destroy()
}

// Sizes returns the numbers of ready and of incomplete tuples.
func (b *Barrier) Sizes() (ready, incomplete int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ready.Size(), len(b.parts)
}
