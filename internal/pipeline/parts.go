package pipeline

import (
	"fmt"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	flowops "github.com/graphc/graphc/ops/flow"
	"github.com/graphc/graphc/partition"
	"github.com/graphc/graphc/partition/regions"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/device"
)

// parted reports whether the nodes of a graph can be placed on more than one device.
func (o *Options) parted() bool { return len(o.Devices) > 1 }

// whole reports whether the passes run in two steps: passes.RunWhole on the whole graph and, after
// the graph has been divided into parts, passes.RunPart on each part. Otherwise, passes.Run runs
// all passes.
func (o *Options) whole() bool { return o.parted() || o.Partial }

// client returns the full name of the device on which feeds and fetches are: the first CPU.
func (o *Options) client() string {
	return o.places.set.Default().FullName
}

// lowered makes the plan of graph g. If the graph was processed by passes.Run, the result is a plan
// for one device. After passes.RunWhole, lowered divides the graph, runs passes.RunPart on each
// part, and returns a plan that consists of the plans of the parts.
func (o *Options) lowered(g *ir.Graph, name string, po passes.Options, lo []lower.Option) (*plan.Plan, error) {
	if !o.whole() {
		return o.lower(g, name, po, lo)
	}
	if on := passes.Devices(g); (len(on) == 0 || len(on) == 1 && device.TypeOf(on[0]) == "CPU") && !o.Partial {
		if err := passes.RunPart(g, po); err != nil {
			return nil, err
		}
		return o.lower(g, name, po, lo)
	}
	if err := ops.Ops().Compilable(g, lo...); err != nil {
		return nil, err
	}
	order, err := lower.Schedule(g)
	if err != nil {
		return nil, err
	}
	do := regions.Options{First: o.client(), Order: order, State: flowops.StateShapes}
	if o.Partial {
		do.Stages, do.Keeps = regions.Stages(g, order), ops.Ops().Keeps
	}
	d, err := regions.Divide(g, do)
	if err != nil {
		return nil, err
	}
	var parts []*plan.Plan
	for _, r := range d.Parts {
		q := po
		q.Device = device.TypeOf(r.Home)
		if q.Dump != nil {
			at := r.Home
			if o.Partial {
				at = fmt.Sprintf("%s stage %d", r.Home, r.Stage)
			}
			q.Dump = func(pass string, g *ir.Graph) { po.Dump(pass+"@"+at, g) }
		}
		if err := passes.RunPart(r.Graph, q); err != nil {
			return nil, fmt.Errorf("partition %s: %w", r.Home, err)
		}
		p, err := o.lower(r.Graph, name, po, append(slices.Clip(lo), lower.ForDevice(r.Home, onHost)))
		if err != nil {
			return nil, fmt.Errorf("partition %s: %w", r.Home, err)
		}
		p.Batch = "" // micro-batches would have to begin in all parts together
		p.Device, p.Gives = r.Home, gives(g, r.Graph)
		if o.Partial {
			p.Needs, p.Sizes = do.Stages.Stages[r.Stage].Feeds, do.Stages.Stages[r.Stage].Sizes
		}
		parts = append(parts, p)
	}
	pairs := make([]plan.Pair, len(d.Pairs))
	for i, p := range d.Pairs {
		pairs[i] = plan.Pair(p)
	}
	whole := plan.InParts(parts, pairs)
	whole.Partial = o.Partial
	whole.DropIdle()
	whole.HandOver()
	return whole, nil
}

// onHost reports whether a partition on a GPU computes node n on the host, as TensorFlow does, for
// example with small integer tensors.
func onHost(n *ir.Node) bool { return partition.OnHost(n, "GPU") }

// lower makes the plan for a graph whose nodes are all on one device.
func (o *Options) lower(g *ir.Graph, name string, po passes.Options, lo []lower.Option) (*plan.Plan, error) {
	p, err := ops.Ops().Lower(g, name, lo...) // Lower needs types and shapes, which the passes have inferred
	if err != nil {
		return nil, err
	}
	if !po.NoOpt {
		p.Batch = ops.Ops().BatchSize(g, p)
		p.Join()
		p.HostFirst()
		p.ReadInPlace()
		p.FuseElements()
		if device.IsCPU(p.Device) { // only work on CPUs is divided into tasks for threads
			p.Fork(o.Profile)
		}
	}
	return p, nil
}

// gives returns, for each fetch of the second graph, the index of this fetch in the first graph.
// The second graph is a part of the first. Both graphs have their fetches in the same order.
func gives(whole, part *ir.Graph) []int {
	at := []int{}
	i := 0
	for _, f := range part.Fetches {
		for whole.Fetches[i].Name != f.Name || whole.Fetches[i].Key != f.Key {
			i++
		}
		at = append(at, i)
		i++
	}
	return at
}
