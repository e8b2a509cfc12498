// Package nodiff compares the optimized form of a graph, node by node, with recorded tensors or
// with the results without the optional passes.
package nodiff

import (
	"context"
	"fmt"
	"strings"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// Differ holds one signature of a model and its feeds.
type Differ struct {
	model   *frontend.Model
	feeds   map[string]*tensor.Tensor
	without []string
	fuel    *int
	// plain is the graph of the signature after the required passes. These passes inline functions
	// and replace variables by constants.
	plain *ir.Graph
}

// Value is one tensor of the graph.
type Value struct {
	Tensor string
	Op     string
	Ins    []string
	// Got is the tensor's value in the optimized graph. Want is the recorded value or, if no values
	// are recorded, the value in the graph without optional passes.
	Got, Want *tensor.Tensor
}

// New compiles a signature with the required passes only. The Differ applies the options Without
// and Fuel later, when it optimizes copies of this graph.
func New(m *frontend.Model, o pipeline.Options, feeds map[string]*tensor.Tensor) (*Differ, error) {
	plain := o
	plain.NoOpt, plain.KeepGraph, plain.Without, plain.Fuel = true, true, nil, nil
	p, err := pipeline.CompileModel(m, plain)
	if err != nil {
		return nil, err
	}
	if len(p.Signatures) != 1 {
		return nil, fmt.Errorf("%d signatures: want one", len(p.Signatures))
	}
	return &Differ{m, feeds, o.Without, o.Fuel, p.Signatures[0].Graph}, nil
}

// Fetches runs the optimized graph and returns the signature's fetches.
func (d *Differ) Fetches(ctx context.Context) (map[string]*tensor.Tensor, error) {
	return d.run(ctx, d.plain.Clone(), true)
}

// run compiles and runs g, which is a copy of the graph that New made and may have more fetches.
// The optional passes are applied only if optimise is set.
func (d *Differ) run(ctx context.Context, g *ir.Graph, optimise bool) (map[string]*tensor.Tensor, error) {
	if optimise {
		o := passes.Options{Ops: ops.Ops(), Values: d.model.Variable, Eval: pipeline.Eval, Without: d.without}
		if d.fuel != nil {
			left := *d.fuel // for each graph
			o.Fuel = &left
		}
		if err := passes.Run(g, o); err != nil {
			return nil, err
		}
	}
	if err := ops.Ops().Infer(g); err != nil {
		return nil, err
	}
	p, err := ops.Ops().Lower(g, "diff")
	if err != nil {
		return nil, err
	}
	x, err := exec.New(p)
	if err != nil {
		return nil, err
	}
	return x.Run(ctx, d.feeds)
}

// Nodes calls f with every floating-point tensor that a node computes, in the order of the graph,
// until f returns false. It divides the tensors into chunks of the given size, and compiles the
// graph once for each chunk. The graph then fetches the tensors of the chunk, so that they cannot
// be optimized away.
//
// The parameter recorded maps tensor names to the expected values; its key may be "x" for the
// tensor "x:0". Tensors that are not in this map are skipped. If the map is nil, the expected
// values are those of the graph without optional passes.
func (d *Differ) Nodes(ctx context.Context, chunk int, recorded map[string]*tensor.Tensor, f func(Value) bool) error {
	outs, err := d.tensors(recorded)
	if err != nil {
		return err
	}
	for start := 0; start < len(outs); start += chunk {
		part := outs[start:min(start+chunk, len(outs))]
		got, err := d.run(ctx, d.with(part), true)
		if err != nil {
			return err
		}
		want := map[string]*tensor.Tensor{}
		if recorded == nil {
			if want, err = d.run(ctx, d.with(part), false); err != nil {
				return err
			}
		}
		for _, o := range part {
			name := o.String()
			v := Value{Tensor: name, Op: o.Node.Op, Got: got[name], Want: want[name]}
			if recorded != nil {
				v.Want = lookup(recorded, name)
			}
			for _, in := range o.Node.Ins {
				v.Ins = append(v.Ins, in.String())
			}
			if !f(v) {
				return nil
			}
		}
	}
	return nil
}

// with returns a copy of the graph that also fetches the given tensors.
func (d *Differ) with(outs []ir.Out) *ir.Graph {
	g := d.plain.Clone()
	have := map[string]bool{}
	for _, f := range g.Fetches {
		have[f.Name] = true
	}
	for _, o := range outs {
		if name := o.String(); !have[name] {
			g.Fetches = append(g.Fetches, ir.Fetch{Name: name, Key: name, Out: ir.Out{Node: g.Node(o.Node.Name), Index: o.Index}})
		}
	}
	return g
}

func lookup(recorded map[string]*tensor.Tensor, name string) *tensor.Tensor {
	if t := recorded[name]; t != nil {
		return t
	}
	return recorded[strings.TrimSuffix(name, ":0")]
}

// tensors lists the tensors to compare.
func (d *Differ) tensors(recorded map[string]*tensor.Tensor) ([]ir.Out, error) {
	order, err := d.plain.Order()
	if err != nil {
		return nil, err
	}
	fed := map[*ir.Node]bool{}
	for _, f := range d.plain.Feeds {
		fed[f.Out.Node] = true
	}
	var outs []ir.Out
	for _, n := range order {
		if fed[n] || n.Op == "Const" {
			continue
		}
		for i := range n.Outs {
			o := ir.Out{Node: n, Index: i}
			if n.Outs[i].DType.IsFloat() && (recorded == nil || lookup(recorded, o.String()) != nil) {
				outs = append(outs, o)
			}
		}
	}
	return outs, nil
}
