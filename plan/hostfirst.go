package plan

// HostFirst puts what the host computes before work for the plan's device that does not
// need it, in each list, so that this work becomes few segments. Copies to the device
// come first of all of that. Steps that wait stay where they are, and
// so do those that bind sizes anew and those with lists.
func (p *Plan) HostFirst() { hostFirst(p.Steps) }

// The classes of steps: a step passes those of greater ones.
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

// independent reports whether neither of two steps writes what the other one uses. What a handle leads
// to may be the value of any variable.
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
