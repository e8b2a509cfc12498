package pipeline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes"
	"github.com/graphc/graphc/rt/tensor"
)

// watches finds the tensors that Options.Watch and Options.CheckNumerics select.
type watches struct {
	patterns []string
	check    bool
	found    []bool // for each pattern: whether it has matched a node of any signature
}

func newWatches(o *Options) *watches {
	if len(o.Watch) == 0 && !o.CheckNumerics {
		return nil
	}
	return &watches{patterns: o.Watch, check: o.CheckNumerics, found: make([]bool, len(o.Watch))}
}

// of implements passes.Options.Watch.
func (w *watches) of(o ir.Out) (passes.Watch, error) {
	n := o.Node
	want := passes.Watch(0)
	for i, p := range w.patterns {
		exact := !strings.ContainsAny(p, "*?")
		if !glob(p, n.Name) && !glob(p, o.String()) {
			continue
		}
		if n.Region != nil {
			if exact {
				return 0, tensor.Errorf(tensor.InvalidArgument, "%q (%s) cannot be watched: it may run several times in %s; watch a tensor that leaves it", n.Name, n.Op, kindOf(n.Region))
			}
			continue
		}
		if !exact && source(n) {
			continue
		}
		w.found[i] = true
		want |= passes.Watched
	}
	if w.check && !source(n) {
		want |= passes.Checked
	}
	return want, nil
}

// source reports whether n is a constant or a placeholder, whose value is not computed.
func source(n *ir.Node) bool { return n.Op == "Const" || n.Op == "Placeholder" }

// kindOf returns a description of region r for error messages.
func kindOf(r *ir.Region) string {
	if r.InnerLoop() != nil {
		return "the loop " + r.InnerLoop().Name
	}
	return "a branch of " + r.Name
}

// missing returns the error for patterns that match nothing.
func (w *watches) missing() error {
	if w == nil {
		return nil
	}
	if i := slices.Index(w.found, false); i >= 0 {
		return tensor.Errorf(tensor.NotFound, "no node outside of loops and branches matches %q", w.patterns[i])
	}
	return nil
}

// glob reports whether a pattern matches a name: * matches any text, ? one character.
func glob(pattern, name string) bool {
	// The variable star is the index of the last * that was matched, or -1. The variable from is
	// the index in name at which the text that this * matches ends.
	star, from := -1, 0
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, size := utf8.DecodeRuneInString(name[n:])
			p++
			n += size
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
