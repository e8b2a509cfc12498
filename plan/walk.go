package plan

// Walk calls f with every step and its index in the order of printing. An If counts, followed by
// the steps of Then and of Else. A Loop counts, followed by its body, and a Tasks, followed by the
// steps of each task. A Par counts once; its body does not count. Lifetimes, Layout.First and the
// steps in errors use these numbers.
func Walk(steps []Step, f func(i int, s Step)) { walk(steps, 0, f) }

// walk is Walk for steps whose first has index i. It returns the index after the last.
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

// CountSteps returns the number of steps that Walk numbers.
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
