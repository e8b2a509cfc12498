package plan

// HostFirst moves computations on the host before steps that run on the device, if the computations
// do not need the results of those steps. It works on each list of steps separately. As a result,
// the steps on the device form fewer segments. Copies to the device go directly before the
// remaining steps on the device. Steps that wait, that bind sizes again, or that have nested lists
// stay in place.
func (p *Plan) HostFirst() { hostFirst(p.Steps) }

// Classes of steps, by where a step runs. If two steps are independent, the step of the smaller
// class comes first. Steps of the last class do not move.
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

// independent reports whether neither of two steps writes a buffer that the other step uses. A step
// with a handle is assumed to use the values of all variables.
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
