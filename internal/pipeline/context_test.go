package pipeline

import (
	"context"
	"testing"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/rt/tensor"
)

// TestContext: compiling ends when its context ends, even in a step that does not check the
// context.
func TestContext(t *testing.T) {
	path := write(t, feed("x", "dim { size: 4 }")+binary("AddV2", "y", "x", "x"))
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Compile([]string{path}, Options{Context: ctx}); err != nil {
		t.Fatal(err)
	}
	o := Options{Context: ctx}
	o.limit()
	begun, stop := make(chan bool), make(chan bool)
	defer close(stop)
	go func() {
		<-begun
		cancel()
	}()
	start := time.Now()
	_, err := Within(o.deadline, func() (int, error) {
		close(begun)
		<-stop
		return 0, nil
	})
	if tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a step that does not end: %v", err)
	}
	if d := time.Since(start); d > grace+5*time.Second {
		t.Errorf("it took %v", d)
	}
	if _, err := Compile([]string{path}, Options{Context: ctx}); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a context that has ended: %v", err)
	}
	if _, err := LoadIn(ctx, []string{path}, frontend.Options{}); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("reading: %v", err)
	}
}
