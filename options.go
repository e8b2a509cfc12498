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

	// Signatures lists the names of the model's signatures to compile. If it is empty, all
	// signatures are compiled, except the signature serve of a Keras export if it computes the same
	// as serving_default; see Program.Notes.
	Signatures []string
	// Feeds, Fetches and Targets define one signature, with the name "", which replaces the model's
	// signatures. Feeds and Fetches list tensors in the form x:0, or in the form image=x:0 with the
	// key image. Targets lists the names of nodes that run for their effects.
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
	// Connect makes the nodes that read one tensor read another tensor: with "a:0=y:0", the nodes
	// that read y:0 read a:0.
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
	// Fuel is the number of edits that the optional passes may make; nil: no limit. It helps to
	// find an edit that is wrong.
	Fuel *int
	// MaxFolded is the size in bytes of the largest constant that the passes compute and store; 0: Limits.FoldNode.
	MaxFolded int
	// StripDebug removes nodes that only check and print: Assert, CheckNumerics, Print and PrintV2.
	StripDebug bool
	// Profile holds the time of nodes in a run, in nanoseconds keyed by node name; nil: the times
	// are estimated.
	Profile map[string]float64
	// Defaults are the settings of each instance, unless the code that creates the instance
	// overrides them.
	Defaults Defaults

	// Devices.

	// Devices are the devices on which nodes may be placed: "cpu:0", "gpu:0"; none: cpu:0.
	Devices []string
	// SoftPlacement places a node whose device does not exist on another device, instead of
	// rejecting it.
	SoftPlacement bool
	// PlaceWhole places the whole graph first, including parts that no fetch needs, as a session of
	// TensorFlow does.
	PlaceWhole bool
	// Spread is the seed for placing nodes at random instead of by TensorFlow's rules; 0:
	// TensorFlow's rules. Tests use it.
	Spread uint64

	// Permissions.

	// AllowFiles compiles ops that read and write files below the directory that
	// InstanceOptions.Files or rt.WithFiles opens. Without it, such ops are an error,
	// PermissionDenied.
	AllowFiles bool
	// Limits bound the resources of compiling and of a run; if a field is 0, the field of
	// LoadOptions.Limits applies.
	Limits Limits

	// Observation of compiling and of runs.

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
	// Shapes sets the shapes of feeds; Options.Shapes applies to the other feeds.
	Shapes map[string]string
	// Partial compiles the signature for partial runs.
	Partial bool
}

// Names renames a signature. An empty name is derived from the name in the model.
type Names struct {
	Name   string // of the signature
	Method string // method of Model in an emitted package; "": derived from Name
	// Feeds and Fetches rename the feeds and fetches of the signature. They are keyed by key or
	// tensor name.
	Feeds, Fetches map[string]PortNames
}

// PortNames renames a feed or a fetch.
type PortNames struct {
	Key   string // the key in maps of tensors, for callers that do not use the typed methods
	Field string // field of the input or output type; "": derived from Key
}

// Weights is the storage format of weights in a program.
type Weights string

// The formats of weights. Weights are rounded to narrower formats at compile time; a program always
// computes in f32.
const (
	WeightsF32  Weights = "f32"  // unchanged
	WeightsF16  Weights = "f16"  // rounded to f16
	WeightsBF16 Weights = "bf16" // rounded to bf16
	WeightsI8   Weights = "int8" // int8, with a scale for each output channel or row of a table
)

// Method is the way in which a convolution is computed.
type Method string

// The methods of convolutions.
const (
	MethodDirect   Method = "direct"   // computed as sums of products
	MethodWinograd Method = "winograd" // computed by Winograd's method, if possible
)

// Limits bound the resources that a model may use. If a field is 0, its default applies;
// docs/limits.md lists the defaults. For a model that exceeds a limit, the error is
// ResourceExhausted.
type Limits struct {
	Depth     int           // nesting of messages in the file
	Nodes     int           // nodes of the file, including those of its functions
	Inlined   int           // nodes after all calls are replaced by the bodies of functions
	Calls     int           // nesting of calls of functions
	FoldNode  int           // bytes of one constant that is computed at compile time
	FoldTotal int           // bytes that constants computed at compile time may add to a program
	Time      time.Duration // processor time for loading, compiling and printing together
	RunBytes  int           // bytes of the buffers of one run
}

// Defaults are the settings of each instance of a program, unless the code that creates the
// instance overrides them; see the options of package rt with the same names. The settings for
// threads apply only to emitted programs; an Instance uses the threads of its process.
type Defaults struct {
	Threads      int           // largest number of threads of a call; 0: as many as the process has
	InterThreads int           // number of nodes that run in parallel; 0: as many as the process has
	OwnThreads   bool          // use separate threads from other instances
	Pools        []Pool        // pools that a call may choose; the first is the default
	Timeout      time.Duration // time after which a call ends with DeadlineExceeded; 0: none
	MaxBytes     int           // limit on the buffers of a run; 0: rt.DefaultMaxBytes
}

// Pool is a pool of threads that run nodes.
type Pool struct {
	Name    string // instances share pools with equal names; "": private to the instance
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

// WithDefaults returns the limits with defaults for those that are 0.
func (l Limits) WithDefaults() Limits { return Limits(ir.Limits(l).WithDefaults()) }

// or returns l with each field that is 0 replaced by the field of m.
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

// engine checks the options and returns the equivalent options of the pipeline. They share with o
// only maps and slices that are never written.
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
		n := *o.Fuel // a copy, because compiling counts it down
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
