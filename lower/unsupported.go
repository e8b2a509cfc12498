package lower

import (
	"fmt"
	"sort"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Unsupported is an op without a lowering, with the nodes that use it.
type Unsupported struct {
	Op    string
	Nodes []string
	// Why says which function a Foreign op calls and how the user can replace it. It is "" for
	// other ops.
	Why string
}

// Code returns PermissionDenied for a Foreign op, else Unimplemented.
func (u *Unsupported) Code() tensor.Code {
	if u.Why != "" {
		return tensor.PermissionDenied
	}
	return tensor.Unimplemented
}

// UnsupportedError lists all ops of a graph that cannot be lowered.
type UnsupportedError struct{ Ops []Unsupported }

// Error lists every op with its count and first nodes.
func (e *UnsupportedError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d unsupported ops:", e.code(), len(e.Ops))
	for _, u := range e.Ops {
		fmt.Fprintf(&s, "\n  %s (%d nodes): %s", tensor.Clip(u.Op), len(u.Nodes), tensor.Clip(strings.Join(u.Nodes[:min(3, len(u.Nodes))], ", ")))
		if len(u.Nodes) > 3 {
			s.WriteString(", …")
		}
		if u.Why != "" {
			s.WriteString(": " + u.Why)
		}
	}
	return s.String()
}

// Unwrap returns an error with the code of the whole list.
func (e *UnsupportedError) Unwrap() error {
	return tensor.Errorf(e.code(), "unsupported ops")
}

// code returns the code that all ops have in common, or Unimplemented if their codes differ.
func (e *UnsupportedError) code() tensor.Code {
	for i := range e.Ops {
		if c := e.Ops[i].Code(); c != e.Ops[0].Code() || c == tensor.Unimplemented {
			return tensor.Unimplemented
		}
	}
	return tensor.PermissionDenied
}

// Compilable rejects a graph with nodes that may not be compiled (PermissionDenied or
// DeadlineExceeded; see Access) or whose ops have no lowering (an UnsupportedError).
func (t *Table) Compilable(g *ir.Graph, options ...Option) error {
	l := &lowerer{t: t}
	for _, o := range options {
		o(l)
	}
	return l.compilable(g)
}

func (l *lowerer) compilable(g *ir.Graph) error {
	if err := l.t.refused(g, l.allowFiles); err != nil {
		return err
	}
	if e := l.t.lowerable(g); e != nil {
		return e
	}
	return nil
}

// foreign returns a description of the function that a node of a Foreign op calls, and "" for other
// nodes.
func (t *Table) foreign(n *ir.Node) string {
	if d := t.Lookup(n.Op); d != nil && d.Access != nil {
		if a, what := d.Access(n); a == Foreign {
			return what
		}
	}
	return ""
}

// lowerable returns an error that lists the ops of g that have no lowering, sorted by name. It
// returns nil if all ops have a lowering.
func (t *Table) lowerable(g *ir.Graph) *UnsupportedError {
	by := map[string][]string{}
	for _, n := range g.Nodes {
		if d := t.Lookup(n.Op); d == nil || d.Lower == nil {
			by[n.Op] = append(by[n.Op], n.Name)
		}
	}
	if len(by) == 0 {
		return nil
	}
	e := &UnsupportedError{}
	for op, ns := range by {
		e.Ops = append(e.Ops, Unsupported{op, ns, t.foreign(g.Node(ns[0]))})
	}
	sort.Slice(e.Ops, func(i, j int) bool { return e.Ops[i].Op < e.Ops[j].Op })
	return e
}
