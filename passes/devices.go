package passes

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// devices refuses nodes that ask for a device no program has: InvalidArgument,
// as of a TensorFlow session without soft placement. There are CPUs of any
// number, in task 0 of replica 0 of the job localhost. Functions' bodies, which
// TensorFlow places softly, are not looked at.
func devices(s *state) (bool, error) {
	if s.o.SoftPlacement {
		return false, nil
	}
	var errs []error
	for _, n := range s.g.Nodes {
		if !exists(n.Device) {
			errs = append(errs, noDevice(n))
		}
	}
	return false, sortedJoin(errs)
}

func noDevice(n *ir.Node) error {
	return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument,
		"the node is to run on %s, which does not exist: there is /job:localhost/replica:0/task:0/device:CPU; soft placement runs it there", n.Device), n.Name, n.Op)
}

// exists reports that a device answers to a name whose syntax was checked, such
// as /job:localhost/device:CPU:*, /cpu:0 or "".
func exists(device string) bool {
	for _, part := range strings.Split(device, "/") {
		key, value, _ := strings.Cut(part, ":")
		switch key {
		case "", "cpu", "CPU":
		case "job":
			if value != "localhost" && value != "*" {
				return false
			}
		case "replica", "task":
			if strings.Trim(value, "0") != "" && value != "*" {
				return false
			}
		case "device":
			if kind, _, _ := strings.Cut(value, ":"); !strings.EqualFold(kind, "CPU") && kind != "*" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// together reports that two nodes may become one: they run in one region, and ask
// for one device, or one of them for none.
func together(a, b *ir.Node) bool {
	return a.Region == b.Region && (a.Device == b.Device || a.Device == "" || b.Device == "")
}
