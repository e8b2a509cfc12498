package scalar

// Chain fuses Works that follow each other, if no Work in between reads or writes their tensors. It
// returns the remaining Works in a valid order. The function live reports whether a tensor is read
// by anything other than these Works. The parameter limit is the largest number of operations in a
// fused program.
//
// A Work is fused into the first Work that reads its result. If the result is also read by later
// Works, or by steps that are not Works, the fused Work writes it, too.
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

// readAny reports whether one of the Works reads a tensor that p writes.
func readAny(works []*Work, p *Work) bool {
	for _, w := range works {
		if w.follows(p) {
			return true
		}
	}
	return false
}

// follows reports whether w reads a tensor that work p writes.
func (w *Work) follows(p *Work) bool {
	for i := range w.In {
		if p.Writes(w.In[i].Tensor) {
			return true
		}
	}
	return false
}
