// Package pipeline compiles a model's files to plans: it calls the reader, the passes, the placer,
// the partitioner and the lowering in order. The root package, the tests and the tools use it.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/goop"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/placer"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Options select what to compile and how.
type Options struct {
	// Signatures has the names of the model's signatures to compile. If it is empty, all signatures
	// are compiled, with one exception: Keras exports two equal signatures, and only one of them is
	// compiled; see Program.LeftOut.
	Signatures []string
	// Feeds, Fetches and Targets name the tensors and nodes of one signature that the caller
	// defines. This signature replaces the model's signatures. A feed or fetch may have a key:
	// "image=input_1:0".
	Feeds, Fetches, Targets []string
	// Calls defines several signatures for one program with one state. They replace Signatures,
	// Feeds, Fetches and Targets.
	Calls []Call
	// Names has the caller's names for signatures, methods, feeds and fetches. The key is the name
	// of the signature in the model.
	Names map[string]Names
	// Init has the names of nodes that a new instance runs once, for their effects. The instance
	// runs them after the model's own initialization and before any call.
	Init []string
	// Shapes has the shapes of feeds, such as "1,224,?,3". The key is the name of a tensor, the key
	// of a feed in a signature, or the name of a node. In a shape, ? is an unknown size. An
	// identifier is an unknown size, too; feeds with the same identifier have the same size. The
	// text "" is the shape of a scalar.
	Shapes map[string]string
	Config string // path of a tf2xla.Config file, which lists feeds and fetches
	// Checkpoint is the prefix of the checkpoint with the values of variables and tables; see
	// frontend.Options.
	Checkpoint string
	Tags       []string // of a SavedModel
	NoOpt      bool     // skip the optional passes
	// Profile has measured times by node name: the nanoseconds that all calls of the node's kernel
	// take in one run. If it is nil, the compiler estimates the times.
	Profile map[string]float64
	// ExactConv excludes Winograd's method for convolutions.
	ExactConv bool
	// AllowFiles permits ops that read and write files below the instance's directory. If it is not
	// set, the error for such an op is PermissionDenied.
	AllowFiles bool
	// Methods selects how convolutions are computed, by node; see lower.Methods.
	Methods map[string]lower.Method
	// Weights is the format in which a program stores the weights of matrix products, convolutions
	// and embedding tables. Any format other than f32 implies ExactConv.
	Weights lower.Weights
	// Without lists the names of optional passes to leave out.
	Without []string
	// Devices are the devices that nodes may be placed on; see DeviceNames.
	Devices []string
	// SoftPlacement places nodes that request a missing device on an existing one.
	SoftPlacement bool
	// LogPlacement is called for each node with a line that names its device.
	LogPlacement func(line string)
	// ExplainPlacement is called for each node with a line that names its device and the reason. If
	// there are GPUs, lines of nodes on a CPU also say why no GPU computes them.
	ExplainPlacement func(line string)
	// If NoPlacePruned is set, the compiler places the whole graph, including nodes that no fetch
	// needs. A TensorFlow session does the same unless its configuration sets place_pruned_graph.
	NoPlacePruned bool
	// Partial compiles all signatures as partial runs; see Call.Partial.
	Partial bool
	// If Spread is not 0, nodes are placed at random, and Spread is the seed. Tests of partitions
	// use this.
	Spread uint64
	// Connect replaces uses of one tensor by another: "a:0=y:0" makes the readers of y:0 read a:0,
	// like a TensorConnection of TensorFlow's callables.
	Connect []string
	// Defaults are the program's default settings.
	Defaults Defaults
	// Context can end compiling: within a second after Context is done, the compiler returns an
	// error. If Context is nil, compiling cannot be cancelled.
	Context context.Context
	// Limits bound what an untrusted graph may use while it is compiled and run.
	Limits ir.Limits
	// Spent is the processor time that reading the model took. CompileModel subtracts it from
	// Limits.Time.
	Spent time.Duration
	// MaxFolded is the maximum size in bytes of a constant that constant folding stores. 0 means
	// the default of passes.Options.
	MaxFolded int
	// StripDebug removes the nodes that serve only for debugging: Assert, CheckNumerics, Print and
	// PrintV2.
	StripDebug bool
	// Watch lists patterns of node names. In a pattern, * matches any text and ? any character. A
	// run shows the outputs of matching nodes to watchers. Nodes in loops and branches cannot be
	// watched. CheckNumerics makes each run search the outputs of all nodes for NaN and Inf.
	Watch         []string
	CheckNumerics bool
	Fuel          *int // number of edits that optional passes may still make; nil means no limit
	Check         bool // check the graph after every pass
	// Dump is called with the graph before the first pass and after each pass. The parameter pass
	// is the name of the pass, and "" before the first pass.
	Dump func(pass, signature string, g *ir.Graph)
	// KeepGraph skips lowering; Signature.Plan is nil.
	KeepGraph bool
	// If KeepGoing is set, a signature that does not compile is not an error. Program.Failed has
	// the errors of such signatures.
	KeepGoing bool

	// GoOps are ops whose kernels are Go functions that the user wrote.
	GoOps *goop.Set

	places   *places
	watches  *watches
	deadline ir.Deadline
	used     map[string]bool // keys of the checkpoint's tensors that have been read
}

