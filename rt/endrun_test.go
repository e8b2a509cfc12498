package rt

import (
	"context"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// TestEndRun: a failed run releases the mutex that it holds.
func TestEndRun(t *testing.T) {
	h := []tensor.Handle{resource.NewMutex("m")}
	m, err := resource.MutexOf(h)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := m.Lock(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		endRun([]tensor.Handle{{}, {V: 1}, {V: l}})
	}
}
