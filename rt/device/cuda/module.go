//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"bytes"
	"slices"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/packed"
	"github.com/graphc/graphc/rt/tensor"
)

// code contains the modules and kernels that a device has loaded.
type code struct {
	mu      sync.Mutex
	modules map[*device.Module]cu.Module
	kernels map[*device.Kernel]*kernel
	cubins  []*device.Cubins // the machine code of the programs that use the device
}

// Use implements device.Assembler.
func (d *dev) Use(c *device.Cubins) {
	d.code.mu.Lock()
	defer d.code.mu.Unlock()
	if !slices.Contains(d.code.cubins, c) {
		d.code.cubins = append(d.code.cubins, c)
	}
}

// binary returns machine code for a module, or nil if there is no suitable code. The code is either
// part of the module, or belongs to a program and was assembled from the module's PTX. The
// parameter text is this PTX.
func (d *dev) binary(m *device.Module, text string) *string {
	if bin := cubin(m, d.major, d.minor); bin != nil || text == "" || len(d.code.cubins) == 0 {
		return bin
	}
	sum := device.Sum(text)
	for _, c := range d.code.cubins {
		if bin, ok := c.Find(sum, d.major, d.minor); ok {
			return &bin
		}
	}
	return nil
}

// kernel is a loaded entry of a module.
type kernel struct {
	fn     cu.Function
	shared int // the dynamic shared memory that a block may use
}

// ordinary is the number of bytes of dynamic shared memory that a block may use by default.
const ordinary = 48 << 10

func (d *dev) Prepare(ks ...*device.Kernel) error {
	if err := d.Err(); err != nil {
		return err
	}
	return d.within(func() error {
		for _, k := range ks {
			if _, err := d.kernel(k, 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// The method kernel loads the entry for k, if it is not loaded yet, and returns it. The method also
// makes sure that each block of this kernel can use the given number of bytes of dynamic shared
// memory.
func (d *dev) kernel(k *device.Kernel, shared int) (*kernel, error) {
	c := &d.code
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.kernels[k]
	if f == nil {
		m, err := d.load(k.Module)
		if err != nil {
			return nil, err
		}
		f = &kernel{shared: ordinary}
		if f.fn, err = m.Function(k.Entry); err != nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "%s has no kernel %s: %v", d.name, k.Entry, d.did(err, "it is looked up"))
		}
		if c.kernels == nil {
			c.kernels = map[*device.Kernel]*kernel{}
		}
		c.kernels[k] = f
	}
	if shared > f.shared {
		if err := d.check(int(C.graphc_shared(C.CUfunction(raw(&f.fn)), C.int(shared))), k.Entry+" is given shared memory"); err != nil {
			return nil, err
		}
		f.shared = shared
	}
	return f, nil
}

// raw returns the driver's handle from a value of a type of package cu. Such a type is a struct
// whose only field is the handle.
func raw[T any](v *T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(v)) }

// cubin returns the module's machine code for a processor of compute capability major.minor, or
// nil. Code also runs on processors with the same major number and a higher minor number. Among the
// suitable codes, cubin selects the one with the highest minor number.
func cubin(m *device.Module, major, minor int) *string {
	var best *device.Cubin
	for i := range m.Cubins {
		if c := &m.Cubins[i]; c.Major == major && c.Minor <= minor && (best == nil || c.Minor > best.Minor) {
			best = c
		}
	}
	if best == nil {
		return nil
	}
	return best.Code
}

// load loads a module, unless it is already loaded. It prefers machine code. If there is no
// suitable code, or the driver refuses the code, load uses the PTX, which the driver compiles and
// caches.
func (d *dev) load(m *device.Module) (cu.Module, error) {
	if got, ok := d.code.modules[m]; ok {
		return got, nil
	}
	var loaded cu.Module
	code := noBinary
	text, err := packed.Text(m)
	if err != nil {
		return loaded, err
	}
	if bin := d.binary(m, text); bin != nil {
		loaded, err = cu.LoadDataEx(*bin)
		code = number(err)
	}
	if code != 0 && (m.PTX != nil || m.Gzip != nil) {
		log := make([]byte, 8<<10)
		loaded, err = cu.LoadDataEx(text, &cu.JITErrorLogBuffer{Buffer: log})
		if code = number(err); code != 0 {
			said := string(bytes.TrimSpace(log[:bytes.IndexByte(append(log, 0), 0)]))
			return loaded, tensor.Errorf(tensor.InvalidArgument, "%s does not accept the PTX: %s\n%s", d.name, message(d.check(code, "it is compiled")), said)
		}
	}
	if code != 0 {
		return loaded, tensor.Errorf(tensor.InvalidArgument, "%s does not accept the machine code: %s", d.name, message(d.check(code, "it is loaded")))
	}
	if d.code.modules == nil {
		d.code.modules = map[*device.Module]cu.Module{}
	}
	d.code.modules[m] = loaded
	return loaded, nil
}

// message returns an error's text without its code.
func message(err error) string {
	if e, ok := err.(*tensor.Error); ok {
		return e.Msg
	}
	return err.Error()
}
