package plan

// HostFirst moves, in each list, a computation on the host before device work if the computation
// does not need that work. As a result, the device work is divided into fewer segments. Copies to
// the device go directly before the remaining device work. Steps that wait, that bind sizes again,
// or that have nested lists stay in place.
func (p *Plan) HostFirst() { hostFirst(p.Steps) }

// The classes of steps. A step moves before steps of greater classes.
const (
	ofHost = iota
	toDevice
	ofDevice
	stays
)

func class(s Step) int {
	switch s := s.(type) {
	case *Put:
		return toDevice
	case *Call:
		switch {
		case Recorded(s):
			return ofDevice
		case Queues(s):
			return stays
		}
		for _, a := range s.Args {
			switch a.(type) {
			case Exchange, Context: // it may wait
				return stays
			}
		}
		return ofHost
	case *Copy:
		if Recorded(s) {
			return ofDevice
		}
		return ofHost
	case *Par, *Scalar:
		return ofHost
	}
	return stays
}

func hostFirst(steps []Step) {
	classes, touched := make([]int, len(steps)), make([][]touch, len(steps))
	for i, s := range steps {
		for _, l := range Lists(s) {
			hostFirst(*l)
		}
		c, t := class(s), []touch(nil)
		if c != stays {
			t = touches(s)
		}
		at := i
		for at > 0 && classes[at-1] != stays && classes[at-1] > c && independent(touched[at-1], t) {
			steps[at], classes[at], touched[at] = steps[at-1], classes[at-1], touched[at-1]
			at--
		}
		steps[at], classes[at], touched[at] = s, c, t
	}
}

// independent reports whether neither of two steps writes what the other uses. A handle is assumed
// to refer to the value of every variable.
func independent(a, b []touch) bool {
	for _, x := range a {
		for _, y := range b {
			switch {
			case x.root == y.root && (x.write || y.write),
				x.root.Place == DeviceVar && y.root.DType.Opaque(), y.root.Place == DeviceVar && x.root.DType.Opaque():
				return false
			}
		}
	}
	return true
}
