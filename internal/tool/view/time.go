package view

import (
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/trace"
)

// times is the part of a profile that belongs to one signature.
type times struct {
	Runs  int     `json:"runs"`
	Total float64 `json:"total"` // nanoseconds that one run takes on average
	// Nodes has pairs of a node and its nanoseconds in a run. The time of a step that computes several nodes
	// is divided among them in proportion to their estimated work.
	Nodes []nodeTime `json:"nodes"`
	Other float64    `json:"other"` // nanoseconds in steps without a known node
}

type nodeTime [2]float64

// times returns the times of a signature in a profile. If the profile has no signature of that name, the whole
// profile counts.
func (r *recorder) times(p *trace.Profile, x *history.History, s *pipeline.Signature) *times {
	if p == nil {
		return nil
	}
	named := slices.ContainsFunc(p.Nodes, func(c trace.Cost) bool { return c.Signature == x.Signature })
	t, by := &times{}, map[string]float64{}
	for _, c := range p.Nodes {
		onDevice := strings.HasSuffix(c.Device, trace.AllStreams)
		if named && c.Signature != x.Signature || !device.IsCPU(c.Device) && !onDevice || c.Runs == 0 {
			continue
		}
		by[c.Node] += float64(c.NS) / float64(c.Runs)
		t.Runs = max(t.Runs, c.Runs)
	}
	sums := map[string]float64{}
	shares := workOf(x, s)
	for _, step := range slices.Sorted(maps.Keys(by)) {
		t.Total += by[step]
		r.divide(step, by[step], shares[step], x, sums, &t.Other)
	}
	for _, name := range r.sorted(x) {
		if sums[name] > 0 {
			t.Nodes = append(t.Nodes, nodeTime{float64(r.node(name)), float64(int64(sums[name]))})
		}
	}
	t.Total, t.Other = float64(int64(t.Total)), float64(int64(t.Other))
	return t
}

// divide adds the time of a step to its nodes.
func (r *recorder) divide(step string, ns float64, work map[string]float64, x *history.History, sums map[string]float64, other *float64) {
	// If the plan has no step with this name, the name itself says which node gets the time. It is the
	// name of one node, or the names of a first and a last node.
	if len(work) == 0 {
		first, last, _ := strings.Cut(step, names.Range)
		for _, n := range []string{first, last} {
			if x.Lives[n] != nil {
				sums[n] += ns
				return
			}
		}
		*other += ns
		return
	}
	all := 0.0
	for _, n := range slices.Sorted(maps.Keys(work)) {
		all += work[n]
	}
	for n, w := range work {
		if x.Lives[n] == nil {
			*other += ns * w / all
			continue
		}
		sums[n] += ns * w / all
	}
}

// workOf returns the estimated work of the nodes of each step. The first key is the step's name in a profile,
// the second key is the node.
func workOf(x *history.History, s *pipeline.Signature) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	if s == nil || s.Plan == nil {
		return all
	}
	for _, v := range s.Variants {
		parts := v.Plan.Parts
		if len(parts) == 0 {
			parts = []*plan.Plan{v.Plan}
		}
		for _, p := range parts {
			g := v.Graph
			for _, e := range x.Ends() {
				if e.Device != "" && e.Device == p.Device {
					g = e.Graph
				}
			}
			var labels []string // of steps
			plan.Walk(p.Steps, func(_ int, s plan.Step) {
				label, _ := plan.NodeOf(s)
				labels = append(labels, label)
			})
			for _, c := range cost.OfPlan(g, p, nil) {
				step := labels[c.Step]
				if all[step] == nil {
					all[step] = map[string]float64{}
				}
				all[step][c.Node] += 1 + c.FLOPs + c.Bytes + c.ConstBytes
			}
		}
	}
	return all
}
