package flags

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/internal/config"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/trace"
)

// Model has the flags that select the parts of a model to compile, and the options for compiling
// them. Several commands have these flags.
type Model struct {
	Signatures, Feeds, Fetches, Targets []string
	Calls, init                         []string
	shapes, renames                     []string
	tags                                []string
	config, checkpoint                  string
	noOpt, exactConv                    bool
	Devices                             Devices
	connect                             []string
	watch                               []string
	profile                             string
	checkNumerics, partial, allowFiles  bool
	passes                              Passes
	ops                                 string
	weights                             lower.Weights
}

// Register defines all flags.
func (f *Model) Register(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.Signatures, "signature", nil, "signature to compile; default: all, except serve if it computes the same as serving_default (repeat for several)")
	fl.StringArrayVar(&f.Feeds, "feed", nil, "tensor to feed, as name or name:k, instead of a signature")
	fl.StringVar(&f.profile, "profile", "", "file with the measured costs of nodes from graphc run --profile, to decide what runs in parallel")
	f.RegisterRest(fl)
}

// RegisterRest registers all flags except --signature, --feed and --profile, which have other
// meanings for `graphc run`.
func (f *Model) RegisterRest(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.Fetches, "fetch", nil, "tensor to fetch, instead of a signature")
	fl.StringArrayVar(&f.Targets, "target", nil, "node to run for its effects, instead of a signature")
	fl.StringArrayVar(&f.Calls, "call", nil, "signature to define instead of the model's: \"NAME: FEED, … -> FETCH, …; TARGET, …\" (repeat for several)")
	fl.StringArrayVar(&f.renames, "rename", nil, "new names: \"SIGNATURE=NAME as METHOD: FEED=KEY as FIELD, … -> FETCH=KEY as FIELD, …\" (repeat for several); see \"graphc help names\"")
	fl.StringArrayVar(&f.watch, "watch", nil, "nodes whose outputs a run shows to watchers: 'dense/*', where * is any text and ? any character (repeat for several)")
	fl.BoolVar(&f.partial, "partial", false, "compile signatures as partial runs, whose steps each feed and fetch some of the tensors")
	f.RegisterSession(fl)
}

// RegisterSession defines the flags for reading and compiling a model. An interactive session needs
// only these flags.
func (f *Model) RegisterSession(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.init, "init", nil, "node that a new instance runs once for its effects (repeat for several)")
	fl.StringArrayVar(&f.shapes, "shape", nil, "shape of a feed: x=1,224,?,3; a name stands for an unknown size that feeds share")
	fl.StringVar(&f.config, "config", "", "tf2xla.Config file (.pbtxt, .pb) that names feeds and fetches")
	fl.StringVar(&f.checkpoint, "checkpoint", "", "prefix of the checkpoint with the initial values of variables and tables (default: the SavedModel's or .meta's own)")
	fl.StringVar(&f.ops, "ops", "", "graphc.yaml whose Go functions are the kernels of ops")
	fl.StringSliceVar(&f.tags, "tags", nil, "tags of the SavedModel's meta graph (default serve)")
	fl.BoolVar(&f.noOpt, "noopt", false, "exclude the optional passes")
	fl.BoolVar(&f.exactConv, "exact-conv", false, "never compute convolutions by Winograd's method, which is faster and less exact")
	fl.Var(&f.weights, "weights", "store the weights of products, convolutions and embedding tables as f32, f16, bf16 or int8")
	fl.StringArrayVar(&f.connect, "connect", nil, "replace uses of one tensor by another: a:0=y:0 makes users of y:0 read a:0 (repeat for several)")
	fl.BoolVar(&f.checkNumerics, "check-numerics", false, "end runs at the first node that computes a NaN or an Inf")
	fl.BoolVar(&f.allowFiles, "allow-files", false, "compile ops that read and write files below the directory that a run opens; by default they are errors")
	f.Devices.Register(fl)
	f.passes.Register(fl)
}

// Options returns the options of package pipeline that the flags select.
func (f *Model) Options() (pipeline.Options, error) {
	s, err := f.Spec()
	if err != nil {
		return pipeline.Options{}, err
	}
	return s.Engine()
}

// Spec returns the options of the root package that the flags select. It returns an error if flags
// exclude each other.
func (f *Model) Spec() (Spec, error) {
	s := Spec{Load: graphc.LoadOptions{Config: f.config, Checkpoint: f.checkpoint, Tags: f.tags},
		Opts: graphc.Options{Signatures: f.Signatures, Feeds: f.Feeds, Fetches: f.Fetches, Targets: f.Targets, Init: f.init,
			NoOptimize: f.noOpt, ExactConv: f.exactConv, Weights: graphc.Weights(f.weights.String()), Connect: f.connect,
			Watch: f.watch, CheckNumerics: f.checkNumerics, Partial: f.partial, AllowFiles: f.allowFiles}}
	o := &s.Opts
	if err := f.Devices.Apply(o, os.Stderr); err != nil {
		return s, err
	}
	if err := f.passes.Apply(o); err != nil {
		return s, err
	}
	s.Load.Limits = o.Limits
	if err := f.goOps(&s); err != nil {
		return s, err
	}
	if len(f.Signatures) > 0 && len(f.Feeds)+len(f.Fetches)+len(f.Targets) > 0 {
		return s, base.Usagef("--signature and --feed, --fetch or --target exclude each other")
	}
	if len(f.Calls) > 0 && len(f.Signatures)+len(f.Feeds)+len(f.Fetches)+len(f.Targets) > 0 {
		return s, base.Usagef("--call and --signature, --feed, --fetch or --target exclude each other")
	}
	for _, text := range f.Calls {
		c, err := parseCall(text)
		if err != nil {
			return s, err
		}
		for _, have := range o.Calls {
			if have.Name == c.Name {
				return s, base.Usagef("--call %s: duplicate call %s", text, c.Name)
			}
		}
		o.Calls = append(o.Calls, c)
	}
	var err error
	if o.Names, err = parseRenames(f.renames); err != nil {
		return s, err
	}
	if o.Profile, err = ReadProfile(f.profile); err != nil {
		return s, err
	}
	o.Shapes, err = parseShapes(f.shapes)
	return s, err
}

