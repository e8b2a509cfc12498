// Package pipeline is the road from a model's files to plans: it calls the
// rooms in their order and is what the command, its tests and the tools share.
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

// Options say what to compile and how.
type Options struct {
	// Signatures names the model's signatures to compile; empty: all of them, but not one that Keras exports
	// twice; see Program.LeftOut.
	Signatures []string
	// Feeds, Fetches and Targets name tensors and nodes for one signature of
	// the caller's own; they stand instead of the model's signatures. A feed or
	// fetch may be given a key of its own: "image=input_1:0".
	Feeds, Fetches, Targets []string
	// Calls are several signatures of the caller's own, in one program that
	// keeps one state; they stand instead of all of the above.
	Calls []Call
	// Names gives signatures, feeds and fetches names of the caller's own, by the names of signatures.
	Names map[string]Names
	// Init names nodes that an instance runs once for their effects before
	// anything else, after those that the model itself names.
	Init []string
	// Shapes gives feeds' shapes, by tensor name, signature key or node name:
	// "1,224,?,3", where ? is an unknown size and an identifier names one that
	// other feeds may share; "" is a scalar.
	Shapes map[string]string
	Config string // a tf2xla.Config naming feeds and fetches
	// Checkpoint is the prefix of the checkpoint that variables and tables have their
	// values from; see frontend.Options.
	Checkpoint string
	Tags       []string // of a SavedModel
	NoOpt      bool     // leave the optional passes out
	// Profile is how long nodes take in nanoseconds, all their calls in a run together,
	// by name; nil: it is estimated.
	Profile map[string]float64
	// ExactConv has no convolution computed by Winograd's method.
	ExactConv bool
	// AllowFiles compiles ops that read and write files, below the directory that the
	// instance is given; without it they are PermissionDenied.
	AllowFiles bool
	// Methods says how convolutions are computed, by node; see lower.Methods.
	Methods map[string]lower.Method
	// Weights is how the weights of products, convolutions and tables are
	// stored; other than f32 implies ExactConv.
	Weights lower.Weights
	// Without names optional passes to leave out.
	Without []string
	// Devices are those that nodes are placed on; see DeviceNames.
	Devices []string
	// SoftPlacement puts nodes that ask for a device which does not exist on one that does.
	SoftPlacement bool
	// LogPlacement is called for each node with a line that says where it runs.
	LogPlacement func(line string)
	// ExplainPlacement is called for each node with a line that says where it runs and
	// why, and for those on a CPU why no GPU computes them where there is one.
	ExplainPlacement func(line string)
	// NoPlacePruned places the whole graph, with what no fetch needs, as a session
	// does whose configuration does not say place_pruned_graph.
	NoPlacePruned bool
	// Partial compiles all signatures so that they can be run in steps; see Call.Partial.
	Partial bool
	// Spread puts nodes on devices at random, by this seed, instead of by
	// TensorFlow's rules; 0: it does not. Tests of partitions use it.
	Spread uint64
	// Connect has readers of one tensor read another: "a:0=y:0" has those of y:0
	// read a:0, as TensorFlow's callables have it with a TensorConnection.
	Connect []string
	// Defaults are the program's own.
	Defaults Defaults
	// Context ends compiling, within a second, when it ends; nil: nothing does.
	Context context.Context
	// Limits bound what an untrusted graph may take of the compiler, and of a run.
	Limits ir.Limits
	// Spent is the processor time that reading the model has taken, for CompileModel: Limits.Time is that of both.
	Spent time.Duration
	// MaxFolded is the size in bytes of the largest constant that folding stores;
	// 0: as passes.Options says.
	MaxFolded int
	// StripDebug takes out nodes that only check and print: Assert, CheckNumerics,
	// Print and PrintV2.
	StripDebug bool
	// Watch are patterns of nodes whose outputs a run shows to those that watch it:
	// names in which * is any text and ? any character. Nodes in loops and branches
	// cannot be watched. CheckNumerics has each run look for NaN and Inf in
	// what all nodes make.
	Watch         []string
	CheckNumerics bool
	Fuel          *int // edits the optional passes may still make; nil: any number
	Check         bool // check the graph after every pass
	// Dump is called with the graph before the first pass ("") and after each.
	Dump func(pass, signature string, g *ir.Graph)
	// KeepGraph skips lowering; Signature.Plan is nil.
	KeepGraph bool
	// KeepGoing compiles the signatures it can; Program.Failed tells of the others.
	KeepGoing bool

	// GoOps are ops whose kernels are Go functions of the user's.
	GoOps *goop.Set

	places   *places
	watches  *watches
	deadline ir.Deadline
	used     map[string]bool // tensors of the checkpoint
}

// Call is a signature of the caller's own; see Options.Feeds and Options.Shapes,
// which hold for the feeds that Shapes does not mention.
type Call struct {
	Name                    string
	Feeds, Fetches, Targets []string
	Shapes                  map[string]string
	// Partial compiles the signature so that it can be run in steps, which feed and
	// fetch some tensors each.
	Partial bool
}

