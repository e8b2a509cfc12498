package gpu

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func TestOpen(t *testing.T) {
	for _, name := range []string{"", "GPU:0", device.Full("CPU", 0), device.Full("GPU", -1), "/device:GPU:x"} {
		if _, err := Open(name); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%q: %v", name, err)
		}
	}
	d, err := Open(device.Full("GPU", 0))
	if tensor.CodeOf(err) == tensor.Unimplemented {
		if _, err := New(0, Options{}); tensor.CodeOf(err) != tensor.Unimplemented {
			t.Error(err)
		}
		return // built without GPUs
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := Open("/device:GPU:0")
	if err != nil || again != d || d.Name() != device.Full("GPU", 0) || d.Type() != "GPU" {
		t.Errorf("%v, %v, %v", d.Name(), again, err)
	}
	own, err := New(0, Options{Limit: 1 << 20})
	if err != nil || own == d || own.Usage().Limit != 1<<20 {
		t.Errorf("%v, %v", own, err)
	}
	if _, err := Open(device.Full("GPU", 1000)); tensor.CodeOf(err) != tensor.NotFound {
		t.Error(err)
	}
}
