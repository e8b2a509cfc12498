package sim

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devicetest"
)

// TestPeers sends messages between devices of the same machine, and between devices of two
// machines. If the streams of one side do not wait for events, messages arrive corrupted.
func TestPeers(t *testing.T) {
	right := func(seed uint64, to *Machine, wrap func(from, to device.Device) (device.Device, device.Device)) bool {
		t.Helper()
		m := new(Machine)
		if to == nil {
			to = m
		}
		a, b := New(0, Options{Seed: seed, Machine: m}), New(1, Options{Seed: seed, Machine: to})
		from, into := wrap(a, b)
		ok, err := devicetest.Peers(from, into)
		must(t, err)
		for _, l := range append(a.Leaks(), b.Leaks()...) {
			t.Error("left:", l)
		}
		return ok
	}
	asIs := func(a, b device.Device) (device.Device, device.Device) { return a, b }
	for seed := range uint64(20) {
		if !right(seed, nil, asIs) {
			t.Errorf("seed %d: messages of a neighbour are wrong", seed)
		}
		if !right(seed, new(Machine), asIs) {
			t.Errorf("seed %d: messages of another machine are wrong", seed)
		}
	}
	for name, wrap := range map[string]func(a, b device.Device) (device.Device, device.Device){
		"sender":   func(a, b device.Device) (device.Device, device.Device) { return devicetest.Hasty{Device: a}, b },
		"receiver": func(a, b device.Device) (device.Device, device.Device) { return a, devicetest.Hasty{Device: b} },
	} {
		noticed := 0
		for seed := range uint64(20) {
			if !right(seed, nil, wrap) {
				noticed++
			} else if seed == 0 {
				t.Errorf("that the %s does not wait is not noticed", name)
			}
		}
		if noticed < 10 {
			t.Errorf("that the %s does not wait is noticed with %d seeds of 20", name, noticed)
		}
	}
}
