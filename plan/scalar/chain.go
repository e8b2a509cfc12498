package scalar

// Chain fuses works that follow each other with nothing in between that reads or
// writes their tensors, and returns what is left in an order that may be done. live
// names tensors that others read. limit is how many operations a program may have.
//
// A producer goes to its first reader, which writes what later works or others read,
// unless a work between them reads it.
func Chain(works []*Work, live func(tensor int) bool, limit int) []*Work {
	out := make([]*Work, 0, len(works))
	for j, c := range works {
		c = c.Simplify()
		later := func(t int) bool {
			if live(t) {
				return true
			}
			for _, w := range works[j+1:] {
				if w.Reads(t) {
					return true
				}
			}
			return false
		}
		for i := len(out) - 1; i >= 0; i-- {
			p := out[i]
			if !c.follows(p) || len(p.Ops)+len(c.Ops) > limit || readAny(out[i+1:], p) {
				continue
			}
			if w, ok := Fuse(c, p, later); ok {
				c = w
				out = append(out[:i], out[i+1:]...)
			}
		}
		out = append(out, c)
	}
	return out
}

// readAny reports whether one of the works reads what p writes.
func readAny(works []*Work, p *Work) bool {
	for _, w := range works {
		if w.follows(p) {
			return true
		}
	}
	return false
}

// follows reports whether w reads what p writes.
func (w *Work) follows(p *Work) bool {
	for i := range w.In {
		if p.Writes(w.In[i].Tensor) {
			return true
		}
	}
	return false
}
