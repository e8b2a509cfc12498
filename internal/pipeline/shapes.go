package pipeline

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

func tensorName(s string) string {
	if strings.Contains(s, ":") {
		return s
	}
	return s + ":0"
}

func bind(g *ir.Graph, r request) error {
	var feeds []passes.Feed
	sizes := map[string]bool{}
	keys := map[string]bool{}
	for _, f := range r.feeds {
		keys[f.key] = true
	}
	for _, f := range r.feeds {
		pf := passes.Feed{Tensor: tensorName(f.tensor), Key: f.key}
		for _, name := range []string{f.key, f.declared, f.tensor, tensorName(f.tensor), strings.TrimSuffix(f.tensor, ":0")} {
			s, ok := r.shapes[name]
			// Skip a name without a given shape. Also skip f's key in the model if the caller gave
			// this key to another feed.
			if !ok || name == f.declared && name != f.key && keys[name] {
				continue
			}
			shape, err := parseShape(f.tensor, s, sizes)
			if err != nil {
				return err
			}
			pf.Shape = &shape
			break
		}
		pf.FetchesOnly = r.unpruned && passes.LoweredBeforeFeeding(ops.Ops(), g, pf.Tensor)
		feeds = append(feeds, pf)
	}
	var fetches []passes.Fetch
	for _, f := range r.fetches {
		fetches = append(fetches, passes.Fetch{Tensor: tensorName(f.tensor), Key: f.key})
	}
	if err := passes.Connect(g, r.connect, feeds, fetches); err != nil {
		return err
	}
	return passes.BindIO(ops.Ops(), g, feeds, fetches, r.targets)
}

// checkShapeNames returns an error for a shape of a tensor that is not fed.
func checkShapeNames(rs []request, shapes map[string]string) error {
	known := map[string]bool{}
	var names []string
	for _, r := range rs {
		for _, f := range r.feeds {
			known[f.key], known[f.declared], known[f.tensor], known[tensorName(f.tensor)] = true, true, true, true
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

// parseShape parses the text of a shape, such as "1,224,?,3"; see Options.Shapes. The parameter
// feed is the name of the fed tensor. For each ?, parseShape makes a new symbol and adds the name
// of the symbol to the set in the last argument.
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
			dims = append(dims, lower.FreshDim(sizes, strings.TrimSuffix(feed, ":0"), i))
		case isName(w):
			dims = append(dims, sym.Var(plan.NamedDim+w))
		default:
			return ir.Shape{}, tensor.Errorf(tensor.InvalidArgument, "shape of %s: %q is not a size, a ? or a name", feed, w)
		}
	}
	return ir.ShapeOf(dims...), nil
}

// CheckShape returns an error if s is not valid as a shape in Options.Shapes. The error contains
// the name of the feed.
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
