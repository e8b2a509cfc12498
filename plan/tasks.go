package plan

import "slices"

// Tasks is a step that consists of tasks, some of which may run at the same time. A task begins
// when all tasks in its field After are done. These are always earlier tasks of the list, so the
// tasks can also run one after the other in the list's order. The results have the same bits in any
// order.
//
// If one task writes storage or sizes that another task uses, or if the order of the two tasks'
// effects matters, then After must put the two tasks in order. A task contains no Tasks step, and
// no Break that ends a loop around the Tasks step.
type Tasks struct {
	Node, Op string
	Tasks    []Task
	// Work is the cost of all tasks in picoseconds.
	Work int
}

// Task is a list of steps, which run in order.
type Task struct {
	Steps []Step
	After []int // the indices of the tasks for which this task waits, in increasing order
	// Work is the task's cost in picoseconds. Tasks on the longest chains of work begin first.
	Work int
}

func (*Tasks) isStep() {}

// Views implements Step: it calls f with the views of all tasks.
func (s *Tasks) Views(f func(View)) {
	for _, t := range s.Tasks {
		for _, st := range t.Steps {
			st.Views(f)
		}
	}
}

// The method named before returns, for each task, the set of tasks that must be done before the
// task begins.
func (s *Tasks) before() []bits {
	out := make([]bits, len(s.Tasks))
	for i, t := range s.Tasks {
		out[i] = newBits(len(s.Tasks))
		for _, j := range t.After {
			out[i].set(j)
			out[i].or(out[j])
		}
	}
	return out
}

// Lanes divides the tasks into lanes and returns the number of each task's lane. The numbers begin
// at 1. Tasks in the same lane never run at the same time.
func (s *Tasks) Lanes() []int {
	before := s.before()
	lanes := make([]int, len(s.Tasks))
	var last []int // the last task of each lane
	for i := range s.Tasks {
		k := slices.IndexFunc(last, func(j int) bool { return before[i].has(j) })
		if k < 0 {
			k = len(last)
			last = append(last, i)
		}
		last[k], lanes[i] = i, k+1
	}
	return lanes
}

// Order returns the order in which ready tasks begin. A task begins earlier if a longer chain of
// work depends on it.
func (s *Tasks) Order() []int {
	// far holds, for each task, the work from its beginning to the end of the longest chain of
	// tasks that wait for it.
	far := make([]int, len(s.Tasks))
	for i := len(s.Tasks) - 1; i >= 0; i-- {
		far[i] += max(s.Tasks[i].Work, 1)
		for _, j := range s.Tasks[i].After {
			far[j] = max(far[j], far[i])
		}
	}
	order := make([]int, len(s.Tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return far[b] - far[a] })
	return order
}

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits      { return make(bits, (n+63)/64) }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bits) or(c bits) {
	for i, x := range c {
		b[i] |= x
	}
}

// trim removes tasks without steps. If a task waits for a removed task, it then waits for the tasks
// for which the removed task waits.
func (s *Tasks) trim() {
	at := make([]int, len(s.Tasks)) // the index of each task in the new list
	var out []Task
	for k, t := range s.Tasks {
		var after []int
		for _, j := range t.After {
			if len(s.Tasks[j].Steps) == 0 {
				after = append(after, s.Tasks[j].After...) // already renumbered
			} else {
				after = append(after, at[j])
			}
		}
		slices.Sort(after)
		s.Tasks[k].After = slices.Compact(after)
		if at[k] = len(out); len(t.Steps) > 0 {
			out = append(out, s.Tasks[k])
		}
	}
	s.Tasks = out
}

// InOrder makes all tasks run one after the other.
func (p *Plan) InOrder() {
	for _, q := range p.Parts {
		q.InOrder()
	}
	p.Steps = inOrder(p.Steps)
}

func inOrder(steps []Step) []Step {
	var out []Step
	for _, s := range steps {
		for _, l := range Lists(s) {
			*l = inOrder(*l)
		}
		if t, ok := s.(*Tasks); ok {
			for _, k := range t.Tasks {
				out = append(out, k.Steps...)
			}
			continue
		}
		out = append(out, s)
	}
	return out
}
