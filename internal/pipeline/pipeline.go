// Package pipeline is the road from a model's files to plans: it calls the
// rooms in their order and is what the command, its tests and the tools share.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/exec"
	"github.com/graphc/graphc/rt/tensor"
)

// Options say what to compile and how.
type Options struct {
	// Signatures names the model's signatures to compile; empty: all of them.
	Signatures []string
	// Feeds, Fetches and Targets name tensors and nodes for one signature of
	// the caller's own; they stand instead of the model's signatures. A feed or
	// fetch may be given a key of its own: "image=input_1:0".
	Feeds, Fetches, Targets []string
	// Shapes gives feeds' shapes, by tensor name, signature key or node name:
	// "1,224,?,3", where ? is an unknown size and an identifier names one that
	// other feeds may share; "" is a scalar.
	Shapes map[string]string
	Config string   // a tf2xla.Config naming feeds and fetches
	Tags   []string // of a SavedModel
	NoOpt  bool     // leave the optional passes out
	Fuel   *int     // edits the optional passes may still make; nil: any number
	Check  bool     // check the graph after every pass
	// Dump is called with the graph before the first pass ("") and after each.
	Dump func(pass, signature string, g *ir.Graph)
	// KeepGraph skips lowering; Signature.Plan is nil.
	KeepGraph bool
}

// Program is a compiled model.
type Program struct {
	Model      *frontend.Model
	Signatures []*Signature
}

// Signature is one compiled signature.
type Signature struct {
	Name string
	// Graph and Plan are the first variant's; most signatures have one.
	Graph *ir.Graph
	Plan  *plan.Plan
	// Variants are the signature for several ranks of its feeds, where the
	// graph leaves these open.
	Variants []*Variant
}

// Variant is a signature compiled for feeds of known ranks.
type Variant struct {
	Graph *ir.Graph // after all passes
	Plan  *plan.Plan
}

// port is a feed or fetch with the name its caller uses.
type port struct{ tensor, key string }

type request struct {
	name           string
	feeds, fetches []port
	targets        []string
}

// Compile reads a model (several paths are merged GraphDefs) and compiles it.
// Errors carry TensorFlow's codes; ops nobody can lower come as *ops.UnsupportedError.
func Compile(paths []string, o Options) (*Program, error) {
	m, err := frontend.Load(paths, frontend.Options{Tags: o.Tags, Config: o.Config})
	if err != nil {
		return nil, err
	}
	return CompileModel(m, o)
}

// CompileModel compiles a model that is read already. The model is not changed.
func CompileModel(m *frontend.Model, o Options) (*Program, error) {
	reqs, err := requests(m, o)
	if err != nil {
		return nil, err
	}
	if err := checkShapeNames(reqs, o.Shapes); err != nil {
		return nil, err
	}
	p := &Program{Model: m}
	var errs []error
	for _, r := range reqs {
		s, err := compileOne(m, r, o)
		if err != nil {
			if len(reqs) > 1 {
				err = fmt.Errorf("signature %q: %w", r.name, err)
			}
			errs = append(errs, err)
			continue
		}
		p.Signatures = append(p.Signatures, s)
	}
	if len(errs) > 0 {
		return nil, mergeUnsupported(errs)
	}
	return p, nil
}

// mergeUnsupported makes one list of the unsupported ops of all signatures.
func mergeUnsupported(errs []error) error {
	by := map[string]map[string]bool{}
	var rest []error
	for _, e := range errs {
		var u *ops.UnsupportedError
		if !errors.As(e, &u) {
			rest = append(rest, e)
			continue
		}
		for _, op := range u.Ops {
			if by[op.Op] == nil {
				by[op.Op] = map[string]bool{}
			}
			for _, n := range op.Nodes {
				by[op.Op][n] = true
			}
		}
	}
	if len(by) > 0 {
		u := &ops.UnsupportedError{}
		for op, ns := range by {
			var names []string
			for n := range ns {
				names = append(names, n)
			}
			sort.Strings(names)
			u.Ops = append(u.Ops, ops.Unsupported{Op: op, Nodes: names})
		}
		sort.Slice(u.Ops, func(i, j int) bool { return u.Ops[i].Op < u.Ops[j].Op })
		rest = append(rest, u)
	}
	if len(rest) == 1 {
		return rest[0]
	}
	return errors.Join(rest...)
}

