package pipeline

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// Session runs parts of one model, as a session of TensorFlow does: each run names its feeds,
// fetches and targets. A session compiles a part when it is first run and keeps the plan.
// Variables, tables and queues keep their values from run to run. A Session is not safe for use by
// several goroutines.
type Session struct {
	model *frontend.Model
	o     Options
	files *os.Root

	state exec.State
	// vars are the variables that the parts compiled so far may write. In the plans of these parts,
	// the other variables are constants. If a new part writes one of those constants, all parts
	// must be compiled again.
	vars   map[string]bool
	parts  map[string]*part // by key
	failed map[string]error // errors of parts that did not compile; the session does not try again
	places *places          // devices of the nodes that have state
	facts  *ir.Graph        // the whole graph with inferred types and shapes; see Tensor
}

// part is the result of compiling one set of feeds, fetches and targets.
type part struct {
	sig    *Signature
	runner *Runner // runs the signature with the session's state; nil until the first run and after Reset
}

// NewSession returns a session of a model and runs the model's initialisation, unless noInit is
// set. It ignores the options Calls, Signatures, Feeds, Fetches, Targets, Names and Partial. Ops
// can read and write files below the directory root. If root is nil, they cannot access files.
func NewSession(ctx context.Context, m *frontend.Model, o Options, root *os.Root, noInit bool) (*Session, error) {
	o.Signatures, o.Feeds, o.Fetches, o.Targets, o.Calls, o.Names, o.Partial = nil, nil, nil, nil, nil, nil, false
	s := &Session{model: expanded(ctx, m, o), o: o, files: root, state: exec.State{}, vars: map[string]bool{}, parts: map[string]*part{}, failed: map[string]error{}}
	if noInit {
		s.o.Init = nil
		return s, nil
	}
	return s, s.initialise(ctx)
}

// expanded returns a copy of the model in which the bodies of functions replace calls. Therefore a
// run can feed and fetch nodes of functions. If a call cannot be replaced, expanded returns the
// model unchanged. A part of the model that needs the function will then fail to compile.
func expanded(ctx context.Context, m *frontend.Model, o Options) *frontend.Model {
	o.Context = ctx
	o.limit()
	g, err := Within(o.deadline, func() (*ir.Graph, error) {
		g := m.Graph.Clone()
		g.Deadline = o.deadline
		err := passes.ExpandCalls(g, passes.Options{Ops: ops.Ops(), Limits: o.Limits}, signatureNodes(m, g)...)
		g.Deadline = ir.Deadline{}
		return g, err
	})
	if err != nil {
		return m
	}
	e := *m
	e.Graph = g
	return &e
}

