package rt

import (
	"context"
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestWatched: a WatchFunc gets copies of the tensors, and its error is the error of the run. A run
// without a WatchFunc does not call Watched.
func TestWatched(t *testing.T) {
	p := newPool(t)
	data := []float32{1, 2}
	show := func(s *state) error {
		if !s.Watches() {
			return nil
		}
		return Watched(s, "a:0", "Relu", data, 2, 1)
	}
	if err := runIn(context.Background(), p, show); err != nil {
		t.Error(err)
	}
	var got *tensor.Tensor
	ctx := WithRun(context.Background(), Watch(func(name string, x *tensor.Tensor) error {
		got = x
		return tensor.Errorf(tensor.Aborted, "%s", name)
	}))
	if err := runIn(ctx, p, show); err == nil || err.Error() != `node "a" (Relu): Aborted: a:0` {
		t.Error(err)
	}
	data[0] = 9
	if want := tensor.Must(tensor.From(tensor.Shape{2, 1}, []float32{1, 2})); !reflect.DeepEqual(got, want) {
		t.Errorf("it is shown %v, want %v", got, want)
	}
}
