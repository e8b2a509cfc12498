package plan

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
)

// Fork puts steps into Tasks if it is worthwhile to run them at the same time. Such steps are
// independent of each other and costly, and loops over items do not suffice to keep the threads
// busy. The map profile contains the time of each node in nanoseconds, summed over the node's calls
// in a run. These times replace the estimated times; nil means no profile.
//
// Fork also handles nested lists, except those within tasks. It must run after Join and before
// Layout.
func (p *Plan) Fork(profile map[string]float64) {
	for _, q := range p.Parts {
		q.Fork(profile)
	}
	f := &forker{plan: p, costs: newCoster(p, profile), known: map[Step]*deps{}}
	if p.Parts == nil {
		f.list(&p.Steps)
	}
}

// Costs in picoseconds. A step that costs less than light is put into a task together with other
// steps. A list of steps is divided into tasks only if at least two tasks, each of at least
// worthTask, are independent of each other.
const (
	light     = 5_000_000
	worthTask = 20_000_000
	taskCost  = 1_000_000 // cost of beginning and ending a task
	forkCost  = 4_000_000 // cost of beginning tasks and waiting for the last
)

const (
	maxWindow = 4096 // number of steps of a list that are analysed together
	maxTasks  = 256
	// growth and growthFree limit the size of the arena with tasks. The limit is growth times the
	// size without tasks, plus growthFree bytes.
	growth     = 1.5
	growthFree = 4 << 20
)

type forker struct {
	plan  *Plan
	costs *coster
	trace *tracer
	arena int // bytes of the arena without tasks; 0 if unknown
	// known holds dependences between steps that have already been computed. The key is the first
	// step of an analysed list.
	known map[Step]*deps
}

// The method list replaces steps of the list l by Tasks where this is worthwhile. It does the same
// with the lists nested in the remaining steps.
func (f *forker) list(l *[]Step) {
	if f.costs.list(*l)[0] < 2*worthTask {
		return
	}
	old, some := *l, false
	for groups := maxTasks; groups >= 2; groups /= 2 { // fewer tasks use less memory
		*l, some = f.divided(old, groups)
		if !some || f.fits() {
			break
		}
		*l, some = old, false
	}
	for _, s := range *l {
		if isTasks(s) {
			continue
		}
		was := f.costs.trips
		if _, ok := s.(*Loop); ok {
			f.costs.trips *= usualTrips
		}
		for _, in := range Lists(s) {
			f.list(in)
		}
		f.costs.trips = was
	}
}

// divided returns a list in which Tasks replace some of the steps, and reports whether there are
// such Tasks. The parameter groups is the approximate maximum number of independent tasks in each
// Tasks.
func (f *forker) divided(steps []Step, groups int) (out []Step, some bool) {
	for len(steps) > 0 {
		n := 0
		for n < len(steps) && n < maxWindow && !leaves(steps[n]) {
			n++
		}
		if n > 1 {
			part := f.window(steps[:n], groups)
			some = some || len(part) < n || slices.ContainsFunc(part, isTasks)
			out = append(out, part...)
		} else {
			n = max(n, 1)
			out = append(out, steps[:n]...)
		}
		steps = steps[n:]
	}
	return out, some
}

func isTasks(s Step) bool { _, ok := s.(*Tasks); return ok }

// leaves reports whether step s is or contains a Break that ends a loop around s.
func leaves(s Step) bool {
	switch s := s.(type) {
	case *Break:
		return true
	case *If:
		return slices.ContainsFunc(s.Then, leaves) || slices.ContainsFunc(s.Else, leaves)
	}
	return false
}

// fits reports whether the arena of the plan with tasks is not much larger than the arena of the
// plan without tasks.
func (f *forker) fits() bool {
	return float64(f.plan.usualArena()) <= growth*float64(f.arena)+growthFree
}

// usualArena returns the size of the arena in bytes if all sizes that depend on the run have usual
// values; see Usual.
func (p *Plan) usualArena() int {
	u := p.Uses()
	var sizes []int
	var lives []mem.Life
	for _, b := range u.Order {
		if b.Place == Arena {
			sizes = append(sizes, min(max(p.Usual(b.Bytes()), 0), math.MaxInt32))
			lives = append(lives, u.Life[b])
		}
	}
	n, err := mem.Pack(sizes, lives, make([]int, len(sizes)), math.MaxInt)
	if err != nil {
		return math.MaxInt
	}
	return n
}