// goOps stores in s the ops of the file that the flag --ops names. The kernels of these ops are Go
// functions. Without the flag, goOps does nothing.
func (f *Model) goOps(s *Spec) error {
	if f.ops == "" {
		return nil
	}
	c, err := config.Load(f.ops)
	if err != nil {
		return &base.CodeError{Code: base.ExitUsage, Err: err}
	}
	return s.SetGoOps(c)
}

// SetGoOps stores in s those ops of graphc.yaml whose kernels are Go functions.
func (s *Spec) SetGoOps(c *config.Config) (err error) {
	if s.goOps, err = c.GoOps(); err != nil {
		return base.Usagef("%s: %w", c.Path, err)
	}
	s.Load.GoOpsDir, s.Load.GoOpsFile = filepath.Dir(c.Path), c.Path
	for _, o := range c.Ops {
		s.Load.GoOps = append(s.Load.GoOps, graphc.GoOp(o))
	}
	return nil
}

// ReadProfile reads a file of measured times, and returns the time of each node in a run in
// nanoseconds. It returns nil if name is "".
func ReadProfile(name string) (map[string]float64, error) {
	p, err := openProfile(name)
	if p == nil || err != nil {
		return nil, err
	}
	return p.PerRun(), nil
}

// Profile reads the file that the flag --profile names. The Profile has the measured costs on all
// devices. It is nil if the flag is not set.
func (f *Model) Profile() (*trace.Profile, error) { return openProfile(f.profile) }

func openProfile(name string) (*trace.Profile, error) {
	if name == "" {
		return nil, nil
	}
	f, _, err := files.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := trace.ReadProfile(f)
	if err != nil {
		return nil, files.In(name, err)
	}
	return p, nil
}

// parseCall parses the value of the flag --call, which has the form
//
//	NAME: FEED, … -> FETCH, …; TARGET, …
//
// Each of the three lists may be empty. If the list after "->" or ";" is empty, this separator may
// be missing.
func parseCall(text string) (graphc.Call, error) {
	name, rest, ok := strings.Cut(text, ":")
	c := graphc.Call{Name: strings.TrimSpace(name)}
	if !ok || c.Name == "" {
		return c, base.Usagef("--call %s: want NAME: FEED, … -> FETCH, …; TARGET, …", text)
	}
	list := func(s string) []string {
		var words []string
		for _, w := range strings.Split(s, ",") {
			if w = strings.TrimSpace(w); w != "" {
				words = append(words, w)
			}
		}
		return words
	}
	rest, targets, _ := strings.Cut(rest, ";")
	feeds, fetches, _ := strings.Cut(rest, "->")
	c.Feeds, c.Fetches, c.Targets = list(feeds), list(fetches), list(targets)
	if len(c.Fetches)+len(c.Targets) == 0 {
		return c, base.Usagef("--call %s: neither a fetch nor a target is named: want NAME: FEED, … -> FETCH, …; TARGET, …", text)
	}
	return c, nil
}

// parseShapes parses the values of the flag --shape, such as "x=1,224,?,3". It returns the shapes,
// keyed by feed.
func parseShapes(flags []string) (map[string]string, error) {
	if len(flags) == 0 {
		return nil, nil
	}
	m := map[string]string{}
	for _, s := range flags {
		name, shape, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, base.Usagef("--shape %s: want NAME=1,224,?,3", s)
		}
		if _, twice := m[name]; twice {
			return nil, base.Usagef("--shape %s: %s has a shape already", s, name)
		}
		if err := pipeline.CheckShape(name, shape); err != nil {
			return nil, base.Usagef("--shape %s: %w", s, err)
		}
		m[name] = shape
	}
	return m, nil
}

// Phase starts a progress line for compiling the model, which shows the current pass. It returns
// nil if lines about placement are printed on the same terminal.
func (s *Spec) Phase(a *base.App, model string) *base.Phase {
	if s.Opts.LogPlacement != nil || s.Opts.ExplainPlacement != nil {
		return nil
	}
	p := a.NewPhase(model)
	if p != nil {
		s.Opts.Progress = p.Passes(model)
	}
	return p
}

// Read reads a model. If there are several paths, the files are GraphDefs, and Read merges them.
func (s *Spec) Read(ctx context.Context, paths []string) (*graphc.Model, error) {
	s.Load.More = paths[1:]
	m, err := graphc.Load(ctx, paths[0], &s.Load)
	return m, base.WrapModel(paths, err)
}
