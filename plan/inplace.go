package plan

// shareInPlace makes outputs aliases of inputs if Call.InPlace allows it and the input is not
// needed any more.
func (p *Plan) shareInPlace() {
	u := p.Uses()
	Walk(p.Steps, func(i int, s Step) {
		switch s := s.(type) {
		case *Par:
			s.shareInPlace(u, i)
		case *Call:
			for _, pair := range s.InPlace {
				if out, in := pair[0], pair[1]; u.mayShare(s, i, out, in) {
					u.join(out, in)
				}
			}
		}
	})
}

// join makes out share in's storage.
func (u *Uses) join(out, in *Buf) {
	root := in.Root()
	l := u.Life[root]
	l.Last = u.Life[out].Last
	u.Life[root] = l
	u.Fetched[root] = u.Fetched[out]
	out.Alias, out.Off = in, nil
}

// ends reports whether step i is the last but not the first user of root, and the first user of
// out. If root outlives an iteration of the Loop around step i, the next iteration uses it again.
// If tasks use the buffers, both must be of one lane.
func (u *Uses) ends(i int, out, root *Buf) bool {
	l, m := u.Life[root], u.Life[out]
	return l.Tasks == m.Tasks && l.Lane == m.Lane && !u.Fetched[root] && int(m.First) == i && int(l.Last) == i && int(l.First) != i && u.In[root] == u.loopOf[i]
}

// mayShare reports whether out can use in's storage at step i. The step must be the first to use
// out and the last to use any part of in's root.
func (u *Uses) mayShare(c *Call, i int, out, in *Buf) bool {
	root := in.Root()
	return out.Alias == nil && out != root && (out.Place == Arena || out.Place == Device) && root.Place == out.Place && u.ends(i, out, root) &&
		out.Bytes().Equal(in.Bytes()) && c.only(root, in)
}

// only reports whether the call uses root's storage once, as all of in. A kernel that may overwrite
// one source does not expect to overwrite another.
func (c *Call) only(root, in *Buf) bool {
	seen := 0
	c.Views(func(v View) {
		if v.Buf.Root() == root {
			seen++
			if v.Buf != in || v.Off != nil && !v.Off.Is(0) {
				seen++
			}
		}
	})
	return seen == 1
}
