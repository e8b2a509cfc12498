package codegen

import (
	"cmp"
	"slices"

	"github.com/graphc/graphc/plan"
)

// A buffer of one element becomes a Go variable if all steps that write it are emitted as
// assignments in one function. Loop counters and conditions are such variables.
//
// If a kernel or another function reads the buffer, each assignment also stores the value in the
// buffer's place in the arena. If the buffer is only fetched, the value is stored a single time, after
// the loops that change it. Otherwise the buffer has no place in the arena.
//
// A hook never reads the value of a variable, because a hook gets only the number of a step. To
// observe a tensor, a graph must have a node that reads the tensor. Such a node is emitted as a call,
// and a variable that a call reads is stored in the arena.

// goVar is a buffer of one element that becomes a Go variable of a function.
type goVar struct {
	root   *plan.Buf
	name   string
	stored bool // whether the value is also stored in the buffer's place in the arena
	// last is the step after which the value is stored. It is nil if each assignment stores the
	// value.
	last plan.Step
	// at is the step before which the variable is declared. The field bare reports whether the
	// declaration has no initial value.
	at   plan.Step
	bare bool
}

// variables are the variables of one function.
type variables struct {
	by map[*plan.Buf]*goVar
	at map[plan.Step][]*goVar // step → variables that are declared before it
	to map[plan.Step][]*goVar // step → variables that are stored after it; see goVar.last
}

// of returns the variable of a view of one element, or nil if it has none.
func (v *variables) of(w plan.View) *goVar {
	if v == nil {
		return nil
	}
	return v.by[w.Buf.Root()]
}

// windowName returns a name for the local that holds a window, which is a part of a buffer. The
// name is made from the name of the window's tensor. If a variable holds the tensor's element, for
// example n, the local is nPlace. Otherwise the name has at least two parts of the tensor's name,
// to distinguish nodes with equal names in different scopes.
func (p *printer) windowName(v plan.View) string {
	if x := p.vars.of(v); x != nil {
		return p.names.take(x.name+"Place", "")
	}
	return p.newLocal(v.Buf.Name, 2)
}

// declared returns the variables that are declared before step st and get no value there.
func (v *variables) declared(st plan.Step) []*goVar {
	if v == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.at[st]), func(x *goVar) bool { return !x.bare })
}

// ended returns the variables whose values are stored in the arena after the step st.
func (v *variables) ended(st plan.Step) []*goVar {
	if v == nil {
		return nil
	}
	return v.to[st]
}

// block is a list of steps that is emitted within a function.
type block struct {
	in   *block     // the list around this one, nil for the function's own list
	step plan.Step  // the step of the surrounding list that contains this list
	loop *plan.Loop // the innermost loop around this list
}

// inside adds entries to the map. The keys are the steps that are emitted within this function, and
// the value of a step is the list that contains the step.
func (s *stepsFile) inside(steps []plan.Step, all []span, b *block, to map[plan.Step]*block) {
	for _, sp := range all {
		if sp.count > 1 || sp.recorded {
			continue
		}
		st := steps[sp.start]
		to[st] = b
		if _, ok := st.(*plan.Tasks); ok {
			continue
		}
		in := b.loop
		if l, ok := st.(*plan.Loop); ok {
			in = l
		}
		for _, l := range plan.Lists(st) {
			inner := &block{b, st, in}
			for _, p := range s.inPlaces(*l) {
				s.inside(p, s.spans(p), inner, to)
			}
		}
	}
}

// inPlaces returns the parts of a list that funcBody.body emits in place.
func (s *stepsFile) inPlaces(steps []plan.Step) [][]plan.Step {
	if s.listSize(steps) <= inPlace {
		return [][]plan.Step{steps}
	}
	return slices.DeleteFunc(parts(steps), func(p []plan.Step) bool { return !leaves(p[0]) && s.listSize(p) > between })
}

// numbered returns the variables of the function that contains the given spans of steps.
func (s *stepsFile) numbered(steps []plan.Step, all []span, loop *plan.Loop) *variables {
	to := map[plan.Step]*block{}
	s.inside(steps, all, &block{loop: loop}, to)
	v := &variables{map[*plan.Buf]*goVar{}, map[plan.Step][]*goVar{}, map[plan.Step][]*goVar{}}
	for _, n := range s.numbers {
		if x := s.goVar(n, to, loop); x != nil {
			v.by[n.root] = x
			v.at[x.at] = append(v.at[x.at], x)
			if x.last != nil {
				v.to[x.last] = append(v.to[x.last], x)
			}
		}
	}
	return v
}

