package parts

import (
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// TestDevices: a program uses the devices of WithDevices; missing CPUs are created.
func TestDevices(t *testing.T) {
	one := device.CPUWithLimit(1, 1<<10)
	b, err := rt.Open(nil, WithDevices(one))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	got, err := Devices(b, device.Full("CPU", 0), device.Full("CPU", 1), device.Full("CPU", 0))
	if err != nil || got[0].Name() != device.Full("CPU", 0) || got[1] != one || got[2] != got[0] {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := Devices(b, device.Full("GPU", 0)); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("a device that is not there: %v", err)
	}
	if _, err := rt.Open(nil, WithDevices(nil)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a nil device: %v", err)
	}
}

// TestBlockOfDevice: a state's block is allocated on the device and counts in the device's usage.
// It is freed when the instance is closed. If the device has too little memory, the error is
// ResourceExhausted.
func TestBlockOfDevice(t *testing.T) {
	d := device.CPUWithLimit(0, 1<<10)
	b, err := rt.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	type none struct{}
	for _, c := range []struct {
		bytes int
		code  tensor.Code
	}{{512, tensor.OK}, {1 << 11, tensor.ResourceExhausted}} {
		var p rt.Pool[none, none, none, none, none]
		p.Init(b, &rt.Code[none]{Arena: c.bytes}, nil)
		On(&p, d)
		s, err := p.Get(t.Context(), none{})
		if tensor.CodeOf(err) != c.code {
			t.Errorf("%d bytes: %v, want %v", c.bytes, err, c.code)
		}
		if err == nil {
			if n := d.Usage().InUse; n < c.bytes || len(s.Arena) < c.bytes {
				t.Errorf("%d bytes: the device counts %d, the state has %d", c.bytes, n, len(s.Arena))
			}
			p.Put(s, &err)
		}
	}
	if err := b.Close(); err != nil || d.Usage().InUse != 0 {
		t.Errorf("%d bytes are in use after Close: %v", d.Usage().InUse, err)
	}
}
