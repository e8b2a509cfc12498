package sim

// reach does the stream's work up to number at, and the work that it waits for. With a seed, it
// sometimes also does work of other streams.
func (s *stream) reach(at int) {
	m := s.d.m
	for s.begun < at && len(s.todo) > 0 {
		if m.rng != nil && m.rng.IntN(2) == 0 {
			if r := m.ready(); len(r) > 0 {
				r[m.rng.IntN(len(r))].one()
				continue
			}
		}
		s.step()
	}
}

// step does a piece of the stream's work, or of the work that it waits for.
func (s *stream) step() {
	if len(s.todo) == 0 {
		return
	}
	if k := s.blocked(); k != nil {
		k.s.step()
		return
	}
	s.one()
}

// blocked returns the mark that the stream waits for, nil if it can go on.
func (s *stream) blocked() *mark {
	if k := s.todo[0].after; k != nil && !k.done && s.failed() == nil {
		return k
	}
	return nil
}

// ready returns the streams of all devices that can go on, in order of creation.
func (m *Machine) ready() []*stream {
	var out []*stream
	for _, d := range m.devices {
		for _, s := range d.ordered() {
			if len(s.todo) > 0 && s.blocked() == nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// one does the first piece of work, unless the stream has failed. Marks happen in any case.
func (s *stream) one() {
	o := s.todo[0]
	s.todo[0] = op{}
	s.todo = s.todo[1:]
	s.begun++
	switch {
	case s.failed() != nil:
	case o.after != nil:
		s.err = o.after.err
	case o.do != nil:
		if err := o.do(s); err != nil {
			s.err = err
		}
	}
	if o.mark != nil {
		o.mark.done, o.mark.err, o.mark.time = true, s.err, s.d.clock
	}
}
