package resource

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestDestroy: Destroy resets a resource to its initial state and ends calls that wait for the
// resource.
func TestDestroy(t *testing.T) {
	ctx := context.Background()
	q, _ := NewQueue(QueueParams{Name: "q", Capacity: 1}, []int{int(tensor.Int64)}, nil, nil)
	queue := q.V.(*Queue)
	one := []*Box{{DType: tensor.Int64, Shape: []int{}, Data: []int64{1}}}
	if err := queue.Enqueue(ctx, one); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() { waits <- queue.Enqueue(ctx, one) }()
	for queue.waiting() == 0 {
		runtime.Gosched()
	}
	queue.Destroy()
	var e *tensor.Error
	if err := <-waits; !errors.As(err, &e) || e.Code != tensor.Cancelled {
		t.Errorf("the waiting call: %v", err)
	}
	if err := queue.Close(ctx, true); err != nil {
		t.Fatal(err)
	}
	queue.Destroy()
	if queue.Closed() || queue.Size() != 0 || queue.Enqueue(ctx, one) != nil {
		t.Errorf("a destroyed queue is closed: %v, has %d elements", queue.Closed(), queue.Size())
	}

	table := NewTable(TableParams{Name: "t", Kind: Hash}, nil).V.(*Table)
	table.Ready, table.N, table.Index = true, 1, map[int64]int{1: 0}
	table.Destroy()
	if table.Ready || table.N != 0 || table.Index != nil {
		t.Errorf("a destroyed table: %v, %d entries", table.Ready, table.N)
	}

	a := NewAccumulator(AccumulatorParams{}, nil).V.(*Accumulator)
	a.SetStep(3)
	if err := a.Apply(3, func(bool) error { return nil }); err != nil {
		t.Fatal(err)
	}
	a.Destroy()
	if a.Count() != 0 || a.Apply(0, func(bool) error { return nil }) != nil || a.Count() != 1 {
		t.Errorf("a destroyed accumulator has %d gradients", a.Count())
	}

	h, _ := NewBarrier(BarrierParams{Name: "b"}, []int{int(tensor.Int64)}, []int{0}, nil)
	b := h.V.(*Barrier)
	if err := b.Insert(ctx, []string{"k"}, one, 0); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(ctx, true); err != nil {
		t.Fatal(err)
	}
	b.Destroy()
	if ready, _ := b.Sizes(); ready != 0 {
		t.Errorf("a destroyed barrier has %d tuples", ready)
	}
	if err := b.Insert(ctx, []string{"k"}, one, 0); err != nil {
		t.Errorf("insert into a destroyed barrier: %v", err)
	}
}

// waiting returns how many calls of Enqueue wait for room.
func (q *Queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.enqueues)
}
