package sim

import (
	"slices"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/packed"
	"github.com/graphc/graphc/rt/device/sim/ptx"
	"github.com/graphc/graphc/rt/tensor"
)

// loaded is the text of a module, parsed once for all devices of a machine.
type loaded struct {
	code *ptx.Module
	err  error
}

// module is a device's copy of a module. Each copy has separate global variables.
type module struct{ code *ptx.Module }

// load returns the device's copy of a module.
func (d *Device) load(of *device.Module) (*module, error) {
	if m := d.modules[of]; m != nil {
		return m, nil
	}
	if of == nil || of.PTX == nil && of.Gzip == nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the module has no PTX")
	}
	l := d.m.code[of]
	if l == nil {
		l = new(loaded)
		var text string
		if text, l.err = packed.Text(of); l.err == nil {
			l.code, l.err = ptx.Parse(text)
		}
		if d.m.code == nil {
			d.m.code = map[*device.Module]*loaded{}
		}
		d.m.code[of] = l
	}
	if l.err != nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%v", l.err)
	}
	m := &module{l.code.Copy()}
	d.modules[of] = m
	return m, nil
}

// kernel returns the module of a kernel and the sizes of the kernel's parameters. It returns an
// error unless all sizes are 8 bytes.
func (d *Device) kernel(k *device.Kernel) (*module, []int, error) {
	if k == nil {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "there is no kernel")
	}
	m, err := d.load(k.Module)
	if err != nil {
		return nil, nil, err
	}
	sizes, ok := m.code.Parameters(k.Entry)
	if !ok {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the module has no kernel %s, but %v", k.Entry, m.code.Entries())
	}
	for i, n := range sizes {
		if n != 8 {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "parameter %d of kernel %s has %d bytes, not 8", i, k.Entry, n)
		}
	}
	return m, sizes, nil
}

// Prepare parses the kernels' modules.
func (d *Device) Prepare(ks ...*device.Kernel) error {
	if err := d.Err(); err != nil {
		return err
	}
	d.m.lock()
	defer d.m.mu.Unlock()
	if err := d.inject(PrepareFault); err != nil {
		return err
	}
	for _, k := range ks {
		if _, _, err := d.kernel(k); err != nil {
			return err
		}
	}
	return nil
}

// prepared is the type of Batch.Prepared for a simulated device. It holds the converted batch.
type prepared struct {
	d    *Device
	was  device.Batch
	work []func(*stream) error
}

// read converts a batch to work of a stream. When the stream does this work later, it does not read
// the batch again, but only the host memory that the items name. It is an error to change a batch
// without setting its field Prepared to nil, because devices that use Prepared would then do the
// old work. If this has happened, read returns an error.
func (d *Device) read(b *device.Batch) ([]func(*stream) error, error) {
	if p, ok := b.Prepared.(*prepared); ok && p.d == d {
		if !p.was.Equal(b) {
			return nil, internal("a batch has changed since it was launched, and Prepared is kept")
		}
		return p.work, nil
	}
	p := &prepared{d: d, was: device.Batch{Items: slices.Clone(b.Items), Args: slices.Clone(b.Args)}}
	var err error
	if p.work, err = d.items(b); err == nil {
		b.Prepared = p
	}
	return p.work, err
}

// items converts the items of a batch to work.
func (d *Device) items(b *device.Batch) ([]func(*stream) error, error) {
	var out []func(*stream) error
	for i := range b.Items {
		it := b.Items[i]
		f, err := d.item(b, &it)
		if err != nil {
			return nil, tensor.AtNode(err, it.Node, it.Op)
		}
		out = append(out, func(*stream) error {
			return tensor.AtNode(f(), it.Node, it.Op)
		})
	}
	return out, nil
}

