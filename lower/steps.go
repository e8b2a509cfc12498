package lower

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
)

// begin sets the node to which the next steps belong.
func (l *lowerer) begin(n *ir.Node) {
	l.node = n
	top := l.lists[len(l.lists)-1]
	top.begun = len(*top.steps)
}

// ahead inserts a step before the steps of the current node. Steps appended at the end may already
// be inside a loop over rows.
func (l *lowerer) ahead(s plan.Step) {
	top := l.lists[len(l.lists)-1]
	*top.steps = slices.Insert(*top.steps, min(top.begun, len(*top.steps)), s)
	top.begun++
}

// after makes later calls of ahead insert their steps after all steps that have been appended so
// far.
func (l *lowerer) after() {
	top := l.lists[len(l.lists)-1]
	top.begun = len(*top.steps)
}

func (l *lowerer) step(s plan.Step) {
	top := l.lists[len(l.lists)-1].steps
	*top = append(*top, s)
	if c, ok := s.(*plan.Call); ok {
		for _, r := range c.Rets {
			l.bound[r] = true
		}
	}
}

// check appends a call that checks sizes. If the check depends only on the feeds' sizes, it becomes
// a part of the prologue, which runs before all steps.
func (l *lowerer) check(c *plan.Call) {
	if len(l.lists) > 1 { // the check must run only if its branch or loop body runs
		l.step(c)
		return
	}
	set := map[string]bool{}
	if !sizesOf(c, set) {
		l.step(c)
		return
	}
	for v := range set {
		if !l.dims[v] {
			l.step(c)
			return
		}
	}
	if key := checkKey(c); !l.checked[key] {
		l.checked[key] = true
		l.p.Prologue = append(l.p.Prologue, c)
	}
}

// sizesOf adds the sizes in the arguments of a call to a set. It returns false if the call reads
// tensors.
func sizesOf(c *plan.Call, set map[string]bool) bool {
	for _, a := range c.Args {
		switch a := a.(type) {
		case plan.View:
			return false
		case plan.Int:
			a.X.Vars(set)
		case plan.Ints:
			for _, e := range a.X {
				e.Vars(set)
			}
		case plan.Struct:
			if len(a.Operands) > 0 {
				return false
			}
			for _, es := range a.Fields {
				for _, e := range es {
					e.Vars(set)
				}
			}
		}
	}
	return true
}

// checkKey returns a key that is equal for checks that reject the same sizes.
func checkKey(c *plan.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x", reflect.ValueOf(c.Fn).Pointer())
	for _, a := range c.Args {
		if s, ok := a.(plan.Struct); ok { // a Struct holds pointers to expressions, which would be printed as addresses
			names := slices.Sorted(maps.Keys(s.Fields))
			fmt.Fprintf(&b, " %T%+v", s.V, s.V)
			for _, n := range names {
				fmt.Fprintf(&b, " %s=%v", n, s.Fields[n])
			}
			continue
		}
		fmt.Fprintf(&b, " %T%v", a, a)
	}
	return b.String()
}