// signatureNodes returns the nodes of g that the signatures fetch or run. For a graph without
// signatures, it returns all nodes.
func signatureNodes(m *frontend.Model, g *ir.Graph) (nodes []*ir.Node) {
	if len(m.Signatures) == 0 {
		return g.Nodes
	}
	for _, sig := range m.Signatures {
		for _, p := range sig.Outputs {
			if o, err := g.Lookup(p.Tensor); err == nil {
				nodes = append(nodes, o.Node)
			}
		}
		for _, t := range sig.Targets {
			if n := g.Node(t); n != nil {
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

// Reset gives all variables, tables and queues the values that they began with.
func (s *Session) Reset(ctx context.Context, noInit bool) error {
	s.state = exec.State{}
	for _, p := range s.parts {
		p.runner = nil
	}
	if noInit {
		return nil
	}
	return s.initialise(ctx)
}

// initialise runs the nodes that the model and Options.Init name for a new instance.
func (s *Session) initialise(ctx context.Context) error {
	r, any := initRequest(s.model, s.o)
	if !any {
		return nil
	}
	p, err := s.compiled(ctx, InitName, r)
	if err == nil {
		_, err = s.run(ctx, p, nil)
	}
	if err != nil {
		return fmt.Errorf("initialisation: %w", err)
	}
	return nil
}

// Run runs a part of the model and returns the fetched tensors by name. The parameter feeds has the
// fed tensors by name. All names must be complete: a tensor is given as x:0, a target by the name
// of its node. At the first run of a part, Run compiles it for all dimension sizes that the graph
// leaves open. If this fails, Run compiles it for the sizes of the fed tensors only.
func (s *Session) Run(ctx context.Context, feeds map[string]*tensor.Tensor, fetches, targets []string) (map[string]*tensor.Tensor, error) {
	c := Call{Feeds: slices.Sorted(maps.Keys(feeds)), Fetches: sortedSet(fetches), Targets: sortedSet(targets), Shapes: map[string]string{}}
	for _, name := range c.Feeds {
		if _, given := s.o.Shapes[name]; !given && !s.Tensor(name).Shape.Known {
			c.Shapes[name] = strings.TrimSuffix(strings.Repeat("?,", feeds[name].Rank()), ",")
		}
	}
	p, err := s.call(ctx, c)
	if err != nil && ctx.Err() == nil && len(c.Feeds) > 0 {
		for _, name := range c.Feeds {
			c.Shapes[name] = strings.Trim(feeds[name].Shape.String(), "[]")
		}
		if exact, again := s.call(ctx, c); again == nil {
			p, err = exact, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return s.run(ctx, p, feeds)
}

// sortedSet returns names sorted, each once.
func sortedSet(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// call returns the part for a call. It compiles the part if the session does not have it yet.
func (s *Session) call(ctx context.Context, c Call) (*part, error) {
	var key strings.Builder
	for _, name := range c.Feeds {
		fmt.Fprintf(&key, "%q", name)
		if shape, ok := c.Shapes[name]; ok {
			fmt.Fprintf(&key, "[%s]", shape)
		}
	}
	fmt.Fprintf(&key, " -> %q; %q", c.Fetches, c.Targets)
	if p := s.parts[key.String()]; p != nil {
		return p, nil
	}
	if err := s.failed[key.String()]; err != nil {
		return nil, err
	}
	o := s.o
	o.Calls = []Call{c}
	rs, err := callRequests(s.model, Options{Calls: o.Calls, Shapes: shapesOf(o.Shapes, c.Feeds)})
	if err != nil {
		return nil, err
	}
	p, err := s.compiled(ctx, key.String(), rs[0])
	if code := tensor.CodeOf(err); err != nil && ctx.Err() == nil && code != tensor.DeadlineExceeded && code != tensor.ResourceExhausted {
		s.failed[key.String()] = err
	}
	return p, err
}

// shapesOf returns the entries of the parameter shapes for the tensors in feeds.
func shapesOf(shapes map[string]string, feeds []string) map[string]string {
	m := map[string]string{}
	for name, shape := range shapes {
		if slices.Contains(feeds, tensorName(name)) {
			m[name] = shape
		}
	}
	return m
}

// compiled compiles a part and keeps it under key. Compiling may go on after its deadline, so it
// works on copies of the session's data.
func (s *Session) compiled(ctx context.Context, key string, r request) (*part, error) {
	type result struct {
		sig  *Signature
		vars map[string]bool
	}
	o := s.o
	o.Context = ctx
	o.limit()
	var err error
	if o.places, err = s.copiedPlaces(); err != nil {
		return nil, err
	}
	vars := maps.Clone(s.vars)
	got, err := Within(o.deadline, func() (result, error) {
		o.watches = newWatches(&o)
		o.used = map[string]bool{}
		maps.Copy(vars, written(s.model, []request{r}, o))
		sig, err := compileOne(s.model, r, o, vars)
		return result{sig, vars}, err
	})
	if err != nil {
		return nil, err
	}
	(&Program{Signatures: []*Signature{got.sig}}).link(s.o.GoOps)
	if err := s.o.GoOps.Check(ctx); err != nil {
		return nil, err
	}
	if len(got.vars) > len(s.vars) {
		clear(s.parts)
		clear(s.failed)
	}
	s.vars, s.places = got.vars, o.places
	p := &part{sig: got.sig}
	s.parts[key] = p
	return p, nil
}

// copiedPlaces returns a copy of s.places, for compiling one more part. All parts must have their
// state on the same devices. These devices are CPUs, because a part that is compiled later may need
// the state on a CPU.
func (s *Session) copiedPlaces() (*places, error) {
	if s.places == nil {
		p, err := s.o.newPlaces()
		if err != nil {
			return nil, err
		}
		p.hostState = true
		s.places = p
	}
	p := *s.places
	p.previous, p.stays = maps.Clone(p.previous), maps.Clone(p.stays)
	return &p, nil
}

// run runs a compiled part with the state of the session, and returns the fetched tensors by name.
func (s *Session) run(ctx context.Context, p *part, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	if p.runner == nil {
		r, err := p.sig.RunnerWith(s.state)
		if err != nil {
			return nil, err
		}
		if s.o.Limits.RunBytes > 0 {
			r.SetMaxBytes(s.o.Limits.RunBytes)
		}
		r.SetFiles(s.files)
		p.runner = r
	}
	if t := s.o.Defaults.Timeout; t > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, t)
		defer stop()
	}
	return p.runner.Run(ctx, feeds)
}

// Graph returns the whole graph of the model. It must not be changed.
func (s *Session) Graph() *ir.Graph { return s.model.Graph }

// Tensor returns the element type of a tensor, and its shape if the shape can be inferred without
// the values of feeds. A placeholder has its declared shape. For an unknown name, the result is the
// zero Fact.
func (s *Session) Tensor(name string) ir.Fact {
	if s.facts == nil {
		s.facts = s.inferred()
	}
	o, err := s.facts.Lookup(name)
	if err != nil {
		return ir.Fact{}
	}
	f := *o.Fact()
	if shape, ok := o.Node.Attrs["shape"].(ir.PartialShape); ok && o.Node.Op == "PlaceholderWithDefault" {
		f.Shape = lower.ShapeFromAttr(o.Node.Name, shape)
	}
	return f
}

// inferred returns a copy of the graph with the types and shapes that can be inferred when all
// placeholders are fed. If the shapes of a node's outputs cannot be inferred, only their element
// types are known in the copy. The error is reported when the node is run.
func (s *Session) inferred() *ir.Graph {
	o := s.o
	o.limit()
	g, _ := Within(o.deadline, func() (*ir.Graph, error) {
		g := s.model.Graph.Clone()
		g.Deadline = o.deadline
		r := request{shapes: o.Shapes}
		for _, n := range g.Nodes {
			if n.Op == "Placeholder" || n.Op == "PlaceholderV2" {
				r.feeds = append(r.feeds, port{tensor: n.Name + ":0", key: n.Name})
			}
		}
		if err := bind(g, r); err != nil {
			return g, nil // a run that feeds the placeholder will report the error
		}
		_ = ops.Ops().Infer(g)
		return g, nil
	})
	if g == nil {
		return s.model.Graph
	}
	return g
}

// Signatures returns the model's signatures. Those that TensorFlow 2 adds for its own ops, which
// initialize and train the model, come last.
func (s *Session) Signatures() []frontend.Signature {
	return slices.Concat(s.model.Signatures, s.model.OpSignatures)
}

// FullName returns the full name of a node or tensor for a name that may lack its first scopes. The
// rule is the same as for fetches in Options.Calls.
func (s *Session) FullName(name string) (string, error) { return fullName(s.model.Graph, name) }
