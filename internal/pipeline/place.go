package pipeline

import (
	"errors"
	"fmt"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/partition"
	"github.com/graphc/graphc/placer"
	"github.com/graphc/graphc/rt/device"
)

// places is the state that the placements of a program's signatures share.
type places struct {
	set      *placer.Set
	previous map[string]string // device of each stateful node that an earlier signature placed
	// If hostState is set, all state is on CPUs. This is necessary if one signature puts state on a
	// GPU and another signature uses this state in ops that have only CPU kernels.
	hostState bool
	// stays has the reasons why nodes are not on a GPU, keyed by node.
	stays map[string]string
}

// onGPU reports whether an earlier signature has put state on a GPU.
func (p *places) onGPU() bool {
	for _, d := range p.previous {
		if device.TypeOf(d) == "GPU" {
			return true
		}
	}
	return false
}

// errState is joined to an error that might be avoided by putting all state on CPUs. CompileModel
// then compiles again, with hostState set.
var errState = errors.New("state is needed on a CPU")

// newPlaces returns the set of devices that Options.Devices lists, without any placed nodes.
func (o *Options) newPlaces() (*places, error) {
	names, err := DeviceNames(o.Devices)
	if err != nil {
		return nil, err
	}
	if !o.KeepGraph {
		if err := local(names); err != nil {
			return nil, err
		}
	}
	set, err := placer.NewSet(names)
	if err != nil {
		return nil, err
	}
	return &places{set: set, previous: map[string]string{}, stays: map[string]string{}}, nil
}

// place returns the function that the passes call to place a signature's nodes. The function uses
// TensorFlow's rules, or places nodes at random if Spread is set. It places the nodes only once:
// when the passes run again for other ranks, the placement stays the same. Stateful nodes are
// placed on the device where an earlier signature put their state. If the program has only one
// device, the function checks the rules and then removes the device names from the nodes, so that
// the passes need not consider devices. The function stores the placement in *got.
func (o *Options) place(got **placer.Placement) func(*ir.Graph) error {
	return func(g *ir.Graph) error {
		if *got != nil {
			return nil
		}
		po := placer.Options{Soft: o.SoftPlacement, Log: o.LogPlacement, Previous: o.places.previous, Unpruned: o.NoPlacePruned, Kernels: o.places.kernels}
		var p *placer.Placement
		var err error
		if o.Spread != 0 {
			if err := o.types(g); err != nil {
				return err
			}
			p, err = placer.Spread(g, o.places.set, o.Spread, po)
		} else {
			p, err = placer.Place(g, o.places.set, po)
		}
		if err != nil {
			if err = o.moreDevices(g, err); o.places.onGPU() {
				err = errors.Join(err, errState)
			}
			return err
		}
		*got = p
		o.explain(p)
		if !o.parted() {
			for _, n := range g.Nodes {
				n.Device = ""
			}
		}
		return nil
	}
}

// explain calls ExplainPlacement with one line for each node of a placement.
func (o *Options) explain(p *placer.Placement) {
	if o.ExplainPlacement == nil {
		return
	}
	gpu := slices.ContainsFunc(o.places.set.Devices(), func(d *placer.Device) bool { return d.Type == "GPU" })
	for _, d := range p.Decisions {
		line := d.String() + ": " + d.Reason
		if why := o.places.stays[d.Node]; gpu && why != "" && device.TypeOf(d.Device) == "CPU" {
			line += "; " + why
		}
		o.ExplainPlacement(line)
	}
}

// kernels lists the types of devices that can compute a node. A CPU always can. A GPU can if
// TensorFlow has a GPU kernel for the node, and either this compiler has one, too, or TensorFlow's
// kernel runs on the host. With hostState, only CPUs can compute nodes that have state.
func (p *places) kernels(n *ir.Node) []placer.Kernel {
	l := []placer.Kernel{{Type: "CPU"}}
	switch {
	case p.hostState && lower.HasState(n):
		p.stays[n.Name] = "another signature works with the state by ops that only CPUs have"
	case !partition.HasKernel(n, "GPU"):
		p.stays[n.Name] = "TensorFlow has no GPU kernel for it"
	case ops.Ops().LookupGPU(n) != nil || ops.Ops().HostSide(n) || partition.OnHost(n, "GPU"):
		l = append(l, placer.Kernel{Type: "GPU"})
	default:
		p.stays[n.Name] = "graphc has no GPU kernel for it"
	}
	return l
}

// moreDevices checks whether nodes request CPU devices that the program lacks. If so, it returns
// the placement error err joined with another error, which lists all CPU devices that the program
// needs. Otherwise, it returns err.
func (o *Options) moreDevices(g *ir.Graph, err error) error {
	const few = 8
	last := -1
	for _, n := range g.Nodes {
		name, bad := placer.ParseName(n.Device)
		if bad == nil && name.Type == "CPU" && name.HasID && len(o.places.set.Matching(name)) == 0 && name.ID < few {
			last = max(last, name.ID)
		}
	}
	if last < 1 {
		return err
	}
	list := "cpu:0"
	for i := range last {
		list += fmt.Sprintf(",cpu:%d", i+1)
	}
	return errors.Join(err, &MoreDevices{list})
}

// types checks the requests for devices before nodes are placed at random. It returns the error of
// the placement rules if a node requests a type of device that the program lacks, unless
// SoftPlacement is set. All other requests are ignored.
func (o *Options) types(g *ir.Graph) error {
	there := map[string]bool{}
	for _, d := range o.places.set.Devices() {
		there[d.Type] = true
	}
	for _, n := range g.Nodes {
		if name, err := placer.ParseName(n.Device); err == nil && name.HasType && !there[name.Type] && !o.SoftPlacement {
			_, err := placer.Place(g.Clone(), o.places.set, placer.Options{})
			return err
		}
	}
	return nil
}
