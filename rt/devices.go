package rt

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// WithDevices has the partitions of a program for several devices run on these, found
// by their names. CPUs that are not among them are made, one for each name.
func WithDevices(list ...device.Device) Option {
	return func(o *options) error {
		for _, d := range list {
			if d == nil {
				return tensor.Errorf(tensor.InvalidArgument, "WithDevices: a device is nil")
			}
		}
		o.devices = append(o.devices, list...)
		return nil
	}
}

// Devices returns the devices that a program's partitions run on, by their full
// names. NotFound for one that is no CPU and not among those of WithDevices.
func (b *Base) Devices(names ...string) ([]device.Device, error) { return b.DevicesOf(nil, names...) }

// DevicesOf is Devices where open makes those that are no CPUs; nil makes none.
func (b *Base) DevicesOf(open func(name string) (device.Device, error), names ...string) ([]device.Device, error) {
	out := make([]device.Device, len(names))
	for i, name := range names {
		for _, d := range b.opts.devices {
			if d.Name() == name {
				out[i] = d
			}
		}
		for k := range i {
			if names[k] == name {
				out[i] = out[k]
			}
		}
		if out[i] != nil {
			continue
		}
		_, id, ok := strings.Cut(name, "/device:CPU:")
		n, err := strconv.Atoi(id)
		if !ok && open != nil {
			if out[i], err = open(name); err != nil {
				return nil, err
			}
			continue
		}
		if !ok || err != nil {
			return nil, tensor.Errorf(tensor.NotFound, "the program needs %s: give it with WithDevices", name)
		}
		out[i] = device.CPU(n)
	}
	return out, nil
}

// On has the pool's states take the block of their buffers from d.
func (p *Pool[D, V, I, M]) On(d device.Device) { p.device = d }

// arena gives a state a block of n bytes in the place of the one it has.
func (p *Pool[D, V, I, M]) arena(s *State[D, V, I, M], n int) error {
	s.Arena = nil // let go before the other one is made
	if p.device == nil {
		s.Arena = block(n)
		return nil
	}
	if s.memory != nil {
		m := s.memory
		s.memory = nil
		if err := m.Free(); err != nil {
			return err
		}
	}
	if n == 0 {
		return nil
	}
	m, err := p.device.Alloc(n)
	if err != nil {
		return err
	}
	if s.memory, s.Arena = m, m.Host(); s.Arena == nil {
		return tensor.Errorf(tensor.Unimplemented, "kernels of the host cannot work in the memory of %s", p.device.Name())
	}
	return nil
}
