package flags

import (
	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// Some commands do not use the root package, but package pipeline. These are the commands that show
// passes or plans and those that run recorded cases. The functions in this file convert flags and
// graphc.yaml to pipeline.Options.

// Spec has the options for reading and compiling a model. They come from flags or from graphc.yaml.
type Spec struct {
	Load graphc.LoadOptions
	Opts graphc.Options

	goOps *goop.Set // result of checking the ops in Load.GoOps; nil if there are no such ops
}

// Engine converts s to options of package pipeline.
func (s *Spec) Engine() (pipeline.Options, error) {
	o, err := Engine(&s.Opts)
	o.Config, o.Checkpoint, o.Tags, o.GoOps = s.Load.Config, s.Load.Checkpoint, s.Load.Tags, s.goOps
	return o, err
}

// Engine converts options of the root package to options of package pipeline.
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
