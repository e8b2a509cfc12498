//go:build cuda && cgo && linux

package cuda

/*
#include <stdlib.h>
#include "call.h"
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// prepared is a batch in the form that a C function executes in one call. It refers to the host
// memory of the batch's items, so that this memory stays allocated. Streams and captured work refer
// to a prepared batch as long as they need it, even after the original batch is gone.
type prepared struct {
	d     *dev
	items *C.graphc_item
	nodes []node
	hosts [][]byte
	gemms bool
}

// node names the graph node and the kernel of an item, for errors.
type node struct{ name, op, kernel string }

// prepare converts the items of a batch to C structs. If the batch has already been converted, it
// returns the earlier result.
func (d *dev) prepare(b *device.Batch) (*prepared, error) {
	if p, ok := b.Prepared.(*prepared); ok && p.d == d {
		return p, nil
	}
	p := &prepared{d: d, nodes: make([]node, len(b.Items))}
	var values *C.uint64_t
	var pointers *unsafe.Pointer
	p.items = C.graphc_items(C.size_t(len(b.Items)), C.size_t(len(b.Args)), &values, &pointers)
	if p.items == nil {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "the host has no memory for a batch of %d items", len(b.Items))
	}
	runtime.AddCleanup(p, func(q unsafe.Pointer) { C.free(q) }, unsafe.Pointer(p.items))
	copy(unsafe.Slice((*uint64)(values), len(b.Args)), b.Args)
	args := unsafe.Slice(pointers, len(b.Args)+1)
	for i, to := range unsafe.Slice(p.items, len(b.Items)) {
		it := &b.Items[i]
		p.nodes[i] = node{it.Node, it.Op, ""}
		err := p.item(&to, it)
		if err != nil {
			return nil, tensor.AtNode(err, it.Node, it.Op)
		}
		if it.Kind == device.LaunchItem {
			to.args, p.nodes[i].kernel = &args[it.First], it.Kernel.Entry
		}
		unsafe.Slice(p.items, len(b.Items))[i] = to
	}
	b.Prepared = p
	return p, nil
}

// The method item converts an item of a batch to a C struct, and stores the result in *to.
func (p *prepared) item(to *C.graphc_item, it *device.Item) error {
	to.dst, to.src, to.n = C.CUdeviceptr(it.Dst), C.CUdeviceptr(it.Src), C.size_t(it.N)
	switch it.Kind {
	case device.LaunchItem:
		if it.Shared > math.MaxInt32 {
			return tensor.Errorf(tensor.Internal, "%s needs %d bytes of shared memory", it.Kernel.Entry, it.Shared)
		}
		k, err := p.d.kernel(it.Kernel, it.Shared)
		if err != nil {
			return err
		}
		to.kind, to.fn, to.shared = C.GRAPHC_LAUNCH, C.CUfunction(raw(&k.fn)), C.uint(it.Shared)
		to.grid, to.block = dim(it.Grid), dim(it.Block)
	case device.FillItem:
		to.kind, to.value = C.GRAPHC_FILL, C.uchar(it.Value)
	case device.InItem, device.OutItem:
		if !locked(it.Host) {
			return tensor.Errorf(tensor.Internal, "the host memory of a copy is not from AllocHost")
		}
		to.kind, to.host, to.n = C.GRAPHC_IN, C.uintptr_t(address(it.Host)), C.size_t(len(it.Host))
		if it.Kind == device.OutItem {
			to.kind = C.GRAPHC_OUT
		}
		p.hosts = append(p.hosts, it.Host)
	case device.MoveItem:
		to.kind = C.GRAPHC_MOVE
	case device.PeerItem:
		from, ok := it.From.(*memory)
		switch {
		case !ok || from.free.Load():
			return tensor.Errorf(tensor.Internal, "a copy from %T that %s does not reach, or that is freed", it.From, p.d.name)
		case from.d.id == p.d.id:
			to.kind = C.GRAPHC_MOVE
		default:
			if err := p.d.reach(from.d); err != nil {
				return err
			}
			to.kind, to.to, to.from = C.GRAPHC_PEER, C.CUcontext(raw(&p.d.ctx)), C.CUcontext(raw(&from.d.ctx))
		}
	case device.GemmItem:
		if !p.d.Multiplies(&it.Gemm) {
			return tensor.Errorf(tensor.Unimplemented, "%s has no library for such products", p.d.name)
		}
		to.kind, p.gemms = C.GRAPHC_GEMM, true
		p.d.gemm(&to.gemm, &it.Gemm)
	default:
		return tensor.Errorf(tensor.Unimplemented, "a GPU does not support items of kind %d", it.Kind)
	}
	return nil
}

func dim(d device.Dim) [3]C.uint { return [3]C.uint{C.uint(d.X), C.uint(d.Y), C.uint(d.Z)} }

// run appends the work of a prepared batch to the stream.
func (s *stream) run(p *prepared) error {
	var handle unsafe.Pointer
	if p.gemms {
		var err error
		if handle, err = s.multiplier(); err != nil {
			return err
		}
	}
	check := C.int(0)
	if s.d.opt.Check {
		check = 1
	}
	var at C.int
	code := int(C.graphc_run(s.raw(), handle, p.items, C.int(len(p.nodes)), check, &at))
	runtime.KeepAlive(p)
	if code == 0 {
		return nil
	}
	n := p.nodes[at]
	what := "it is done"
	if n.kernel != "" {
		what = fmt.Sprintf("%s is launched", n.kernel)
	}
	if code < 0 {
		return tensor.AtNode(blasError(-code, "a product"), n.name, n.op)
	}
	return tensor.AtNode(s.d.check(code, what), n.name, n.op)
}
