package main

import (
	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
)

// Commands that look into passes, plans and recorded cases work with the pipeline below the root package. Here
// what flags and graphc.yaml say is put in its terms.

// spec is what flags or graphc.yaml say of a model.
type spec struct {
	load graphc.LoadOptions
	opts graphc.Options

	goOps *goop.Set // those of load, checked; nil for none
}

// engine is the spec in the pipeline's terms.
func (s *spec) engine() (pipeline.Options, error) {
	o, err := engine(&s.opts)
	o.Config, o.Checkpoint, o.Tags, o.GoOps = s.load.Config, s.load.Checkpoint, s.load.Tags, s.goOps
	return o, err
}

// engine is o in the pipeline's terms.
func engine(o *graphc.Options) (pipeline.Options, error) {
	p := pipeline.Options{Signatures: o.Signatures, Feeds: o.Feeds, Fetches: o.Fetches, Targets: o.Targets, Init: o.Init,
		Shapes: o.Shapes, Connect: o.Connect, Partial: o.Partial, ExactConv: o.ExactConv, NoOpt: o.NoOptimize, Without: o.Without,
		MaxFolded: o.MaxFolded, StripDebug: o.StripDebug, Profile: o.Profile, Devices: o.Devices, SoftPlacement: o.SoftPlacement,
		NoPlacePruned: o.PlaceWhole, Spread: o.Spread, AllowFiles: o.AllowFiles, Limits: ir.Limits(o.Limits), Watch: o.Watch,
		CheckNumerics: o.CheckNumerics, LogPlacement: o.LogPlacement, ExplainPlacement: o.ExplainPlacement, Fuel: o.Fuel,
		Defaults: pipeline.Defaults{Threads: o.Defaults.Threads, InterThreads: o.Defaults.InterThreads, OwnThreads: o.Defaults.OwnThreads,
			Timeout: o.Defaults.Timeout, MaxBytes: o.Defaults.MaxBytes}}
	for _, c := range o.Calls {
		p.Calls = append(p.Calls, pipeline.Call(c))
	}
	for _, x := range o.Defaults.Pools {
		p.Defaults.Pools = append(p.Defaults.Pools, pipeline.Pool(x))
	}
	for node, m := range o.Methods {
		if p.Methods == nil {
			p.Methods = map[string]lower.Method{}
		}
		p.Methods[node] = lower.Method(m)
	}
	var err error
	p.Weights, err = lower.ParseWeights(string(o.Weights))
	return p, err
}

// plansOf returns the plans of a signature, one a variant.
func plansOf(s *pipeline.Signature) []*plan.Plan {
	var plans []*plan.Plan
	for _, v := range s.Variants {
		plans = append(plans, v.Plan)
	}
	return plans
}
