package plan

// Walk calls f with every step and the step's index, in the order of the plan's text. The steps
// nested in an If, Loop or Tasks step also have indices, which follow the index of that step. The
// steps in the body of a Par have no indices. Lifetimes, Layout.First and the steps in errors use
// these indices.
func Walk(steps []Step, f func(i int, s Step)) { walk(steps, 0, f) }

// walk does the work of Walk for a list whose first step has index i. It returns the first index
// after those of the list's steps.
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

// walkViews calls f with the views of every step and with the step's index; see Walk. Of an If, it
// visits the condition only, because Walk calls f for each nested step.
func walkViews(steps []Step, f func(i int, v View)) {
	Walk(steps, func(i int, s Step) {
		switch s := s.(type) {
		case *If:
			f(i, s.Cond)
		case *Loop, *Tasks:
		default:
			s.Views(func(v View) { f(i, v) })
		}
	})
}

// CountSteps returns the number of steps to which Walk gives an index.
func CountSteps(steps []Step) int { return walk(steps, 0, func(int, Step) {}) }

// Lists returns the lists of steps that are nested in s, in the order of Walk. These are the lists
// Then and Else of an If, the body of a Loop, and the steps of each task of a Tasks. Other steps
// have no lists.
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

// Flat returns the calls, copies, Scalars and transfers among the given steps and the steps nested
// in them, in the order of the plan's text.
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
