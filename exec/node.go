package exec

import (
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/device/devvar"
)

// node is a step with the buffers whose lives begin or end at it.
type node struct {
	step  plan.Step
	at    int         // the step's number, as plan.Walk counts
	grow  []*plan.Buf // buffers that get memory before the step
	drop  []*plan.Buf // buffers whose lives end with the step
	lists [][]*node   // the nodes of the step's nested lists, in the order of plan.Lists
	// The next two fields are for segments of work on a device; see plan.Plan.Segments. If a segment
	// begins with this step, the first field has the variables that the segment uses. If a segment
	// that uses variables ends with this step, the second field is true.
	holds   []devvar.Use
	release bool
}

// nodes assigns the plan's buffers to the steps where their lives begin and end.
func nodes(p *plan.Plan) []*node {
	u := p.Uses()
	t := &tree{u, map[int][]*plan.Buf{}, map[int][]*plan.Buf{}, 0, false, p, map[*plan.Buf]int{}}
	for i, b := range p.DeviceVars() {
		t.slots[b] = i
	}
	for _, b := range u.Order {
		switch b.Place {
		case plan.Grow, plan.Strings, plan.Handles, plan.DeviceGrow:
			if !u.Roomed[b] {
				t.grow[u.Grow[b]] = append(t.grow[u.Grow[b]], b)
			}
		case plan.Arena, plan.Device:
		default:
			continue
		}
		if l, ok := u.Life[b]; ok {
			t.last[int(l.Last)] = append(t.last[int(l.Last)], b)
		}
	}
	return t.list(p.Steps, nil)
}

type tree struct {
	*plan.Uses
	grow, last map[int][]*plan.Buf // the keys are numbers of steps, as plan.Walk counts
	next       int
	task       bool // whether the steps that are being visited are in a task, directly or in a nested list
	plan       *plan.Plan
	slots      map[*plan.Buf]int
}

func (t *tree) list(steps []plan.Step, loop *plan.Loop) []*node {
	var out []*node
	for _, s := range steps {
		at := t.next
		t.next++
		n := &node{step: s, at: at, grow: t.grow[at]}
		in := loop
		if l, ok := s.(*plan.Loop); ok {
			in = l
		}
		outer := t.task
		if _, ok := s.(*plan.Tasks); ok {
			t.task = true
		}
		for _, l := range plan.Lists(s) {
			n.lists = append(n.lists, t.list(*l, in))
		}
		t.task = outer
		for i := at; i < t.next; i++ {
			for _, b := range t.last[i] {
				if t.In[b] == loop && (!t.task || t.Life[b].Tasks != 0) {
					n.drop = append(n.drop, b)
				}
			}
		}
		out = append(out, n)
	}
	t.segments(steps, out)
	return out
}

// segments sets the fields of the nodes that are for segments of work on a device; see node.
func (t *tree) segments(steps []plan.Step, nodes []*node) {
	of := t.plan.Segments(steps)
	for i := 0; i < len(steps); {
		n := i + 1
		for n < len(steps) && of[n] == of[i] {
			n++
		}
		if of[i] >= 0 {
			if uses := plan.Holds(steps[i:n], t.slots); len(uses) > 0 {
				nodes[i].holds, nodes[n-1].release = uses, true
			}
		}
		i = n
	}
}
