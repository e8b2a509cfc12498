package plan

// shareInPlace makes outputs aliases of inputs if Call.InPlace allows it and the input is not
// needed afterwards.
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

// join makes one buffer, the parameter out, share the storage of another, the parameter in.
func (u *Uses) join(out, in *Buf) {
	root := in.Root()
	l := u.Life[root]
	l.Last = u.Life[out].Last
	u.Life[root] = l
	u.Fetched[root] = u.Fetched[out]
	out.Alias, out.Off = in, nil
}

// The method named ends reports whether step i is the first use of a result's buffer and the last
// use of an operand's buffer. These buffers are the parameters out and root. The operand's buffer
// must also have been used before step i. If it outlives an iteration of the Loop around step i, the
// next iteration uses it again, so the method returns false. If the buffers are used in tasks, no
// two of these tasks may run at the same time: both buffers must have the same mem.Life.Lane.
func (u *Uses) ends(i int, out, root *Buf) bool {
	l, m := u.Life[root], u.Life[out]
	return l.Tasks == m.Tasks && l.Lane == m.Lane && !u.Fetched[root] && int(m.First) == i && int(l.Last) == i && int(l.First) != i && u.In[root] == u.loopOf[i]
}

// mayShare reports whether the buffer out can use the storage of the buffer called in. Step i,
// which is the call c, must be the first step that uses out, and the last step that uses any part
// of the other buffer's storage.
func (u *Uses) mayShare(c *Call, i int, out, in *Buf) bool {
	root := in.Root()
	return out.Alias == nil && out != root && (out.Place == Arena || out.Place == Device) && root.Place == out.Place && u.ends(i, out, root) &&
		out.Bytes().Equal(in.Bytes()) && c.only(root, in)
}

// The method named only reports whether exactly one view of the call uses the storage of the first
// parameter. This view must be a view of the second parameter, and must begin at its first element.
// If a kernel may overwrite one of its sources, no other source may share the storage.
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
