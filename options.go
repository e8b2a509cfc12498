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

// Options control what Compile compiles, and how. With the zero value, Compile compiles all
// signatures of the model, as the command does without flags.
type Options struct {
	// The computation.

	// Signatures lists the names of those signatures of the model that are compiled. If the list is
	// empty, all signatures are compiled. There is one exception: if the signature serve of a Keras
	// export computes the same as serving_default, serve is omitted; see Program.Notes.
	Signatures []string
	// Feeds, Fetches and Targets define a single signature with the name "". This signature
	// replaces the signatures of the model. An element of Feeds or Fetches is a tensor such as x:0,
	// or a tensor with a key, such as image=x:0, where the key is image. An element of Targets is
	// the name of a node that runs for its effects.
	Feeds, Fetches, Targets []string
	// Calls define several signatures, which share variables, tables and queues. They replace
	// Signatures, Feeds, Fetches and Targets.
	Calls []Call
	// Names gives signatures, feeds and fetches new names. Its keys are the names of signatures in
	// the model; the key "" is for the signature of a bare graph. Diagnostic.Names says which entry
	// is invalid.
	Names map[string]Names
	// Init lists the names of nodes that each new instance runs once before anything else, after
	// the model's own initialization.
	Init []string
	// Shapes sets the shapes of feeds, keyed by tensor name, signature key or node name. An example
	// is "1,224,?,3". A ? is a size that is taken from the fed tensor. A name, as in "batch,3", is
	// a size that several feeds share. "" is a scalar.
	Shapes map[string]string
	// Connect replaces inputs of nodes: with "a:0=y:0", every node that reads y:0 in the model
	// reads a:0 instead.
	Connect []string
	// Partial compiles all signatures for partial runs: each step feeds and fetches some tensors.
	Partial bool

	// The method of computation.

	// Weights is the storage format for weights of products, convolutions and embedding tables; ""
	// means WeightsF32. Any other value implies ExactConv.
	Weights Weights
	// ExactConv disables Winograd's method for convolutions, which is faster but less exact.
	ExactConv bool
	// Methods sets how convolutions are computed, keyed by node name; "*" stands for all other
	// convolutions. The method of a convolution without an entry is the one that is estimated to be
	// faster.
	Methods map[string]Method
	// NoOptimize omits all optional passes. Without lists the names of optional passes to omit.
	NoOptimize bool
	Without    []string
	// Fuel is the number of edits that the optional passes may make. With nil, there is no limit.
	// Reducing the number helps to find the edit that makes a program wrong.
	Fuel *int
	// MaxFolded is the size in bytes of the largest constant that the passes compute and store.
	// With 0, it is Limits.FoldNode.
	MaxFolded int
	// StripDebug removes nodes that only check and print: Assert, CheckNumerics, Print and PrintV2.
	StripDebug bool
	// Profile holds the time in nanoseconds that each node takes in a run, keyed by node name. With
	// nil, the times are estimated.
	Profile map[string]float64
	// Defaults are the settings of each instance, unless the code that creates the instance
	// overrides them.
	Defaults Defaults

	// Devices.

	// Devices lists the devices on which nodes may be placed, such as "cpu:0" and "gpu:0". If the
	// list is empty, all nodes are placed on cpu:0.
	Devices []string
	// SoftPlacement places a node whose device does not exist on another device, instead of
	// rejecting it.
	SoftPlacement bool
	// PlaceWhole places the whole graph first, including parts that no fetch needs, as a session of
	// TensorFlow does.
	PlaceWhole bool
	// Spread is the seed for placing nodes at random. With 0, nodes are placed by TensorFlow's
	// rules. Spread is meant for tests.
	Spread uint64

	// Permissions.

	// AllowFiles allows ops that read or write files. The files are below the directory that
	// InstanceOptions.Files or rt.WithFiles opens. If AllowFiles is false, compiling such an op
	// fails with PermissionDenied.
	AllowFiles bool
	// Limits bounds the resources that compiling and each run may use. A field that is 0 is
	// replaced by the same field of LoadOptions.Limits.
	Limits Limits

	// Options for the observation of compiling and of runs.

	// Watch holds patterns for names of nodes. A run passes the outputs of these nodes to watchers
	// (rt.Watch). In a pattern such as "dense/*", * stands for any text and ? for any character.
	Watch []string
	// CheckNumerics ends runs at the first node that produces a NaN or an Inf.
	CheckNumerics bool
	// Progress is called after each pass, with the name of the pass and of the signature.
	Progress func(pass, signature string)
	// LogPlacement is called for each node, with a line that says on which device it runs;
	// ExplainPlacement is called with a line that also has the reason.
	LogPlacement, ExplainPlacement func(line string)
}

// Call is a signature defined by the caller; see Options.Feeds.
type Call struct {
	Name                    string
	Feeds, Fetches, Targets []string
	// Shapes sets the shapes of feeds of this signature. Feeds that are not in Shapes have the
	// shapes in Options.Shapes.
	Shapes map[string]string
	// Partial compiles the signature for partial runs.
	Partial bool
}