// Call is a signature that the caller defines; see Options.Feeds. The shape of a feed is the one in
// the field Shapes of the Call or, if that has none, the one in Options.Shapes.
type Call struct {
	Name                    string
	Feeds, Fetches, Targets []string
	Shapes                  map[string]string
	// Partial compiles the signature as a partial run: each step feeds and fetches some of the
	// tensors.
	Partial bool
}

// Program is a compiled model.
type Program struct {
	Model      *frontend.Model
	Signatures []*Signature
	Failed     map[string]error // errors by signature; see Options.KeepGoing
	Defaults   Defaults         // see Options
	// Deadline is the time when compiling must have ended. It also applies to work on the program
	// that is done after compiling.
	Deadline ir.Deadline
	// Init is the model's initialization, which an instance runs once before anything else; nil if
	// the model has none.
	Init *Signature
	// LeftOut lists signatures of the model that were not requested and that compute the same
	// results as other signatures.
	LeftOut []LeftOut
	// Warnings describe options that may have been set by mistake.
	Warnings []string

	used map[string]bool // keys of the checkpoint's tensors that the passes read
}

// Signature returns the compiled signature of that name, or nil.
func (p *Program) Signature(name string) *Signature {
	for _, s := range p.Signatures {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Signature is one compiled signature.
type Signature struct {
	Name string
	// Declared is the signature's name in the model or in Options.Calls. Name is the same name,
	// unless Options.Names replaces it.
	Declared string
	// Graph and Plan are the graph and the plan of the first variant. Most signatures have only one
	// variant.
	Graph *ir.Graph
	Plan  *plan.Plan
	// Variants has one variant for each combination of ranks of the feeds whose ranks are unknown
	// in the graph. If all ranks are known, it has one variant.
	Variants []*Variant
	// Placement has the device of each node. Nodes are placed before most passes run, so Placement
	// includes nodes that the passes have removed.
	Placement *placer.Placement

	// Same refers to another signature that computes the same results, whose code this signature
	// uses. It is nil if there is no such signature.
	Same *Same

	maxBytes int       // of a run
	refused  []refusal // combinations of ranks for which the signature does not compile
}

// Variant is a signature compiled for feeds of known ranks.
type Variant struct {
	Graph *ir.Graph // after all passes
	Plan  *plan.Plan
}

// Compile reads a model and compiles it. If there are several paths, the files are GraphDefs, and
// Compile merges them into one graph. Errors have TensorFlow's codes. If ops are not supported, the
// error is a *lower.UnsupportedError.
func Compile(paths []string, o Options) (*Program, error) {
	o.limit()
	m, err := Load(paths, frontend.Options{Tags: o.Tags, Config: o.Config, Checkpoint: o.Checkpoint, Limits: o.Limits, Deadline: o.deadline, Ops: o.GoOps.Ops()})
	if err != nil {
		return nil, err
	}
	return CompileModel(m, o)
}

// Load reads a model by frontend.Load. It returns an error if reading takes longer than
// Limits.Time.
func Load(paths []string, o frontend.Options) (*frontend.Model, error) {
	return LoadIn(context.Background(), paths, o)
}

// LoadIn does the same as Load, and also returns an error when ctx is done. If ctx is nil, reading
// cannot be cancelled.
func LoadIn(ctx context.Context, paths []string, o frontend.Options) (*frontend.Model, error) {
	if o.Limits = o.Limits.WithDefaults(); o.Deadline.IsZero() {
		o.Deadline = ir.In(ctx, o.Limits.Time)
	}
	return Within(o.Deadline, func() (*frontend.Model, error) { return frontend.Load(paths, o) })
}

// limit replaces limits that are 0 by their defaults, and computes the deadline from the time
// limit. It does nothing if the deadline has been set already.
func (o *Options) limit() {
	if !o.deadline.IsZero() {
		return
	}
	if o.Limits.RunBytes != 0 {
		o.Defaults.MaxBytes = o.Limits.RunBytes
	}
	o.Limits = o.Limits.WithDefaults()
	o.deadline = ir.In(o.Context, o.Limits.Time).After(o.Spent)
}

// CompileModel compiles a model that has been read. It does not change the model.
func CompileModel(m *frontend.Model, o Options) (*Program, error) {
	o.limit()
	return Within(o.deadline, func() (*Program, error) {
		p, err := compileModel(m, o, false)
		if errors.Is(err, errState) {
			return compileModel(m, o, true)
		}
		return p, err
	})
}

// compileModel compiles a model. If hostState is set, all state is on CPUs; otherwise it is on the
// devices that the placer chooses.
func compileModel(m *frontend.Model, o Options, hostState bool) (*Program, error) {
	if len(m.Graph.Nodes) == 0 { // an empty file is read as an empty graph
		return nil, tensor.Errorf(tensor.InvalidArgument, "the graph has no nodes")
	}
	var err error
	if o.places, err = o.newPlaces(); err != nil {
		return nil, err
	}
	o.places.hostState = hostState
	reqs, err := requests(m, o)
	if err != nil {
		return nil, err
	}
	if err := checkShapeNames(reqs, o.Shapes); err != nil {
		return nil, err
	}
	o.watches = newWatches(&o)
	o.used = map[string]bool{}
	p := &Program{used: o.used, Model: m, Defaults: o.Defaults, Deadline: o.deadline, Failed: map[string]error{}}
	all := reqs
	start, initialised := initRequest(m, o)
	if initialised {
		all = append(slices.Clone(reqs), start)
	}
	vars := written(m, all, o)
	p.Warnings = initialWarnings(m, o)
	if initialised {
		one := o // the initialization is compiled for one device; all devices see its effects
		one.Devices, one.Spread, one.SoftPlacement, one.Partial = nil, 0, true, false
		if p.Init, err = compileOne(m, start, one, vars); err != nil {
			return nil, fmt.Errorf("initialisation: %w", err)
		}
		if p.Init.Plan != nil && len(p.Init.Plan.Steps) == 0 {
			p.Init = nil // TensorFlow 2 writes an empty initialization for every model
		}
	}
	var errs []error
	for _, r := range reqs {
		s, err := compileOne(m, r, o, vars)
		if errors.Is(err, errState) && !hostState {
			return nil, err
		}
		if err != nil && o.KeepGoing {
			p.Failed[r.name] = err
			continue
		}
		if err != nil {
			if len(reqs) > 1 {
				err = &SignatureError{r.name, err}
			}
			errs = append(errs, err)
			continue
		}
		p.Signatures = append(p.Signatures, s)
	}
	if len(errs) > 0 {
		if len(p.Signatures) > 0 && len(o.Calls) == 0 {
			others := &OthersCompile{}
			for _, s := range p.Signatures {
				others.Signatures = append(others.Signatures, s.Name)
			}
			errs = append(errs, others)
		}
		return nil, mergeUnsupported(errs)
	}
	optional := map[string]bool{}
	for _, r := range reqs {
		optional[r.name] = r.optional
	}
	p.share(&o, optional)
	p.link(o.GoOps)
	return p, o.watches.missing()
}

// link makes the plans call the Go functions of user-defined ops.
func (p *Program) link(set *goop.Set) {
	if p.Init != nil {
		set.Link(p.Init.Plan)
	}
	for _, s := range p.Signatures {
		for _, v := range s.Variants {
			set.Link(v.Plan)
		}
	}
}

// mergeUnsupported joins the errors of all signatures. It replaces all errors of type
// UnsupportedError by a single one that lists the unsupported ops of all signatures.
func mergeUnsupported(errs []error) error {
	by, why := map[string]map[string]bool{}, map[string]string{}
	var rest []error
	for _, e := range errs {
		var u *lower.UnsupportedError
		if !errors.As(e, &u) {
			rest = append(rest, e)
			continue
		}
		for _, op := range u.Ops {
			if by[op.Op] == nil {
				by[op.Op] = map[string]bool{}
			}
			why[op.Op] = op.Why
			for _, n := range op.Nodes {
				by[op.Op][n] = true
			}
		}
	}
	if len(by) > 0 {
		u := &lower.UnsupportedError{}
		for op, ns := range by {
			var names []string
			for n := range ns {
				names = append(names, n)
			}
			sort.Strings(names)
			u.Ops = append(u.Ops, lower.Unsupported{Op: op, Nodes: names, Why: why[op]})
		}
		sort.Slice(u.Ops, func(i, j int) bool { return u.Ops[i].Op < u.Ops[j].Op })
		rest = append(rest, u)
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return tensor.Join(rest...)
}

// lowering returns the options for package lower. The parameter files has the assets by name.
func (o *Options) lowering(files map[string]*frontend.Asset) []lower.Option {
	list := []lower.Option{lower.StoreWeights(o.Weights), lower.Methods(o.Methods), lower.Files(func(name string) ([]byte, error) {
		a, ok := files[name]
		if !ok {
			return nil, tensor.Errorf(tensor.NotFound, "the model has no asset %q", name)
		}
		return a.Read()
	})}
	if o.ExactConv {
		list = append(list, lower.ExactConv)
	}
	if o.AllowFiles {
		list = append(list, lower.AllowFiles)
	}
	return list
}

func compileOne(m *frontend.Model, r request, o Options, vars map[string]bool) (*Signature, error) {
	o.Partial = o.Partial || r.partial
	g := m.Graph.Clone()
	g.Deadline = o.deadline
	stateops.NoteElements(ops.Ops(), g) // call this before pruning, because pruning may remove nodes that put elements into queues
	files, err := withAssets(m, g)
	if err != nil {
		return nil, err
	}
	if o.Dump != nil {
		o.Dump("", r.name, g)
	}
	if o.StripDebug {
		strip(g)
	}
	if err := bind(g, r); err != nil {
		return nil, err
	}
	if err := m.Check(g); err != nil {
		return nil, err
	}
	var placed *placer.Placement
	po := passes.Options{Ops: ops.Ops(), NoOpt: o.NoOpt, Without: o.Without, SoftPlacement: o.SoftPlacement, PlaceUnpruned: o.NoPlacePruned, Limits: o.Limits, MaxFolded: o.MaxFolded, Fuel: o.Fuel, Check: o.Check, Eval: Eval,
		Written: func(node string) bool { return vars[node] }}
	stateOf(m, &po, o.used)
	po.Place, po.Apart = o.place(&placed), o.Partial
	if o.watches != nil && r.name != InitName {
		po.Watch = o.watches.of
	}
	if o.Dump != nil {
		po.Dump = func(pass string, g *ir.Graph) { o.Dump(pass, r.name, g) }
	}
	run := passes.Run
	if o.whole() {
		run = passes.RunWhole
	}
	var open []int // feeds
	err = run(g, po)
	var facts *passes.FactsError
	if err == nil || errors.As(err, &facts) {
		open = openFeeds(g)
	}
	if err != nil && (len(open) == 0 || o.KeepGraph) {
		return nil, err
	}
	defer func() { g.Deadline = ir.Deadline{} }() // the deadline was for compiling only
	s := &Signature{Name: r.name, Declared: r.declared, Graph: g, Variants: []*Variant{{Graph: g}}, Placement: placed, maxBytes: o.Limits.RunBytes}
	if o.KeepGraph {
		return s, nil
	}
	if len(open) > 0 {
		if f := g.Feeds[open[0]]; o.Partial {
			return nil, tensor.Errorf(tensor.Unimplemented, "a signature for partial runs needs known ranks, but feed %q has none: give its shape, for example --shape %s=?,?", f.Name, f.Key)
		}
		vs, refused, failed := o.specialise(g, open, facts == nil || onlyUnknown(facts.Unwrap()), r.name, po, o.lowering(files))
		if failed != nil {
			if err != nil { // this error occurred before ranks were tried
				return nil, err
			}
			return nil, failed
		}
		s.Graph, s.Plan, s.Variants, s.refused = vs[0].Graph, vs[0].Plan, vs, refused
		for _, v := range vs {
			r.goNames(v.Plan)
		}
		s.nameNodes()
		return s, nil
	}
	p, err := o.lowered(g, r.name, po, o.lowering(files))
	if err != nil {
		return nil, err
	}
	r.goNames(p)
	s.Plan, s.Variants[0].Plan = p, p
	s.nameNodes()
	return s, nil
}

// nameNodes gives the nodes of all variants short names.
func (s *Signature) nameNodes() {
	var plans []*plan.Plan
	for _, v := range s.Variants {
		plans = append(plans, v.Plan)
	}
	plan.NameNodes(plans...)
}

// Parameters counts the elements of floating-point constants in the compiled graphs.
func (p *Program) Parameters() int {
	n := 0
	seen := map[*tensor.Tensor]bool{}
	for _, s := range p.Signatures {
		if s.Same != nil {
			continue
		}
		for _, node := range s.Graph.Nodes {
			if t := node.Value(); t != nil && !seen[t] && t.DType.IsFloat() {
				seen[t] = true
				n += t.Len()
			}
		}
	}
	return n
}