func compileOne(m *frontend.Model, r request, o Options) (*Signature, error) {
	g := m.Graph.Clone()
	if o.Dump != nil {
		o.Dump("", r.name, g)
	}
	if err := bind(g, r, o.Shapes); err != nil {
		return nil, err
	}
	if err := m.Check(g); err != nil {
		return nil, err
	}
	po := passes.Options{NoOpt: o.NoOpt, Fuel: o.Fuel, Check: o.Check, Values: m.Variable, Eval: Eval}
	if o.Dump != nil {
		po.Dump = func(pass string, g *ir.Graph) { o.Dump(pass, r.name, g) }
	}
	if err := passes.Run(g, po); err != nil {
		return nil, err
	}
	s := &Signature{Name: r.name, Graph: g, Variants: []*Variant{{Graph: g}}}
	if o.KeepGraph {
		return s, nil
	}
	if open := openFeeds(g); len(open) > 0 {
		vs, err := specialise(g, open, r.name, po)
		if err != nil {
			return nil, err
		}
		s.Graph, s.Plan, s.Variants = vs[0].Graph, vs[0].Plan, vs
		return s, nil
	}
	p, err := lower(g, r.name)
	if err != nil {
		return nil, err
	}
	s.Plan, s.Variants[0].Plan = p, p
	return s, nil
}

// requests turns the options and the model's signatures into what to compile.
func requests(m *frontend.Model, o Options) ([]request, error) {
	if len(o.Feeds)+len(o.Fetches)+len(o.Targets) > 0 {
		if len(o.Fetches)+len(o.Targets) == 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "feeds are given, but neither a fetch nor a target: nothing would be computed")
		}
		r := request{targets: o.Targets}
		for _, f := range o.Feeds {
			r.feeds = append(r.feeds, parsePort(f))
		}
		for _, f := range o.Fetches {
			r.fetches = append(r.fetches, parsePort(f))
		}
		return []request{r}, nil
	}
	if len(m.Signatures) == 0 {
		if len(o.Signatures) > 0 {
			return nil, tensor.Errorf(tensor.NotFound, "signature %q is asked for, but %s has no signatures", o.Signatures[0], m.Path)
		}
		return []request{bareGraph(m.Graph)}, nil
	}
	var names []string
	for _, s := range m.Signatures {
		names = append(names, s.Name)
	}
	want := o.Signatures
	if len(want) == 0 {
		for _, s := range m.Signatures {
			if s.Name != "__saved_model_init_op" && s.Name != "__saved_model_train_op" && len(s.Outputs) > 0 {
				want = append(want, s.Name)
			}
		}
	}
	var rs []request
	for _, w := range want {
		i := sort.Search(len(m.Signatures), func(i int) bool { return m.Signatures[i].Name >= w })
		if i == len(m.Signatures) || m.Signatures[i].Name != w {
			hint := ""
			if n := ir.Nearest(w, names); n != "" {
				hint = fmt.Sprintf("; did you mean %q?", n)
			}
			return nil, tensor.Errorf(tensor.NotFound, "%s has no signature %q, it has %s%s", m.Path, w, strings.Join(names, ", "), hint)
		}
		s := m.Signatures[i]
		r := request{name: s.Name, targets: s.Targets}
		for _, p := range s.Inputs {
			r.feeds = append(r.feeds, port{p.Tensor, p.Key})
		}
		for _, p := range s.Outputs {
			r.fetches = append(r.fetches, port{p.Tensor, p.Key})
		}
		rs = append(rs, r)
	}
	if len(rs) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s: no signature has an output; name feeds and fetches", m.Path)
	}
	return rs, nil
}

// parsePort reads "tensor" or "key=tensor".
func parsePort(s string) port {
	if key, t, ok := strings.Cut(s, "="); ok {
		return port{t, key}
	}
	return port{s, s}
}

// bareGraph feeds every placeholder and fetches every tensor nobody reads.
func bareGraph(g *ir.Graph) request {
	var r request
	read := map[*ir.Node]bool{}
	for _, n := range g.Nodes {
		for _, in := range n.Ins {
			read[in.Node] = true
		}
	}
	for _, n := range g.Nodes {
		switch {
		case n.Op == "Placeholder" || n.Op == "PlaceholderV2":
			r.feeds = append(r.feeds, port{n.Name + ":0", n.Name})
		case !read[n] && n.Op != "Const" && len(n.Outs) > 0 && n.Outs[0].DType.GoType() != nil:
			key := n.Name
			for i := range n.Outs {
				if len(n.Outs) > 1 {
					key = fmt.Sprintf("%s_%d", n.Name, i)
				}
				r.fetches = append(r.fetches, port{fmt.Sprintf("%s:%d", n.Name, i), key})
			}
		}
	}
	return r
}