// Names renames a signature. An empty name is derived from the name in the model.
type Names struct {
	Name   string // of the signature
	Method string // name of the method of Model in an emitted package; if empty, derived from Name
	// Feeds and Fetches rename the feeds and fetches of the signature. They are keyed by key or
	// tensor name.
	Feeds, Fetches map[string]PortNames
}

// PortNames renames a feed or a fetch.
type PortNames struct {
	Key   string // the key in maps of tensors, for callers that do not use the typed methods
	Field string // name of the field of the input or output type; if empty, derived from Key
}

// Weights is the storage format of weights in a program.
type Weights string

// The formats of weights. Weights are rounded to narrower formats at compile time; a program always
// computes in f32.
const (
	WeightsF32  Weights = "f32"  // unchanged
	WeightsF16  Weights = "f16"  // rounded to f16
	WeightsBF16 Weights = "bf16" // rounded to bf16
	WeightsI8   Weights = "int8" // rounded to int8, with a scale for each output channel or table row
)

// Method is the way in which a convolution is computed.
type Method string

// The methods of convolutions.
const (
	MethodDirect   Method = "direct"   // by direct convolution, as sums of products
	MethodWinograd Method = "winograd" // computed by Winograd's method, if possible
)

// Limits bound the resources that a model may use. If a field is 0, its default applies;
// docs/limits.md lists the defaults. For a model that exceeds a limit, the error is
// ResourceExhausted.
type Limits struct {
	Depth     int           // how deeply messages in the file may be nested
	Nodes     int           // number of nodes in the file, including those of its functions
	Inlined   int           // number of nodes after all calls have been replaced by the bodies of the functions
	Calls     int           // how deeply calls of functions may be nested
	FoldNode  int           // bytes of one constant that is computed at compile time
	FoldTotal int           // bytes that constants computed at compile time may add to a program
	Time      time.Duration // processor time for loading, compiling and emitting together
	RunBytes  int           // size in bytes of the buffers of a run
}

// Defaults are the settings of each instance of a program, unless the code that creates the
// instance overrides them; see the options of package rt with the same names. The settings for
// threads apply only to emitted programs; an Instance uses the threads of its process.
type Defaults struct {
	Threads int // largest number of threads of a call; 0: as many as the process has
	// largest number of nodes that run in parallel; 0: as many as the process has threads
	InterThreads int
	OwnThreads   bool          // use separate threads from other instances
	Pools        []Pool        // pools that a call may choose; the first is the default
	Timeout      time.Duration // time after which a call ends with DeadlineExceeded; 0: none
	MaxBytes     int           // limit on the buffers of a run; 0: rt.DefaultMaxBytes
}

// Pool is a pool of threads that run nodes.
type Pool struct {
	Name    string // instances whose pools have the same name share the pool; "": only this instance uses it
	Threads int    // number of threads; 0: as many as the process has
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

// WithDefaults returns l with the default of each field that is 0 in l.
func (l Limits) WithDefaults() Limits { return Limits(ir.Limits(l).WithDefaults()) }

// or returns a copy of l. A field that is 0 in l has the value of the same field of m.
func (l Limits) or(m Limits) Limits {
	a, b := ir.Limits(l), ir.Limits(m)
	for _, k := range ir.LimitKinds {
		if v := b.Get(k.Key); a.Get(k.Key) == 0 && v > 0 {
			_ = a.Set(k.Key, v) // cannot fail: the name is known, and the value positive
		}
	}
	return Limits(a)
}

// check returns an error for negative limits.
func (l Limits) check() error {
	for _, k := range ir.LimitKinds {
		if v := ir.Limits(l).Get(k.Key); v < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the limit %s is %d; a positive number is accepted, or 0 for the default", k.Key, v)
		}
	}
	return nil
}

// engine checks the options and returns the equivalent options of the internal package pipeline.
// The two share only slices and maps that are never changed.
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
		n := *o.Fuel // a copy, because compiling decrements the number
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

// checkPasses returns an error for names that are not optional passes.
func checkPasses(names []string) error {
	table := passes.Table()
	for _, name := range names {
		i := slices.IndexFunc(table, func(p passes.Pass) bool { return p.Name == name })
		switch {
		case i < 0:
			return tensor.Errorf(tensor.NotFound, "unknown pass %q: it cannot be left out; graphc passes lists all passes", name)
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

// ofEngine sets d to the settings p of the pipeline. It is the inverse of the method engine.
func (d *Defaults) ofEngine(p pipeline.Defaults) {
	*d = Defaults{Threads: p.Threads, InterThreads: p.InterThreads, OwnThreads: p.OwnThreads, Timeout: p.Timeout, MaxBytes: p.MaxBytes}
	for _, x := range p.Pools {
		d.Pools = append(d.Pools, Pool(x))
	}
}
