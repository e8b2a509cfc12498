package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/graphc/graphc/frontend"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// caseCompiler compiles the runs of one case. Runs with the same feeds, fetches
// and targets, fed with arrays of the same ranks, share a program.
type caseCompiler struct {
	c     *cases.Case
	noOpt bool

	model *frontend.Model
	runs  []compiledRun // the distinct ones
}

type compiledRun struct {
	run    cases.Run
	shapes map[string]string
	prog   *pipeline.Program
}

// compile returns the program of run i and its number among the distinct ones.
func (cc *caseCompiler) compile(i int) (int, *pipeline.Program, error) {
	if cc.model == nil {
		m, err := frontend.Load([]string{cc.c.ModelPath}, frontend.Options{Config: cc.c.ConfigPath})
		if err != nil {
			return 0, nil, err
		}
		cc.model = m
	}
	r := cc.c.Runs[i]
	feeds, _, err := cc.c.LoadRun(i)
	if err != nil {
		return 0, nil, err
	}
	shapes := unknownRanks(cc.model.Graph, feeds)
	lengths := knownLengths(shapes, feeds, cc.model.Graph)
	for k, d := range cc.runs {
		if d.run.Same(r) && (sameShapes(d.shapes, shapes) || sameShapes(d.shapes, lengths)) {
			return k, d.prog, nil
		}
	}
	o := pipeline.Options{Feeds: r.Feeds, Fetches: r.Fetches, Targets: r.Targets, Shapes: shapes, NoOpt: cc.noOpt}
	p, err := pipeline.CompileModel(cc.model, o)
	if tensor.CodeOf(err) == tensor.Unimplemented && !sameShapes(shapes, lengths) {
		// The length of what is fed as a shape, as axes or as indices decides a rank.
		o.Shapes = lengths
		if q, errLengths := pipeline.CompileModel(cc.model, o); errLengths == nil || tensor.CodeOf(errLengths) != tensor.Unimplemented {
			p, err, shapes = q, errLengths, lengths
		}
	}
	var lacking *ops.UnsupportedError
	if errors.As(err, &lacking) { // what graphc lacks is never what a case must be refused for
		return 0, nil, errors.New(lacking.Error())
	}
	if err != nil {
		return 0, nil, err
	}
	if !cc.noOpt && cc.c.Structure != nil {
		if err := checkStructure(p.Signatures[0].Graph, cc.c.Structure); err != nil {
			return 0, nil, err
		}
	}
	cc.runs = append(cc.runs, compiledRun{r, shapes, p})
	return len(cc.runs) - 1, p, nil
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

// legacyScalar is the last GraphDef version in which a Placeholder's shape []
// means that nothing is known.
const legacyScalar = 21

// unknownRanks gives feeds whose rank the graph does not tell the rank of the
// array that is fed, every size unknown.
func unknownRanks(g *ir.Graph, feeds map[string]*tensor.Tensor) map[string]string {
	out := map[string]string{}
	var inferred *ir.Graph
	for name, t := range feeds {
		o, err := g.Lookup(name)
		if err != nil {
			continue // compiling will say so
		}
		if strings.HasPrefix(o.Node.Op, "Placeholder") {
			s, ok := o.Node.Attrs["shape"].(ir.PartialShape)
			if ok && !s.UnknownRank && (len(s.Dims) > 0 || g.Producer > legacyScalar) {
				continue
			}
		} else {
			if inferred == nil {
				inferred = g.Clone()
				_ = ops.Infer(inferred) // nodes that are refused keep an unknown shape
			}
			if o, err := inferred.Lookup(name); err == nil && o.Fact().Shape.Known {
				continue
			}
		}
		out[name] = strings.TrimSuffix(strings.Repeat("?,", t.Rank()), ",")
	}
	return out
}

// knownLengths is shapes with the fed last size of each tensor of integers whose
// last size the graph leaves open: the length of a vector of sizes or axes, or of
// GatherNd's index tuples, is part of a rank.
func knownLengths(shapes map[string]string, feeds map[string]*tensor.Tensor, g *ir.Graph) map[string]string {
	out := maps.Clone(shapes)
	for name, t := range feeds {
		if t.Rank() == 0 || t.DType != tensor.Int32 && t.DType != tensor.Int64 {
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

// checkStructure reports what a pass should have removed, or kept.
func checkStructure(g *ir.Graph, want *cases.Structure) error {
	plain := []string{"Const", "Placeholder", "Identity", "NoOp", "VarHandleOp"}
	n := 0
	have := map[string]bool{}
	for _, node := range g.Nodes {
		have[node.Op] = true
		if !slices.Contains(plain, node.Op) {
			n++
		}
	}
	var bad []string
	if want.MaxNodesAfter != nil && n > *want.MaxNodesAfter {
		bad = append(bad, fmt.Sprintf("%d nodes are left, at most %d wanted", n, *want.MaxNodesAfter))
	}
	for _, op := range want.AbsentOps {
		if have[op] {
			bad = append(bad, op+" is left")
		}
	}
	for _, op := range want.PresentOps {
		if !have[op] {
			bad = append(bad, op+" is gone")
		}
	}
	if len(bad) > 0 {
		return fmt.Errorf("structure: %s", strings.Join(bad, "; "))
	}
	return nil
}