// Program is a compiled model.
type Program struct {
	Model      *frontend.Model
	Signatures []*Signature
	Failed     map[string]error // by signature; see Options.KeepGoing
	Defaults   Defaults         // see Options
	// Deadline is when compiling is to end, for what is done with the program yet.
	Deadline ir.Deadline
	// Init is what an instance runs once before anything else: the model's own
	// initialisation, nil where it has none.
	Init *Signature
	// LeftOut are signatures that were not asked for and compute what others do.
	LeftOut []LeftOut
	// Warnings say what of the options may not be what was meant.
	Warnings []string

	used map[string]bool // tensors of the model's checkpoint
}

// Signature returns the compiled signature of that name, nil if there is none.
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
	// Declared is the name in the model, where the caller has given another.
	Declared string
	// Graph and Plan are the first variant's; most signatures have one.
	Graph *ir.Graph
	Plan  *plan.Plan
	// Variants are the signature for several ranks of its feeds, where the
	// graph leaves these open.
	Variants []*Variant
	// Placement is what became of the nodes where they were placed: before most
	// passes, so that it names nodes that are gone since.
	Placement *placer.Placement

	// Same says which other signature computes the same, whose code this one has; nil for none.
	Same *Same

	maxBytes int       // of a run
	refused  []refusal // ranks that have no variant
}

// Variant is a signature compiled for feeds of known ranks.
type Variant struct {
	Graph *ir.Graph // after all passes
	Plan  *plan.Plan
}

// Compile reads a model (several paths are merged GraphDefs) and compiles it.
// Errors carry TensorFlow's codes; ops nobody can lower come as *lower.UnsupportedError.
func Compile(paths []string, o Options) (*Program, error) {
	o.limit()
	m, err := Load(paths, frontend.Options{Tags: o.Tags, Config: o.Config, Checkpoint: o.Checkpoint, Limits: o.Limits, Deadline: o.deadline, Ops: o.GoOps.Ops()})
	if err != nil {
		return nil, err
	}
	return CompileModel(m, o)
}

// Load is frontend.Load within the time of the options' limits.
func Load(paths []string, o frontend.Options) (*frontend.Model, error) {
	return LoadIn(context.Background(), paths, o)
}

// LoadIn is Load, which ends when ctx does; a nil one never ends.
func LoadIn(ctx context.Context, paths []string, o frontend.Options) (*frontend.Model, error) {
	if o.Limits = o.Limits.WithDefaults(); o.Deadline.IsZero() {
		o.Deadline = ir.In(ctx, o.Limits.Time)
	}
	return Within(o.Deadline, func() (*frontend.Model, error) { return frontend.Load(paths, o) })
}

// limit sets the limits that are not set, and the deadline.
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

// CompileModel compiles a model that is read already. The model is not changed.
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

// compileModel compiles with all state on CPUs, or where the placer puts it.
func compileModel(m *frontend.Model, o Options, hostState bool) (*Program, error) {
	if len(m.Graph.Nodes) == 0 { // also what an empty file is read as
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
		one := o // what it does is seen by all devices
		one.Devices, one.Spread, one.SoftPlacement, one.Partial = nil, 0, true, false
		if p.Init, err = compileOne(m, start, one, vars); err != nil {
			return nil, fmt.Errorf("initialisation: %w", err)
		}
		if p.Init.Plan != nil && len(p.Init.Plan.Steps) == 0 {
			p.Init = nil // TensorFlow 2 writes one for every model
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

// link has the plans call the Go functions of ops.
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

// mergeUnsupported makes one list of the unsupported ops of all signatures.
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

// lowering is what the options say of how graphs are lowered.
func (o *Options) lowering(files map[string]*frontend.Asset) []lower.Option {
	list := []lower.Option{lower.StoreWeights(o.Weights), lower.Methods(o.Methods), lower.Files(func(name string) ([]byte, error) {
		a, ok := files[name]
		if !ok {
			return nil, tensor.Errorf(tensor.NotFound, "%q is no asset of the model", name)
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
	stateops.NoteElements(ops.Ops(), g) // before the signature's pruning: others may put in what it takes out
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
	defer func() { g.Deadline = ir.Deadline{} }() // it was that of compiling
	s := &Signature{Name: r.name, Declared: r.declared, Graph: g, Variants: []*Variant{{Graph: g}}, Placement: placed, maxBytes: o.Limits.RunBytes}
	if o.KeepGraph {
		return s, nil
	}
	if len(open) > 0 {
		if f := g.Feeds[open[0]]; o.Partial {
			return nil, tensor.Errorf(tensor.Unimplemented, "the rank of feed %q is not known, so that the signature cannot be run in steps: give its shape, for example --shape %s=?,?", f.Name, f.Key)
		}
		vs, refused, failed := o.specialise(g, open, facts == nil || onlyUnknown(facts.Unwrap()), r.name, po, o.lowering(files))
		if failed != nil {
			if err != nil { // it does not depend on ranks
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
