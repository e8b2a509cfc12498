package rt

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestCheckNumerics(t *testing.T) {
	inf, nan := math.Inf(-1), math.NaN()
	f := func(v ...float64) []float64 { return v }
	for _, c := range []struct {
		err  error
		want string
	}{
		{CheckNumerics("a:0", "Log", f(1, 2)), ""},
		{CheckNumerics("a:0", "Log", f()), ""},
		{CheckNumerics("a:0", "Log", f(1, inf)), "Inf"},
		{CheckNumerics("a:1", "Log", f(nan, 1)), "NaN"},
		{CheckNumerics("a:0", "Log", f(nan, 1, inf)), "Inf and NaN"},
		{CheckNumerics("a:0", "Log", []float32{float32(nan)}), "NaN"},
		{CheckNumerics("a:0", "Log", []tensor.F16{tensor.ToF16(1), tensor.ToF16(70000)}), "Inf"},
		{CheckNumerics("a:0", "Log", []tensor.BF16{tensor.ToBF16(float32(nan))}), "NaN"},
		{CheckNumerics("a:0", "Log", []complex64{complex(0, float32(inf))}), "Inf"},
		{CheckNumerics("a:0", "Log", []complex128{complex(nan, 0)}), "NaN"},
		{CheckNumerics("a:0", "Log", []int32{1}), ""},
		{CheckNumerics("a:0", "Log", []string{"NaN"}), ""},
		{TellWatch(context.Background(), "a:0", "Log", true, tensor.Must(tensor.From(nil, f(nan)))), "NaN"},
		{TellWatch(context.Background(), "a:0", "Log", false, tensor.Must(tensor.From(nil, f(nan)))), ""},
	} {
		name := "a:0"
		if c.want == "NaN" && c.err != nil && c.err.Error()[len(c.err.Error())-1] == '1' {
			name = "a:1"
		}
		want := `node "a" (Log): InvalidArgument: Tensor had ` + c.want + " values: " + name
		if c.want == "" && c.err != nil || c.want != "" && (c.err == nil || c.err.Error() != want) {
			t.Errorf("got %v, want %q", c.err, want)
		}
	}
}

// TestWatched: those that watch get tensors of their own, others cost nothing.
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
