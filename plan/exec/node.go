package exec

import "github.com/graphc/graphc/plan"

// node is a step with what becomes of memory around it.
type node struct {
	step  plan.Step
	at    int         // its number, as plan.Walk counts
	grow  []*plan.Buf // get their room before it
	drop  []*plan.Buf // their lives end with it
	lists [][]*node   // those of plan.Lists
}

// nodes finds where the plan's buffers live.
func nodes(p *plan.Plan) []*node {
	u := p.Uses()
	t := &tree{u, map[int][]*plan.Buf{}, map[int][]*plan.Buf{}, 0, false}
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
	grow, last map[int][]*plan.Buf // by the numbers of plan.Walk
	next       int
	task       bool // the list is a task's, or in one
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
	return out
}
