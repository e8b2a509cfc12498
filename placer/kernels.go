package placer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
)

// Kernel describes a kernel of an op. Type is its device type. If Priority is higher than that of
// another kernel of the op, this kernel is preferred; 0 means no preference.
type Kernel struct {
	Type     string
	Priority int
}

// composite is the type of devices that combine several devices: they support every op.
const composite = "COMPOSITE"

// isXLA reports whether a device type is used only by nodes that request it.
func isXLA(typ string) bool {
	switch typ {
	case "XLA_CPU", "XLA_GPU", "TPU", "XLA_CPU_JIT", "XLA_GPU_JIT", "XLA_TPU_JIT":
		return true
	}
	return false
}

// cpuKernels is the default list of kernels: every op has a kernel for CPU only.
var cpuKernels = []Kernel{{Type: "CPU"}}

func defaultKernels(*ir.Node) []Kernel { return cpuKernels }

// ranks holds the ranks that TensorFlow gives device types in a build without GPU.
var ranks = map[string]int{"GPU": 210, "CPU": 60}

// rank returns how much a device type is preferred; -1 for an unregistered type.
func (p *placer) rank(typ string) int {
	if r, ok := p.o.Priority[typ]; ok {
		return r
	}
	return -1
}

// types lists the possible device types of a node or a group, best first. Equal lists are shared,
// so they can be compared by their pointers.
type types struct {
	list []Kernel
}

func (t *types) has(typ string) (priority int, ok bool) {
	for _, k := range t.list {
		if k.Type == typ {
			return k.Priority, true
		}
	}
	return 0, false
}

// prioritised reports whether any kernel in t has a priority other than 0.
func (t *types) prioritised() bool {
	return slices.ContainsFunc(t.list, func(k Kernel) bool { return k.Priority != 0 })
}

func (t *types) String() string {
	l := make([]string, len(t.list))
	for i, k := range t.list {
		l[i] = k.Type
	}
	return "[" + list(l, 20) + "]"
}

// intern returns the shared list that is equal to l. The list l must be sorted.
func (p *placer) intern(l []Kernel) *types {
	var key strings.Builder
	for _, k := range l {
		fmt.Fprintf(&key, "%s %d\n", k.Type, k.Priority)
	}
	t := p.lists[key.String()]
	if t == nil {
		t = &types{l}
		p.lists[key.String()] = t
	}
	return t
}

// sort sorts a list of kernels by decreasing priority, then by decreasing rank of the device type,
// and then by the type's name.
func (p *placer) sort(l []Kernel) []Kernel {
	slices.SortStableFunc(l, func(a, b Kernel) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(p.rank(b.Type), p.rank(a.Type)), strings.Compare(a.Type, b.Type))
	})
	return l
}

// supported returns the device types that are in the device set and for which n has a kernel. A
// node without kernels may still run in another task: its request must contain job, replica and
// task, and these must differ from those of the default local device.
func (p *placer) supported(n *ir.Node) *types {
	var l []Kernel
	for _, k := range p.o.Kernels(n) {
		if slices.Contains(p.set.types, k.Type) && !slices.ContainsFunc(l, func(o Kernel) bool { return o.Type == k.Type }) {
			l = append(l, k)
		}
	}
	if len(l) == 0 && p.local != nil {
		r, err := ParseName(n.Device)
		switch {
		case err != nil || !r.hasTask() || r.SameTask(p.local.Name):
		case r.HasType:
			l = []Kernel{{Type: r.Type}}
		default:
			for _, t := range p.set.types {
				l = append(l, Kernel{Type: t})
			}
		}
	}
	return p.intern(p.sort(l))
}

// intersect returns the types in both lists, or nil. If only one list has preferences, they are
// kept. If both lists have preferences, they are kept if they result in the same order, and are
// dropped otherwise.
func (p *placer) intersect(a, b *types) *types {
	if a == b && len(a.list) > 0 {
		return a
	}
	key := [2]*types{a, b}
	if t, ok := p.meets[key]; ok {
		return t
	}
	t := p.meet(a, b)
	p.meets[key] = t
	return t
}

func (p *placer) meet(a, b *types) *types {
	var as, bs []Kernel
	for _, k := range a.list {
		if prio, ok := b.has(k.Type); ok {
			as, bs = append(as, k), append(bs, Kernel{k.Type, prio})
		}
	}
	if len(as) == 0 {
		return nil
	}
	ta, tb := p.intern(p.sort(as)), p.intern(p.sort(bs))
	switch {
	case !tb.prioritised():
		return ta
	case !ta.prioritised():
		return tb
	case slices.EqualFunc(ta.list, tb.list, func(x, y Kernel) bool { return x.Type == y.Type }):
		return ta
	}
	none := make([]Kernel, len(ta.list))
	for i, k := range ta.list {
		none[i] = Kernel{Type: k.Type}
	}
	return p.intern(p.sort(none))
}