// window returns the steps of a list without Breaks, in which Tasks replace steps where this is
// worthwhile.
func (f *forker) window(steps []Step, groups int) []Step {
	cost := make([]times, len(steps))
	total, heavy := 0.0, []int{}
	for i, s := range steps {
		cost[i] = f.costs.of(s)
		if cost[i][0] >= light {
			heavy = append(heavy, i)
			total += cost[i][0]
		}
	}
	if len(heavy) < 2 || total < 2*worthTask {
		return steps
	}
	if f.trace == nil {
		f.trace, f.arena = newTracer(f.plan), f.plan.usualArena()
	}
	d := f.known[steps[0]]
	if d == nil {
		d = newDeps(f.trace, steps)
		f.known[steps[0]] = d
	}
	var out []Step
	done := 0
	for _, r := range d.regions(heavy) {
		c := newClusters(d, cost, r[0], r[1])
		c.shrink(groups)
		if t := c.tasks(steps); t != nil && c.worth() {
			out = append(append(out, steps[done:r[0]]...), t)
			done = r[1]
		}
	}
	return append(out, steps[done:]...)
}

// deps holds, for each step of a list, the steps for which it waits.
type deps struct {
	direct [][]int // some of the steps for which each step waits; all other dependences follow from these
	all    []bits  // per step, all steps for which it waits
}

// newDeps finds, for each step, the steps for which it waits.
func newDeps(t *tracer, steps []Step) *deps {
	d := &deps{make([][]int, len(steps)), make([]bits, len(steps))}
	type use struct {
		reach
		step int
	}
	uses := map[*Buf][]use{}
	grown := map[*Buf]bool{}
	// bound holds the last step that bound each size. reads holds the steps that have read each
	// size since then.
	bound, reads := map[string]int{}, map[string][]int{}
	var fails, looked []int // steps that may fail, and steps that read state, since the last step with effect alters
	altered := -1
	for i, s := range steps {
		all := newBits(len(steps))
		after := func(j int) {
			if j >= 0 && j != i && !all.has(j) {
				all.set(j)
				all.or(d.all[j])
				d.direct[i] = append(d.direct[i], j)
			}
		}
		f := t.of(s)
		for n := range f.sizes {
			if t.dims[n] {
				continue
			}
			if j, ok := bound[n]; ok {
				after(j)
			}
			reads[n] = append(reads[n], i)
		}
		for n := range f.binds {
			if j, ok := bound[n]; ok {
				after(j)
			}
			for _, j := range reads[n] {
				after(j)
			}
			bound[n], reads[n] = i, nil
		}
		switch {
		case f.effect == alters:
			for _, j := range slices.Concat(fails, looked) {
				after(j)
			}
			after(altered)
			altered, fails, looked = i, nil, nil
		default:
			if f.effect == looks {
				looked = append(looked, i)
			}
			if f.fails {
				fails = append(fails, i)
			}
			if f.effect == looks || f.fails {
				after(altered)
			}
		}
		for _, r := range f.parts {
			if r.root.Place != Arena && r.root.Place != Kept && !grown[r.root] {
				grown[r.root] = true // the buffer gets its storage in this step
				r.write, r.lo, r.hi = true, nil, nil
			}
			us := uses[r.root]
			for k := len(us) - 1; k >= 0; k-- {
				if !all.has(us[k].step) && us[k].clashes(&r) {
					after(us[k].step)
				}
			}
			if r.write && r.lo == nil {
				us = us[:0]
			}
			uses[r.root] = append(us, use{r, i})
		}
		d.all[i] = all
	}
	return d
}

// The parameter heavy lists the costly steps. regions returns the ranges of steps, from first up to
// end, in which some costly steps are independent of each other. A costly step between two ranges
// waits for all costly steps before it, and all costly steps after it wait for it.
func (d *deps) regions(heavy []int) (out [][2]int) {
	begin := -1
	for k, h := range heavy {
		joins := true
		for i, g := range heavy {
			joins = joins && (i == k || i < k && d.all[h].has(g) || i > k && d.all[g].has(h))
		}
		switch {
		case joins && begin >= 0:
			out = append(out, [2]int{begin, heavy[k-1] + 1})
			begin = -1
		case !joins && begin < 0:
			begin = h
		}
	}
	if begin >= 0 {
		out = append(out, [2]int{begin, heavy[len(heavy)-1] + 1})
	}
	return out
}
