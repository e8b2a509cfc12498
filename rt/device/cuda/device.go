//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/rt/device"
	_ "github.com/graphc/graphc/rt/device/cuda/driver" // defines driver functions with which package cu is linked
	"github.com/graphc/graphc/rt/tensor"
)

// Options are options of a device; the zero value is the default.
type Options struct {
	// Limit is the number of bytes of the GPU's memory that may be in use at a time; 0 means all of
	// the memory.
	Limit int
	// If Check is set, streams wait after each item of a batch, and launch captured work item by
	// item. Then an error names the node whose work has failed. GRAPHC_CUDA_CHECK=1 in the
	// environment has the same effect.
	Check bool
	// If NoTF32 is set, products of float32 matrices are computed in float32. By default the
	// factors are rounded to TF32, as in TensorFlow.
	NoTF32 bool
	// If NoBLAS is set, the device does not use cuBLAS: Multiplies returns false.
	NoBLAS bool
}

// dev is a GPU.
type dev struct {
	device.Account
	id     int
	name   string
	cu     cu.Device
	ctx    cu.CUContext
	opt    Options
	attr   device.Attributes
	major  int
	minor  int
	broken atomic.Pointer[error]
	code   code
	watch  watcher
	peers  sync.Map // the numbers of the GPUs to which the method reach has already requested access
}

// New returns a new device for GPU i. All devices of one GPU share its primary context. The error
// is NotFound if there is no such GPU.
func New(i int, o Options) (device.Device, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, fault(number(err), "the GPUs are counted")
	}
	if i < 0 || i >= n {
		return nil, tensor.Errorf(tensor.NotFound, "there is no GPU %d: the CUDA driver finds %d", i, n)
	}
	o.Check = o.Check || os.Getenv("GRAPHC_CUDA_CHECK") == "1"
	d := &dev{id: i, name: device.Full("GPU", i), opt: o}
	if d.cu, err = cu.GetDevice(i); err != nil {
		return nil, fault(number(err), d.name)
	}
	if d.ctx, err = d.cu.RetainPrimaryCtx(); err != nil {
		return nil, fault(number(err), d.name+" is opened")
	}
	if err := d.describe(); err != nil {
		return nil, err
	}
	return d, nil
}

// describe reads the device's properties from the driver.
func (d *dev) describe() error {
	total, err := d.cu.TotalMem()
	if err != nil {
		return d.asked(err)
	}
	if d.opt.Limit <= 0 || int64(d.opt.Limit) > total {
		d.opt.Limit = int(total)
	}
	d.SetLimit(d.opt.Limit)
	name, err := d.cu.Name()
	if err != nil {
		return d.asked(err)
	}
	var n [4]int
	for i, a := range []cu.DeviceAttribute{cu.MultiprocessorCount, cu.ComputeCapabilityMajor, cu.ComputeCapabilityMinor, cu.PciBusID} {
		if n[i], err = d.cu.Attribute(a); err != nil {
			return d.asked(err)
		}
	}
	d.major, d.minor = n[1], n[2]
	d.attr = device.Attributes{
		Name: d.name, Type: "GPU", MemoryLimit: int64(d.opt.Limit), Incarnation: device.Incarnation(d.name), Processors: n[0],
		Description: fmt.Sprintf("device: %d, name: %s, pci bus: %d, compute capability: %d.%d", d.id, name, n[3], d.major, d.minor),
	}
	return nil
}

// asked converts the error of a query for the device's properties; see the method named did.
func (d *dev) asked(err error) error { return d.did(err, d.name+" is queried") }

func (d *dev) Name() string { return d.name }

func (d *dev) Type() string { return "GPU" }

func (d *dev) Attributes() device.Attributes { return d.attr }

func (d *dev) Err() error {
	if p := d.broken.Load(); p != nil {
		return *p
	}
	return nil
}

// within calls f while the goroutine is locked to a thread whose current context is the device's
// context.
func (d *dev) within(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.did(cu.PushCurrentCtx(d.ctx), "the context is made current"); err != nil {
		return err
	}
	defer func() { _, _ = cu.PopCurrentCtx() }() // the context was pushed, so popping it cannot fail
	return f()
}

func (d *dev) Run(f func() error) error {
	if err := d.Err(); err != nil {
		return err
	}
	return d.within(f)
}

func (d *dev) Sync() error {
	if err := d.Err(); err != nil {
		return err
	}
	err := d.within(func() error { return d.did(cu.Synchronize(), "the device is waited for") })
	if err == nil {
		err = d.Err()
	}
	return err
}
