package graphc

import (
	"maps"
	"slices"
	"time"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// Options say what of a model to compile, and how. The zero value compiles all signatures of the model as the
// command does without flags.
type Options struct {
	// What to compute.

	// Signatures names the model's signatures to compile; none: all of them, but not the serve of a Keras export that
	// computes what its serving_default does; see Program.Notes.
	Signatures []string
	// Feeds, Fetches and Targets make one signature of the caller's own, with the name "", in place of the model's.
	// Feeds and Fetches name tensors, as x:0, or give a key too, as image=x:0. Targets name nodes that run for
	// their effects.
	Feeds, Fetches, Targets []string
	// Calls are several signatures of the caller's own, which share variables, tables and queues. They replace
	// Signatures, Feeds, Fetches and Targets.
	Calls []Call
	// Names gives signatures, feeds and fetches names of the caller's own, by the names of signatures; "" is that of a
	// bare graph. A Diagnostic says in Names which of them is wrong.
	Names map[string]Names
	// Init names nodes that each new instance runs once before anything else, after those that the model names.
	Init []string
	// Shapes gives feeds their shapes, by tensor name, signature key or node name: "1,224,?,3". A ? is a size that is
	// read from what is fed; a name, as in "batch,3", is one that several feeds share; "" is a scalar.
	Shapes map[string]string
	// Connect has readers of one tensor read another: "a:0=y:0" has those of y:0 read a:0.
	Connect []string
	// Partial compiles all signatures so that they can be run in steps, each of which feeds and fetches some tensors.
	Partial bool

	// How it is computed.

	// Weights is how weights of products, convolutions and embedding tables are stored; "" is WeightsF32. Any other
	// value implies ExactConv.
	Weights Weights
	// ExactConv computes no convolution by Winograd's method, which is faster and less exact.
	ExactConv bool
	// Methods says how convolutions are computed, by node name; "*" stands for all others. Where it says nothing, an
	// estimate decides.
	Methods map[string]Method
	// NoOptimize leaves all optional passes out, Without those of these names.
	NoOptimize bool
	Without    []string
	// Fuel is how many edits the optional passes may make; nil: any number. It helps to find an edit that is wrong.
	Fuel *int
	// MaxFolded is the size in bytes of the largest constant that the passes compute and store; 0: Limits.FoldNode.
	MaxFolded int
	// StripDebug takes nodes out that only check and print: Assert, CheckNumerics, Print and PrintV2.
	StripDebug bool
	// Profile is how long nodes take in a run, in nanoseconds by node name; nil: it is estimated.
	Profile map[string]float64
	// Defaults are what an instance does unless its caller says otherwise.
	Defaults Defaults

	// Where it is computed.

	// Devices are those that nodes are placed on: "cpu:0", "gpu:0"; none: cpu:0.
	Devices []string
	// SoftPlacement runs nodes elsewhere whose device does not exist, instead of refusing them.
	SoftPlacement bool
	// PlaceWhole places the whole graph first, also what no fetch needs, as a session of TensorFlow does.
	PlaceWhole bool
	// Spread places nodes at random, by this seed, instead of by TensorFlow's rules; 0: it does not. Tests use it.
	Spread uint64

	// What it may do.

	// AllowFiles compiles ops that read and write files, below the directory that InstanceOptions.Files or rt.WithFiles
	// opens; without it they are PermissionDenied.
	AllowFiles bool
	// Limits bound what compiling, and a run, may take; a field that is 0 is that of LoadOptions.
	Limits Limits

	// What users see of compiling and of runs.

	// Watch are patterns of nodes whose outputs a run shows to those that watch it (rt.Watch): "dense/*", where * is
	// any text and ? any character.
	Watch []string
	// CheckNumerics ends runs with the first node that makes a NaN or an Inf.
	CheckNumerics bool
	// Progress is called with the name of each pass that has run and with the signature.
	Progress func(pass, signature string)
	// LogPlacement is called for each node with a line that says where it runs, ExplainPlacement with one that says
	// why, too.
	LogPlacement, ExplainPlacement func(line string)
}

// Call is a signature of the caller's own; see Options.Feeds.
type Call struct {
	Name                    string
	Feeds, Fetches, Targets []string
	// Shapes gives feeds their shapes; those of Options.Shapes hold for the others.
	Shapes map[string]string
	// Partial compiles the signature so that it can be run in steps.
	Partial bool
}

// Names are the caller's own for a signature. Those that are "" are made of the model's.
type Names struct {
	Name   string // of the signature
	Method string // of Model in an emitted package; "" is made of Name
	// Feeds and Fetches name those of the signature, by key or tensor name.
	Feeds, Fetches map[string]PortNames
}

// PortNames are the caller's own for a feed or a fetch.
type PortNames struct {
	Key   string // by which untyped callers know it
	Field string // of the input or the output type; "" is made of Key
}

// Weights is how weights are stored in a program.
type Weights string

// The ways to store weights. Those of fewer bits are rounded when compiling; a program computes with f32.
const (
	WeightsF32  Weights = "f32"  // as they are
	WeightsF16  Weights = "f16"  // rounded to f16
	WeightsBF16 Weights = "bf16" // rounded to bf16
	WeightsI8   Weights = "int8" // bytes with a scale an output channel, or a row of a table
)

// Method is how a convolution is computed.
type Method string

// The methods of convolutions.
const (
	MethodDirect   Method = "direct"   // as the sums it is
	MethodWinograd Method = "winograd" // by Winograd's method, where that can be
)

// Limits bound what a model may take of the machine. A field that is 0 has its default, which docs/limits.md lists. A
// model beyond one is ResourceExhausted.
type Limits struct {
	Depth     int           // how deep messages of the file nest
	Nodes     int           // of the file, with those of its functions
	Inlined   int           // nodes when all calls are replaced by the bodies of functions
	Calls     int           // how deep calls of functions nest
	FoldNode  int           // bytes of one constant that is computed when compiling
	FoldTotal int           // bytes by which constants computed when compiling make a program grow
	Time      time.Duration // of the processor, for loading, compiling and printing together
	RunBytes  int           // bytes of the buffers of one run
}

// Defaults are what an instance of a program does unless its caller says otherwise; see the options of package rt of the
// same names. The threads are those of emitted programs: an Instance has those of its process.
type Defaults struct {
	Threads      int           // that a call computes with at most; 0: as many as the process has
	InterThreads int           // nodes that run side by side; 0: as many as the process has
	OwnThreads   bool          // threads apart from those of other instances
	Pools        []Pool        // threads that a call may choose; the first is taken where it chooses none
	Timeout      time.Duration // of a call, after which it is DeadlineExceeded; 0: none
	MaxBytes     int           // of the buffers of a run; 0: rt.DefaultMaxBytes
}

// Pool is threads that run nodes.
type Pool struct {
	Name    string // instances share what has one name; "": of the instance alone
	Threads int    // 0: as many as the process has
}

// clone returns options that share no slices and maps with o.
func (o *Options) clone() Options {
	c := *o
	for _, list := range []*[]string{&c.Signatures, &c.Feeds, &c.Fetches, &c.Targets, &c.Init, &c.Connect, &c.Without, &c.Devices, &c.Watch} {
		*list = slices.Clone(*list)
	}
	c.Shapes, c.Methods, c.Profile = maps.Clone(o.Shapes), maps.Clone(o.Methods), maps.Clone(o.Profile)
	c.Calls, c.Defaults.Pools = slices.Clone(o.Calls), slices.Clone(o.Defaults.Pools)
	for i := range c.Calls {
		k := &c.Calls[i]
		k.Feeds, k.Fetches, k.Targets, k.Shapes = slices.Clone(k.Feeds), slices.Clone(k.Fetches), slices.Clone(k.Targets), maps.Clone(k.Shapes)
	}
	c.Names = maps.Clone(o.Names)
	for sig, n := range c.Names {
		n.Feeds, n.Fetches = maps.Clone(n.Feeds), maps.Clone(n.Fetches)
		c.Names[sig] = n
	}
	if o.Fuel != nil {
		n := *o.Fuel
		c.Fuel = &n
	}
	return c
}

// WithDefaults returns the limits with the defaults of those that are 0.
func (l Limits) WithDefaults() Limits { return Limits(ir.Limits(l).WithDefaults()) }

// or returns l with the fields of m where it has none.
func (l Limits) or(m Limits) Limits {
	a, b := ir.Limits(l), ir.Limits(m)
	for _, k := range ir.LimitKinds {
		if v := b.Get(k.Key); a.Get(k.Key) == 0 && v > 0 {
			_ = a.Set(k.Key, v) // the name is one, and the value positive
		}
	}
	return Limits(a)
}

// check reports negative limits.
func (l Limits) check() error {
	for _, k := range ir.LimitKinds {
		if v := ir.Limits(l).Get(k.Key); v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the limit %s is %d; a positive number is accepted, or 0 for the default", k.Key, v)
		}
	}
	return nil
}

