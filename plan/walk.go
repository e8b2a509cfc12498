package plan

// Walk calls f with every step and its index in the order of printing. An If has an index, and the
// steps of Then and of Else follow it. A Loop has an index, and the steps of its body follow it. A
// Tasks has an index, and the steps of each task follow it. A Par has an index, but the steps of
// its body have none. Lifetimes, Layout.First and the steps in errors use these numbers.
func Walk(steps []Step, f func(i int, s Step)) { walk(steps, 0, f) }

// walk is Walk for a list whose first step has index i. It returns the index that follows that of
// the last step.
func walk(steps []Step, i int, f func(int, Step)) int {
	for _, s := range steps {
		f(i, s)
		i++
		for _, l := range Lists(s) {
			i = walk(*l, i, f)
		}
	}
	return i
}

// CountSteps returns the number of steps to which Walk gives an index.
func CountSteps(steps []Step) int { return walk(steps, 0, func(int, Step) {}) }

// Lists returns the lists of steps within s in the order of Walk: Then and Else
// of an If, the body of a Loop, the tasks of a Tasks; none for any other step.
func Lists(s Step) []*[]Step {
	switch s := s.(type) {
	case *If:
		return []*[]Step{&s.Then, &s.Else}
	case *Loop:
		return []*[]Step{&s.Body}
	case *Tasks:
		out := make([]*[]Step, len(s.Tasks))
		for i := range s.Tasks {
			out[i] = &s.Tasks[i].Steps
		}
		return out
	}
	return nil
}

// Flat returns the calls, copies, Scalars and transfers of steps in the order of printing,
// including those nested in loops and conditionals.
func Flat(steps []Step) []Step {
	var out []Step
	for _, s := range steps {
		switch s := s.(type) {
		case *Call, *Copy, *Scalar, Transfer:
			out = append(out, s)
		case *Par:
			out = append(out, s.Body...)
		default:
			for _, l := range Lists(s) {
				out = append(out, Flat(*l)...)
			}
		}
	}
	return out
}
