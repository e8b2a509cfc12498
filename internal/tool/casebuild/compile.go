package casebuild

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// Compiler compiles all runs of one case to one program, because the runs share state. Runs have
// the same signature if they have the same feeds, fetches and targets, and the feeds have the same
// ranks.
type Compiler struct {
	Options
	Case    *cases.Case
	Methods map[string]lower.Method // of convolutions

	Refusal error // compile error of the case
}

// Compile returns the program for the first n runs of the case, and the name of the signature for
// each run.
func (cc *Compiler) Compile(n int) (*pipeline.Program, []string, error) {
	p, names, err := cc.program(n)
	var unknown *passes.NameError
	if errors.As(err, &unknown) && cc.Case.ErrWhen == "run" {
		err = unknown.Run() // a TensorFlow session recorded the case and rejects unknown names only at run time
	}
	cc.Refusal = err
	return p, names, err
}

func (cc *Compiler) program(n int) (*pipeline.Program, []string, error) {
	m, err := pipeline.Load([]string{cc.Case.ModelPath}, frontend.Options{Config: cc.Case.ConfigPath, Limits: cc.Passes.Limits.Limits})
	if err != nil {
		return nil, nil, err
	}
	shapes, lengths := make([]map[string]string, n), make([]map[string]string, n)
	for i := range n {
		if cc.AsGiven {
			break
		}
		feeds, _, err := cc.Case.LoadRun(i)
		if err != nil {
			return nil, nil, err
		}
		shapes[i] = UnknownRanks(m.Graph, feeds)
		lengths[i] = knownLengths(shapes[i], feeds, m.Graph)
		unequalShapes(shapes[i], feeds, m.Graph)
		unequalShapes(lengths[i], feeds, m.Graph)
	}
	calls, names := cc.calls(shapes)
	opts := graphc.Options{NoOptimize: cc.NoOpt, ExactConv: cc.ExactConv}
	if err := errors.Join(cc.Devices.Apply(&opts, os.Stderr), cc.Passes.Apply(&opts)); err != nil {
		return nil, nil, err
	}
	o, err := flags.Engine(&opts)
	if err != nil {
		return nil, nil, err
	}
	o.Calls, o.KeepGoing, o.Weights, o.Methods = calls, true, cc.Weights, cc.Methods
	p, err := pipeline.CompileModel(m, o)
	if err != nil {
		return nil, nil, err
	}
	again := false
	for i := range n {
		if tensor.CodeOf(p.Failed[names[i]]) == tensor.Unimplemented && !sameShapes(shapes[i], lengths[i]) {
			// The rank of some tensor may be the length of a fed vector, if the vector is used as a
			// shape, as axes or as indices. Compile again, with the lengths of fed vectors as known
			// sizes.
			shapes[i], again = lengths[i], true
		}
	}
	if again {
		o.Calls, names = cc.calls(shapes)
		if cc.Passes.Fuel.Limited {
			o.Fuel = cc.Passes.Tank()
		}
		if p, err = pipeline.CompileModel(m, o); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range names {
		err := p.Failed[name]
		var lacking *lower.UnsupportedError
		// The result is an error without a code, because no case expects the error of an
		// unsupported op
		if errors.As(err, &lacking) && tensor.CodeOf(lacking) == tensor.Unimplemented {
			return nil, nil, errors.New(lacking.Error())
		}
		if err != nil {
			return nil, nil, err
		}
		if !cc.NoOpt && len(cc.Passes.Args()) == 0 && cc.Case.Structure != nil {
			if err := checkStructure(p.Signature(name), cc.Case.Structure); err != nil {
				return nil, nil, err
			}
		}
	}
	return p, names, nil
}

// calls returns the different signatures that the runs need, and the name of the signature for each
// run. The parameter shapes has the shapes of feeds for each run.
func (cc *Compiler) calls(shapes []map[string]string) (calls []pipeline.Call, names []string) {
	var first []int
	for i := range shapes {
		r := cc.Case.Runs[i]
		k := slices.IndexFunc(first, func(j int) bool { return r.Same(cc.Case.Runs[j]) && sameShapes(shapes[i], shapes[j]) })
		if k < 0 {
			k = len(calls)
			first = append(first, i)
			calls = append(calls, pipeline.Call{Name: fmt.Sprintf("run%d", i), Feeds: r.Feeds, Fetches: r.Fetches, Targets: r.Targets, Shapes: shapes[i]})
		}
		names = append(names, calls[k].Name)
	}
	return calls, names
}

func sameShapes(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

// legacyScalar is the highest producer version of a GraphDef for which the shape [] of a
// Placeholder means that the shape is unknown.
const legacyScalar = 21

// UnknownRanks returns shapes for those feeds whose rank is unknown in the graph. Such a shape has
// the rank of the fed array, and all its sizes are unknown.
func UnknownRanks(g *ir.Graph, feeds map[string]*tensor.Tensor) map[string]string {
	out := map[string]string{}
	var inferred *ir.Graph
	for name, t := range feeds {
		o, err := g.Lookup(name)
		if err != nil {
			continue // compiling will report the error
		}
		if strings.HasPrefix(o.Node.Op, "Placeholder") {
			s, ok := o.Node.Attrs["shape"].(ir.PartialShape)
			if ok && !s.UnknownRank && (len(s.Dims) > 0 || g.Producer > legacyScalar) {
				continue
			}
		} else {
			if inferred == nil {
				inferred = g.Clone()
				_ = ops.Ops().Infer(inferred) // the shapes of nodes with errors stay unknown
			}
			if o, err := inferred.Lookup(name); err == nil && o.Fact().Shape.Known {
				continue
			}
		}
		out[name] = strings.TrimSuffix(strings.Repeat("?,", t.Rank()), ",")
	}
	return out
}

// knownLengths returns a copy of the shapes in which the last sizes of integer feeds are known. If
// the graph leaves the last size of such a feed open, the copy has the size of the fed array. The
// feed may be a vector of sizes or axes, or the index tuples of GatherNd. In these cases, its last
// size determines the rank of another tensor.
func knownLengths(shapes map[string]string, feeds map[string]*tensor.Tensor, g *ir.Graph) map[string]string {
	out := maps.Clone(shapes)
	for name, t := range feeds {
		if t.Rank() == 0 || t.DType != tensor.Int16 && t.DType != tensor.Int32 && t.DType != tensor.Int64 {
			continue
		}
		dims := slices.Repeat([]string{"?"}, t.Rank())
		if _, ok := shapes[name]; !ok {
			o, err := g.Lookup(name)
			if err != nil || !strings.HasPrefix(o.Node.Op, "Placeholder") {
				continue
			}
			s, ok := o.Node.Attrs["shape"].(ir.PartialShape)
			if !ok || len(s.Dims) != t.Rank() || s.Dims[t.Rank()-1] >= 0 {
				continue
			}
			for i, d := range s.Dims {
				if d >= 0 {
					dims[i] = strconv.FormatInt(d, 10)
				}
			}
		}
		dims[t.Rank()-1] = strconv.Itoa(t.Shape[t.Rank()-1])
		out[name] = strings.Join(dims, ",")
	}
	return out
}

// unequalShapes adds the shapes of two fed tensors to the parameter shapes if a node Equal or
// NotEqual compares the tensors and they do not broadcast. If the node's attribute
// incompatible_shape_error is false, the result is then a scalar. The rank of the result therefore
// depends on the sizes of the operands.
func unequalShapes(shapes map[string]string, feeds map[string]*tensor.Tensor, g *ir.Graph) {
	fed := map[ir.Out]string{}
	for name := range feeds {
		if o, err := g.Lookup(name); err == nil {
			fed[o] = name
		}
	}
	for _, n := range g.Nodes {
		if n.Op != "Equal" && n.Op != "NotEqual" || len(n.Ins) != 2 {
			continue
		}
		if strict, ok := n.Attrs["incompatible_shape_error"].(bool); strict || !ok {
			continue
		}
		x, y := feeds[fed[n.Ins[0]]], feeds[fed[n.Ins[1]]]
		if x == nil || y == nil {
			continue
		}
		if _, err := lower.BroadcastShapes(constShape(x), constShape(y)); err == nil {
			continue
		}
		for i, t := range []*tensor.Tensor{x, y} {
			shapes[fed[n.Ins[i]]] = strings.Trim(t.Shape.String(), "[]")
		}
	}
}

func constShape(t *tensor.Tensor) ir.Shape {
	dims := make([]*sym.Expr, t.Rank())
	for i, d := range t.Shape {
		dims[i] = sym.Int(d)
	}
	return ir.ShapeOf(dims...)
}
