package partition

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

//go:embed hostmem.txt
var hostmemText string

// memoryRow describes the TensorFlow kernels of an op for a device type and some element types. Its
// field host lists the arguments and results that are in host memory.
type memoryRow struct {
	host  []string
	types opdef.TypeLimits
}

var memoryRows = sync.OnceValue(func() map[[2]string][]memoryRow {
	m := map[[2]string][]memoryRow{}
	for l := range strings.Lines(hostmemText) {
		w := strings.Fields(l)
		if len(w) < 3 || w[0] == "#" {
			continue
		}
		r := memoryRow{types: opdef.ParseTypeLimits(w[3:])}
		if w[2] != "-" {
			r.host = strings.Split(w[2], ",")
		}
		key := [2]string{w[0], w[1]}
		m[key] = append(m[key], r)
	}
	return m
})

// HostMemory reports for each data input and each output of a node whether the tensor is in host
// memory. The node must have a device. Strings and resources are always in host memory. For all
// other tensors, the answer depends on the declarations of TensorFlow's kernels for the device
// type. If there is no kernel for the device type, or if the node is a call, 32-bit integers are in
// host memory. On a CPU, host memory and device memory are the same, and the answer is used only to
// choose between _Send and _HostSend. The attributes _input_hostmem and _output_hostmem name
// additional inputs and outputs in host memory.
func HostMemory(n *ir.Node) (ins, outs []bool) {
	d := opdef.Lookup(n.Op)
	if d == nil {
		for _, o := range n.Ins {
			ins = append(ins, hostByType(o.Fact().DType))
		}
		for i := range n.Outs {
			outs = append(outs, hostByType(n.Outs[i].DType))
		}
	} else {
		row, known := memoryRowOf(n)
		ins, outs = hostArgs(d.Ins, n, row, known), hostArgs(d.Outs, n, row, known)
	}
	for attr, l := range map[string][]bool{"_input_hostmem": ins, "_output_hostmem": outs} {
		for _, i := range n.Ints(attr) {
			if i >= 0 && i < len(l) {
				l[i] = true
			}
		}
	}
	return ins, outs
}

// memoryRowOf finds the row of a node's kernel on its device.
func memoryRowOf(n *ir.Node) (row memoryRow, known bool) {
	switch n.Op {
	case "SymbolicGradient", "PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall":
		return row, false
	}
	k := kind(n.Device)
	rows := 0
	for _, device := range []string{k, "DEFAULT"} {
		for _, r := range memoryRows()[[2]string{n.Op, device}] {
			rows++
			if r.types.Fit(n) {
				return r, true
			}
		}
	}
	return row, k == "CPU" && rows == 0
}

// HasKernel reports whether TensorFlow has a kernel for the node's op and element types on a device
// type. For calls, which need no kernel, it returns true.
func HasKernel(n *ir.Node, device string) bool {
	switch n.Op {
	case "SymbolicGradient", "PartitionedCall", "StatefulPartitionedCall", "_Arg", "_Retval":
		return true
	}
	_, ok := kernelRow(n, device)
	return ok
}

// OnHost reports whether all arguments and results of TensorFlow's kernel for a node on a device
// type are in host memory, so that the kernel runs on the host.
func OnHost(n *ir.Node, device string) bool {
	d := opdef.Lookup(n.Op)
	row, ok := kernelRow(n, device)
	if d == nil || !ok {
		return false
	}
	in := hostArgs(d.Ins, n, row, true)
	return !slices.Contains(append(in, hostArgs(d.Outs, n, row, true)...), false)
}

// kernelRow returns the memoryRow of the kernel that TensorFlow would use for the node on a device
// type.
func kernelRow(n *ir.Node, device string) (memoryRow, bool) {
	for _, typ := range []string{device, "DEFAULT"} {
		for _, r := range memoryRows()[[2]string{n.Op, typ}] {
			if r.types.Fit(n) {
				return r, true
			}
		}
	}
	return memoryRow{}, false
}

// hostArgs returns, for each tensor of the given arguments or results, whether it is in host
// memory.
func hostArgs(args []opdef.Arg, n *ir.Node, row memoryRow, known bool) []bool {
	var host []bool
	for _, a := range args {
		named := slices.Contains(row.host, a.Name)
		list := n.DTypes(a.TypeListAttr)
		for i := range width(a, n) {
			t := a.DType
			switch {
			case a.TypeListAttr != "":
				t = list[i]
			case a.TypeAttr != "":
				t = n.DType(a.TypeAttr)
			}
			host = append(host, named || t == tensor.String || t == tensor.Resource || !known && hostByType(t))
		}
	}
	return host
}

// hostByType reports whether a tensor of type t is in host memory if the node has no kernel.
func hostByType(t tensor.DType) bool {
	return t == tensor.Int32 || t == tensor.String || t == tensor.Resource
}

// GPUKernel describes a TensorFlow kernel for GPUs. At least one argument or result of the kernel
// is in device memory. Types holds the accepted element types of each type attribute.
type GPUKernel struct {
	Op    string
	Types map[string][]tensor.DType
}

// GPUKernels returns all TensorFlow kernels for GPUs that have an argument or result in device
// memory, sorted by op.
func GPUKernels() []GPUKernel {
	var list []GPUKernel
	for _, key := range slices.SortedFunc(maps.Keys(memoryRows()), func(a, b [2]string) int { return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) }) {
		if key[1] != "GPU" && key[1] != "DEFAULT" {
			continue
		}
		d := opdef.Lookup(key[0])
		if d == nil {
			continue
		}
		for _, r := range memoryRows()[key] {
			k := GPUKernel{Op: key[0], Types: r.types}
			onDevice := func(a opdef.Arg) bool {
				return !slices.Contains(r.host, a.Name) && !a.Ref && a.DType != tensor.String && a.DType != tensor.Resource && a.DType != tensor.Variant
			}
			if slices.ContainsFunc(d.Ins, onDevice) || slices.ContainsFunc(d.Outs, onDevice) {
				list = append(list, k)
			}
		}
	}
	return list
}
