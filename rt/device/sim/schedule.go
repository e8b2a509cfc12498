package sim

// reach does pieces of the stream's work. It ends when no work is left, or when the number of pieces
// begun so far (the field begun) is at least the parameter at. If a piece must wait for other streams,
// reach also does the necessary work of those streams. If the machine has a seed, reach sometimes does
// further work of other streams.
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

// step does the next piece of the stream's work. If that piece waits for another stream, step does
// a piece of that stream's work instead.
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

// blocked returns the position in another stream for which this stream waits. It returns nil if this
// stream can do its next piece of work.
func (s *stream) blocked() *mark {
	if k := s.todo[0].after; k != nil && !k.done && s.failed() == nil {
		return k
	}
	return nil
}

// ready returns the streams that can do their next piece of work. It checks all devices, one after
// another. The streams of a device are in order of creation.
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

// one does a single piece of work. It removes the next piece from the stream's list, and does this
// piece unless the stream has failed. If the piece has a mark, the mark is set to done, even if the
// stream has failed.
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
