package parts

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// WithDevices makes the partitions of a program for several devices run on the devices in list. A
// partition's device is found by its name. If a CPU is not in the list, it is created.
func WithDevices(list ...device.Device) rt.Option {
	return rt.Extend(given{}, func(have any) (any, error) {
		for _, d := range list {
			if d == nil {
				return nil, tensor.Errorf(tensor.InvalidArgument, "WithDevices: a device is nil")
			}
		}
		devices, _ := have.([]device.Device)
		return append(devices, list...), nil
	})
}

// given is the key under which an instance keeps the devices of WithDevices.
type given struct{}

// Devices returns the devices with the given full names, on which a program's partitions run. They
// are found in the list of WithDevices. A CPU that is not in the list is created. For any other
// missing device the error is NotFound.
func Devices(b *rt.Base, names ...string) ([]device.Device, error) {
	return DevicesOf(b, nil, names...)
}

// DevicesOf returns devices like the function Devices. If open is not nil, DevicesOf calls it to open
// each device that is neither in the list of WithDevices nor a CPU.
func DevicesOf(b *rt.Base, open func(name string) (device.Device, error), names ...string) ([]device.Device, error) {
	have, _ := b.Extension(given{}).([]device.Device)
	out := make([]device.Device, len(names))
	for i, name := range names {
		for _, d := range have {
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

// On makes the pool's states allocate their blocks on d.
func On[D comparable, V, I, M, X any](p *rt.Pool[D, V, I, M, X], d device.Device) {
	p.Blocks(func(n int) (rt.Block, error) {
		m, err := d.Alloc(n)
		if err != nil {
			return nil, err
		}
		if m.Host() == nil {
			_ = m.Free() // the error below is returned
			return nil, tensor.Errorf(tensor.Unimplemented, "kernels of the host cannot work in the memory of %s", d.Name())
		}
		return m, nil
	})
}