// engine checks the options and returns those of the pipeline that mean the same. Nothing of them is shared with o
// but maps and slices that are only read.
func (o *Options) engine() (pipeline.Options, error) {
	p := pipeline.Options{Signatures: o.Signatures, Feeds: o.Feeds, Fetches: o.Fetches, Targets: o.Targets, Init: o.Init,
		Shapes: o.Shapes, Connect: o.Connect, Partial: o.Partial, ExactConv: o.ExactConv, NoOpt: o.NoOptimize, Without: o.Without,
		MaxFolded: o.MaxFolded, StripDebug: o.StripDebug, Profile: o.Profile, Defaults: o.Defaults.engine(), Devices: o.Devices, SoftPlacement: o.SoftPlacement,
		NoPlacePruned: o.PlaceWhole, Spread: o.Spread, AllowFiles: o.AllowFiles, Limits: ir.Limits(o.Limits), Watch: o.Watch,
		CheckNumerics: o.CheckNumerics, LogPlacement: o.LogPlacement, ExplainPlacement: o.ExplainPlacement}
	for _, c := range o.Calls {
		p.Calls = append(p.Calls, pipeline.Call(c))
	}
	p.Names = pipeline.NamesOf(o.Names)
	if o.Fuel != nil {
		n := *o.Fuel // which compiling counts down
		p.Fuel = &n
	}
	if o.Progress != nil {
		p.Dump = func(pass, signature string, _ *ir.Graph) {
			if pass != "" {
				o.Progress(pass, signature)
			}
		}
	}
	var err error
	if p.Weights, err = lower.ParseWeights(string(o.Weights)); err != nil {
		return p, err
	}
	if p.Methods, err = methods(o.Methods); err != nil {
		return p, err
	}
	if err := checkPasses(o.Without); err != nil {
		return p, err
	}
	return p, o.Limits.check()
}