func tensorName(s string) string {
	if strings.Contains(s, ":") {
		return s
	}
	return s + ":0"
}

func bind(g *ir.Graph, r request, shapes map[string]string) error {
	var feeds []passes.Feed
	sizes := map[string]bool{}
	for _, f := range r.feeds {
		pf := passes.Feed{Tensor: tensorName(f.tensor), Key: f.key}
		for _, name := range []string{f.key, f.tensor, tensorName(f.tensor), strings.TrimSuffix(f.tensor, ":0")} {
			s, ok := shapes[name]
			if !ok {
				continue
			}
			shape, err := parseShape(f.tensor, s, sizes)
			if err != nil {
				return err
			}
			pf.Shape = &shape
			break
		}
		feeds = append(feeds, pf)
	}
	var fetches []passes.Fetch
	for _, f := range r.fetches {
		fetches = append(fetches, passes.Fetch{Tensor: tensorName(f.tensor), Key: f.key})
	}
	return passes.BindIO(g, feeds, fetches, r.targets)
}

// checkShapeNames refuses a shape given for something that is not fed.
func checkShapeNames(rs []request, shapes map[string]string) error {
	known := map[string]bool{}
	var names []string
	for _, r := range rs {
		for _, f := range r.feeds {
			known[f.key], known[f.tensor], known[tensorName(f.tensor)] = true, true, true
			known[strings.TrimSuffix(f.tensor, ":0")] = true
			names = append(names, f.key)
		}
	}
	var bad []string
	for s := range shapes {
		if !known[s] {
			bad = append(bad, s)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	sort.Strings(bad)
	hint := ""
	if n := ir.Nearest(bad[0], names); n != "" {
		hint = fmt.Sprintf("; did you mean %q?", n)
	}
	return tensor.Errorf(tensor.NotFound, "a shape is given for %q, which is not fed%s", bad[0], hint)
}

// parseShape reads "1,224,?,3" for the feed of that name; see Options.Shapes.
// sizes collects the symbols made for ?, each of which stands for one size.
func parseShape(feed, s string, sizes map[string]bool) (ir.Shape, error) {
	s = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(s), "["), "]")
	if s == "" {
		return ir.ShapeOf(), nil
	}
	var dims []*sym.Expr
	for i, w := range strings.Split(s, ",") {
		w = strings.TrimSpace(w)
		n, err := strconv.Atoi(w)
		switch {
		case err == nil && n >= 0:
			dims = append(dims, sym.Int(n))
		case w == "?" || w == "-1":
			name := ops.DimName(strings.TrimSuffix(feed, ":0"), i)
			for k := 1; sizes[name]; k++ {
				name = fmt.Sprintf("%s_%d", ops.DimName(strings.TrimSuffix(feed, ":0"), i), k)
			}
			sizes[name] = true
			dims = append(dims, sym.Var(name))
		case isName(w):
			dims = append(dims, sym.Var(plan.NamedDim+w))
		default:
			return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "shape of %s: %q is neither a size, nor ?, nor a name", feed, w)
		}
	}
	return ir.ShapeOf(dims...), nil
}

// CheckShape reports a text that Options.Shapes does not take.
func CheckShape(feed, s string) error {
	_, err := parseShape(feed, s, map[string]bool{})
	return err
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// Eval computes a graph without feeds: constant folding's evaluator.
func Eval(g *ir.Graph) ([]*tensor.Tensor, error) {
	if err := ops.Infer(g); err != nil {
		return nil, err
	}
	p, err := ops.Lower(g, "fold")
	if err != nil {
		return nil, err
	}
	x, err := exec.New(p)
	if err != nil {
		return nil, err
	}
	got, err := x.Run(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	out := make([]*tensor.Tensor, len(g.Fetches))
	for i, f := range g.Fetches {
		out[i] = got[f.Name]
	}
	return out, nil
}

// Parameters counts the elements of floating-point constants in the compiled graphs.
func (p *Program) Parameters() int {
	n := 0
	seen := map[*tensor.Tensor]bool{}
	for _, s := range p.Signatures {
		for _, node := range s.Graph.Nodes {
			if t := node.Value(); t != nil && !seen[t] && t.DType.IsFloat() {
				seen[t] = true
				n += t.Len()
			}
		}
	}
	return n
}
