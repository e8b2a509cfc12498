package plan

// Walk calls f with every step and its index in the order they are printed: an
// If counts, then the steps of Then, then those of Else; a Loop counts, then its
// body; a Tasks counts, then the steps of each task; a Par counts once and its body
// does not. This is the numbering of
// lifetimes, of Layout.First, and of the steps that errors name.
func Walk(steps []Step, f func(i int, s Step)) { walk(steps, 0, f) }

// walk is Walk for steps of which the first has index i; it returns the index
// after the last.
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

// Flat returns the calls, copies, Scalars and transfers of steps in the order they are printed, those
// of loops and conditionals in their place.
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