// goVar returns the variable that a buffer becomes in a function. The keys of the map are the steps
// of this function. The result is nil if the buffer does not become a variable of this function.
func (s *stepsFile) goVar(n *number, to map[plan.Step]*block, loop *plan.Loop) *goVar {
	x := &goVar{root: n.root, stored: n.stored}
	life := s.uses.In[n.root]
	if !s.within(life, loop) || slices.ContainsFunc(n.writes, func(st plan.Step) bool { return to[st] == nil }) {
		return nil
	}
	uses, read, own := slices.Clone(n.writes), false, false
	for _, st := range n.reads {
		if to[st] == nil {
			x.stored = true
			continue
		}
		self := slices.Contains(n.writes, st)
		uses, read, own = append(uses, st), read || !self, own || self
	}
	if !read && !(own && (x.stored || n.given)) { // Go rejects variables that are never read
		return nil
	}
	// Find the innermost list that contains all uses of the buffer and that runs only once during
	// the buffer's life.
	in := to[uses[0]]
	for slices.ContainsFunc(uses, func(st plan.Step) bool { return in.stepOf(st, to) == nil }) || !s.within(in.loop, nil) || in.loop != life && s.within(in.loop, life) {
		in = in.in
	}
	first := slices.MinFunc(uses, func(a, b plan.Step) int { return cmp.Compare(s.index[in.stepOf(a, to)], s.index[in.stepOf(b, to)]) })
	x.at = in.stepOf(first, to)
	if n.given && !x.stored {
		last := slices.MaxFunc(n.writes, func(a, b plan.Step) int { return cmp.Compare(s.index[in.stepOf(a, to)], s.index[in.stepOf(b, to)]) })
		x.last = in.stepOf(last, to)
	}
	x.stored = x.stored || n.given
	x.bare = !slices.Contains(n.writes, x.at) || slices.Contains(n.reads, x.at) || chooses(x.at)
	return x
}

// stepOf returns the step of b that is or contains st. It returns nil if st is in another list.
func (b *block) stepOf(st plan.Step, to map[plan.Step]*block) plan.Step {
	for at := to[st]; at != nil; at = at.in {
		if at == b {
			return st
		}
		st = at.step
	}
	return nil
}

// within reports whether loop is equal to the loop in the parameter outer, or is nested in that
// loop. The value nil represents the run, which contains all loops.
func (s *stepsFile) within(loop, outer *plan.Loop) bool {
	for ; loop != nil && loop != outer; loop = s.around[loop] {
	}
	return loop == outer
}

// localize decides which buffers become variables of which function. It removes buffers that live
// only in a variable from the arena.
func (s *stepsFile) localize() error {
	if s.numbers = numbers(s.sig.plan); len(s.numbers) == 0 {
		return nil
	}
	s.uses, s.around = s.sig.plan.Uses(), map[*plan.Loop]*plan.Loop{}
	s.nest(s.sig.plan.Steps, nil)
	s.varsOf = map[plan.Step]*variables{}
	s.divided(s.sig.plan.Steps, nil)
	elsewhere := map[*plan.Buf]bool{}
	for _, v := range s.varsOf {
		for r, x := range v.by {
			elsewhere[r] = elsewhere[r] || !x.stored
		}
	}
	err := s.sig.layout.Keep(elsewhere)
	s.sig.root = index(s.sig.layout.Roots)
	return err
}

// nest records, for each loop, the loop around it.
func (s *stepsFile) nest(steps []plan.Step, loop *plan.Loop) {
	for _, st := range steps {
		in := loop
		if l, ok := st.(*plan.Loop); ok {
			s.around[l], in = loop, l
		}
		for _, l := range plan.Lists(st) {
			s.nest(*l, in)
		}
	}
}

// divided finds the variables of the functions that are emitted for a list of steps.
func (s *stepsFile) divided(steps []plan.Step, loop *plan.Loop) {
	for _, all := range s.divide(steps) {
		s.varsOf[steps[all[0].start]] = s.numbered(steps, all, loop)
		for _, sp := range all {
			s.nested(steps[sp.start], loop) // a span of several steps has no nested lists
		}
	}
}

// nested finds the variables of the functions that are emitted for the lists nested in a step.
func (s *stepsFile) nested(st plan.Step, loop *plan.Loop) {
	if l, ok := st.(*plan.Loop); ok {
		loop = l
	}
	_, tasks := st.(*plan.Tasks)
	for _, l := range plan.Lists(st) {
		if tasks {
			s.divided(*l, loop)
			continue
		}
		if s.listSize(*l) <= inPlace {
			s.nestedIn(*l, loop)
			continue
		}
		for _, p := range parts(*l) {
			if leaves(p[0]) || s.listSize(p) <= between {
				s.nestedIn(p, loop)
			} else {
				s.divided(p, loop)
			}
		}
	}
}

func (s *stepsFile) nestedIn(steps []plan.Step, loop *plan.Loop) {
	for _, st := range steps {
		s.nested(st, loop)
	}
}
