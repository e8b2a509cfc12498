package flags

import (
	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// Commands that show passes or plans, or run recorded cases, use package pipeline directly instead of
// the root package. The functions in this file convert flags and graphc.yaml to the pipeline's options.

// Spec has the options for a model from flags or graphc.yaml.
type Spec struct {
	Load graphc.LoadOptions
	Opts graphc.Options

	goOps *goop.Set // the ops in Load.GoOps, checked; nil if Load has no such ops
}

// Engine converts the spec to the pipeline's options.
func (s *Spec) Engine() (pipeline.Options, error) {
	o, err := Engine(&s.Opts)
	o.Config, o.Checkpoint, o.Tags, o.GoOps = s.Load.Config, s.Load.Checkpoint, s.Load.Tags, s.goOps
	return o, err
}

// Engine converts o to the pipeline's options.
func Engine(o *graphc.Options) (pipeline.Options, error) {
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
	p.Names = pipeline.NamesOf(o.Names)
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
