package plan

// AddRooms looks for buffers outside the arena whose size is not yet known when the buffer would
// get its storage. For each such buffer, it adds Room steps, which allocate the storage when the
// size is known. In a list of steps that writes the buffer, the Room comes before the first step
// that writes it. Such buffers occur when lists of several conditionals use a buffer and one of
// these lists determines its size.
func (p *Plan) AddRooms() {
	late := p.late()
	if len(late) > 0 {
		p.Steps = roomed(p.Steps, late, map[*Buf]bool{})
	}
}

// late returns the buffers that would get their storage (Uses.Grow) before the sizes in their
// lengths are bound.
func (p *Plan) late() map[*Buf]bool {
	some := false
	Walk(p.Steps, func(_ int, s Step) { some = some || len(Lists(s)) > 0 })
	if !some {
		return nil
	}
	u := p.Uses()
	bound := map[string]int{} // the number of the first step that binds each size
	Walk(p.Steps, func(i int, s Step) {
		for _, n := range binds(s) {
			if _, ok := bound[n]; !ok {
				bound[n] = i
			}
		}
	})
	late := map[*Buf]bool{}
	for _, b := range u.Order {
		if u.Roomed[b] || !b.Place.Grows() {
			continue
		}
		names := map[string]bool{}
		b.Len.Vars(names)
		for n := range names {
			if i, ok := bound[n]; ok && i >= u.Grow[b] {
				late[b] = true
			}
		}
	}
	return late
}

// roomed returns the given steps, with a Room added for each buffer in late where it is needed. The
// last parameter is the set of buffers whose Room comes before these steps.
func roomed(steps []Step, late, has map[*Buf]bool) []Step {
	here := map[*Buf]bool{}
	for b := range has {
		here[b] = true
	}
	var out []Step
	for _, s := range steps {
		for _, l := range Lists(s) {
			*l = roomed(*l, late, here)
			if _, ok := s.(*Tasks); !ok {
				continue
			}
			for _, t := range *l { // all tasks run
				if r, ok := t.(*Room); ok {
					here[r.Buf.Root()] = true
				}
			}
		}
		for _, t := range touches(s) {
			if t.write && late[t.root] && !here[t.root] {
				here[t.root] = true
				r := &Room{Buf: t.root}
				r.Node, r.Op = nodeOf(s)
				out = append(out, r)
			}
		}
		out = append(out, s)
	}
	return out
}

// nodeOf returns the node and op of a step that computes something. For other steps, it returns
// empty strings.
func nodeOf(s Step) (name, op string) {
	switch s := s.(type) {
	case *Call, *Copy, *Scalar, Transfer:
		return NodeOf(s)
	case *Par:
		if len(s.Body) > 0 {
			return nodeOf(s.Body[0])
		}
	}
	return "", ""
}