// methods checks the methods of convolutions.
func methods(byNode map[string]Method) (map[string]lower.Method, error) {
	if len(byNode) == 0 {
		return nil, nil
	}
	out := make(map[string]lower.Method, len(byNode))
	for node, m := range byNode {
		if m != MethodDirect && m != MethodWinograd {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the method of %q is %q; %s and %s are accepted", node, string(m), MethodDirect, MethodWinograd)
		}
		out[node] = lower.Method(m)
	}
	return out, nil
}

// checkPasses reports names that no optional pass has.
func checkPasses(names []string) error {
	table := passes.Table()
	for _, name := range names {
		i := slices.IndexFunc(table, func(p passes.Pass) bool { return p.Name == name })
		switch {
		case i < 0:
			return tensor.Errorf(tensor.NotFound, "there is no pass %q to leave out; graphc passes lists them", name)
		case table[i].Required:
			return tensor.Errorf(tensor.InvalidArgument, "the pass %q is required and cannot be left out", name)
		}
	}
	return nil
}

func (d Defaults) engine() pipeline.Defaults {
	out := pipeline.Defaults{Threads: d.Threads, InterThreads: d.InterThreads, OwnThreads: d.OwnThreads, Timeout: d.Timeout, MaxBytes: d.MaxBytes}
	for _, p := range d.Pools {
		out.Pools = append(out.Pools, pipeline.Pool(p))
	}
	return out
}

// ofEngine is the inverse of engine.
func (d *Defaults) ofEngine(p pipeline.Defaults) {
	*d = Defaults{Threads: p.Threads, InterThreads: p.InterThreads, OwnThreads: p.OwnThreads, Timeout: p.Timeout, MaxBytes: p.MaxBytes}
	for _, x := range p.Pools {
		d.Pools = append(d.Pools, Pool(x))
	}
}