// item returns a function that does the work of an item.
func (d *Device) item(b *device.Batch, it *device.Item) (func() error, error) {
	m := d.m
	switch it.Kind {
	case device.LaunchItem:
		if it.First < 0 || it.Count < 0 || it.First > len(b.Args) || it.Count > len(b.Args)-it.First {
			return nil, internal("a launch has arguments outside its batch")
		}
		return d.launch(it, slices.Clone(b.Arguments(it)))
	case device.GemmItem:
		g := it.Gemm
		if !d.Multiplies(&g) {
			return nil, tensor.Errorf(tensor.Unimplemented, "the device does not multiply matrices of %s", g.DType)
		}
		return func() error { return d.multiply(&g) }, nil
	}
	if it.N < 0 {
		return nil, internal("the size of a copy is %d bytes", it.N)
	}
	if it.Kind == device.InItem || it.Kind == device.OutItem {
		if it.N != len(it.Host) {
			return nil, internal("a copy of %d bytes has %d bytes of host memory", it.N, len(it.Host))
		}
		if !m.pinned.has(it.Host) {
			return nil, internal("a batch uses host memory that is not from AllocHost")
		}
	}
	if it.N == 0 {
		return func() error { return nil }, nil
	}
	switch it.Kind {
	case device.FillItem:
		return func() error {
			dst, err := m.bytes(d, it.Dst, it.N)
			if err == nil {
				err = d.inject(CopyFault)
			}
			if err != nil {
				return err
			}
			for i := range dst {
				dst[i] = it.Value
			}
			d.clock += uint64(it.N+127) / 128
			return nil
		}, nil
	case device.InItem:
		return func() error {
			dst, err := m.bytes(d, it.Dst, it.N)
			return d.copy(dst, it.Host[:it.N], err)
		}, nil
	case device.OutItem:
		return func() error {
			src, err := m.bytes(d, it.Src, it.N)
			return d.copy(it.Host, src, err)
		}, nil
	case device.MoveItem, device.PeerItem:
		if it.Kind == device.PeerItem && !d.Reaches(it.From) {
			return nil, internal("a copy from %T, which %s does not reach", it.From, d.name)
		}
		return func() error {
			dst, err := m.bytes(d, it.Dst, it.N)
			if err != nil {
				return err
			}
			src, err := m.bytes(d, it.Src, it.N)
			if err == nil && it.Dst < it.Src+device.Ptr(it.N) && it.Src < it.Dst+device.Ptr(it.N) {
				err = internal("a copy of %d bytes from %#x to %#x overlaps itself", it.N, it.Src, it.Dst)
			}
			return d.copy(dst, src, err)
		}, nil
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "items of kind %d are not supported", it.Kind)
}

// launch returns a function that runs the kernel of a launch item.
func (d *Device) launch(it *device.Item, args []uint64) (func() error, error) {
	mod, sizes, err := d.kernel(it.Kernel)
	if err != nil {
		return nil, err
	}
	if len(sizes) != len(args) {
		return nil, internal("kernel %s has %d parameters and is given %d arguments", it.Kernel.Entry, len(sizes), len(args))
	}
	entry := it.Kernel.Entry
	grid, block, shared := [3]int{it.Grid.X, it.Grid.Y, it.Grid.Z}, [3]int{it.Block.X, it.Block.Y, it.Block.Z}, it.Shared
	if err := mod.code.Fits(entry, grid, block, shared); err != nil {
		return nil, internal("%v", err)
	}
	return func() error {
		if err := d.inject(LaunchFault); err != nil {
			return err
		}
		o := &ptx.Options{Workers: d.opt.Workers, Limit: d.opt.Instructions, Count: &d.clock, Races: d.opt.Races}
		if mod.code.Atomic(entry) {
			o.Workers = 1
		}
		if d.m.rng != nil {
			o.Seed = d.m.rng.Uint64() | 1
		}
		err := mod.code.Launch(entry, grid, block, shared, args, view{d}, o)
		if err == nil {
			return nil
		}
		return d.fail(tensor.AtNode(internal("%v; the device is now unusable", err), it.Node, it.Op))
	}, nil
}
