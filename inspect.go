package graphc

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/graphc/graphc/codegen"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/flops"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
)

// Inspect describes the content of a model and what its signatures do. It compiles the model. If
// that fails, the report says why, and holds what is known without compiling. The error is an
// *Error for invalid options, or the error of ctx when ctx ends.
func (m *Model) Inspect(ctx context.Context, o *Options) (*Report, error) {
	if o == nil {
		o = &Options{}
	}
	r := &Report{Path: m.Path(), Kind: m.Kind(), SHA256: m.SHA256(), Producer: m.m.Graph.Producer, Nodes: len(m.m.Graph.Nodes),
		Signatures: []SignatureReport{}, Unsupported: []UnsupportedOp{}}
	r.Ops = histogram(m.m.Graph)
	if m.m.Graph.Library != nil {
		r.Functions = len(m.m.Graph.Library.Functions)
	}
	p, err := m.compiled(ctx, o, r)
	if err != nil {
		return nil, err
	}
	if p == nil {
		r.declared(m.m)
		return r, nil
	}
	r.addState(m.m, p, o.Init)
	for _, s := range p.Signatures {
		r.Signatures = append(r.Signatures, signatureReport(m.m, s))
	}
	for _, x := range p.LeftOut {
		r.LeftOut = append(r.LeftOut, LeftOutReport(x))
	}
	return r, nil
}

// compiled compiles the model for a report. If that fails, it adds the error to the report, and
// compiles the model only as far as the optimized graph. If this also fails, it returns nil.
func (m *Model) compiled(ctx context.Context, o *Options, r *Report) (*pipeline.Program, error) {
	p := &Program{model: m, options: o.clone()}
	p.options.Limits = p.options.Limits.or(m.limits)
	po, err := p.options.engine()
	if err != nil {
		return nil, diagnose(err, "")
	}
	po.Context, po.GoOps, po.Spent = ctx, m.goOps, m.spent
	c, err := pipeline.CompileModel(m.m, po)
	if err == nil {
		n := c.Parameters()
		r.Parameters = &n
		return c, nil
	}
	if ctx.Err() != nil {
		return nil, diagnose(err, m.Path())
	}
	r.addError(err, m.Path())
	po.KeepGraph = true
	if c, err = pipeline.CompileModel(m.m, po); err != nil {
		return nil, ctx.Err()
	}
	return c, nil
}

func (r *Report) addError(err error, path string) {
	errors.As(diagnose(err, path), &r.Err)
	var u *lower.UnsupportedError
	if errors.As(err, &u) {
		for _, op := range u.Ops {
			r.Unsupported = append(r.Unsupported, UnsupportedOp{op.Op, len(op.Nodes), op.Nodes})
		}
		for _, d := range r.Err.Diagnostics {
			if !d.Unsupported {
				r.Errors = append(r.Errors, d.Error())
			}
		}
		return
	}
	r.Errors = strings.Split(err.Error(), "\n")
}

func signatureReport(m *frontend.Model, s *pipeline.Signature) SignatureReport {
	r := SignatureReport{Name: s.Name, Kept: len(s.Graph.Nodes), Feeds: []PortReport{}, Fetches: []PortReport{}}
	var sizes map[string]string
	if s.Plan != nil {
		r.Scope, sizes = s.Plan.Names.Scope(), s.Plan.SizeNames()
	}
	r.Reads, r.Changes = stateOf(s)
	if s.Same != nil {
		r.Same = s.Same.Of.Name
	}
	for _, ms := range m.Signatures {
		if ms.Name == s.Declared {
			r.Method = ms.Method
		}
	}
	for _, x := range s.Graph.Feeds {
		r.Feeds = append(r.Feeds, PortReport{x.Key, x.Name, x.Out.Fact().DType.String(), shapeText(x.Shape, sizes)})
	}
	for _, x := range s.Graph.Fetches {
		r.Fetches = append(r.Fetches, PortReport{x.Key, x.Name, x.Out.Fact().DType.String(), shapeText(x.Out.Fact().Shape, sizes)})
	}
	for _, t := range s.Graph.Targets {
		r.Targets = append(r.Targets, t.Name)
	}
	if s.Plan != nil {
		r.openRanks(s)
	}
	if s.Plan != nil && len(s.Variants) == 1 { // the number depends on the ranks, which differ between variants
		e := flops.Of(s.Graph)
		if n, err := flops.At(e, 1); err == nil {
			r.FLOPs = &n
		}
		if _, known := e.IsInt(); !known {
			r.FLOPsOf = plan.NamedSizes(e, sizes).String()
		}
	}
	return r
}

// openRanks replaces the shapes of feeds and fetches whose rank is not fixed. The report was made
// from the graph of the first variant, in which all ranks are fixed.
func (r *SignatureReport) openRanks(s *pipeline.Signature) {
	sig := codegen.Signature(plansOf(s))
	for i := range r.Feeds {
		if sig.Feeds[i].AnyRank {
			r.Feeds[i].Shape = shapeText(ir.Shape{}, nil)
		}
	}
	for i := range r.Fetches {
		if sig.Fetches[i].AnyRank {
			r.Fetches[i].Shape = shapeText(ir.Shape{}, nil)
		}
	}
}

// declared adds the signatures to the report as the model declares them.
func (r *Report) declared(m *frontend.Model) {
	ports := func(ps []frontend.Port) []PortReport {
		out := []PortReport{}
		for _, p := range ps {
			out = append(out, PortReport{p.Key, p.Tensor, p.DType.String(), shapeText(lower.ShapeFromAttr(p.Key, p.Shape), nil)})
		}
		return out
	}
	for _, s := range m.Signatures {
		r.Signatures = append(r.Signatures, SignatureReport{Name: s.Name, Method: s.Method, Feeds: ports(s.Inputs), Fetches: ports(s.Outputs), Targets: s.Targets})
	}
}

// histogram counts the ops in the graph and its functions, most frequent first.
func histogram(g *ir.Graph) []OpCount {
	n := map[string]int{}
	count := func(g *ir.Graph) {
		for _, node := range g.Nodes {
			n[node.Op]++
		}
	}
	count(g)
	if g.Library != nil {
		for _, f := range g.Library.Functions {
			if f.Body != nil {
				count(f.Body)
			}
		}
	}
	out := []OpCount{}
	for _, op := range slices.Sorted(maps.Keys(n)) {
		out = append(out, OpCount{op, n[op]})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Count > out[j].Count })
	return out
}

// shapeText formats a shape. The map has the names under which symbolic sizes are written.
func shapeText(s ir.Shape, sizes map[string]string) string {
	if !s.Known {
		return "[…]"
	}
	parts := make([]string, len(s.Dims))
	for i, d := range s.Dims {
		parts[i] = plan.NamedSizes(d, sizes).String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}
