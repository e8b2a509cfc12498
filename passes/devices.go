package passes

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// devices sets the device of each node by calling Options.Place. If Options.Place is nil, the only
// devices are the CPUs of the task /job:localhost/replica:0/task:0, and every CPU number is accepted.
// If a node then requests another device and Options.SoftPlacement is false, the error is
// InvalidArgument, as in a TensorFlow session without soft placement.
func devices(s *edit.State) (bool, error) {
	if s.O.Place != nil {
		before := make([]string, len(s.G.Nodes))
		for i, n := range s.G.Nodes {
			before[i] = n.Device
		}
		if err := s.O.Place(s.G); err != nil {
			return false, err
		}
		return !slices.EqualFunc(before, s.G.Nodes, func(d string, n *ir.Node) bool { return d == n.Device }), nil
	}
	if s.O.SoftPlacement {
		return false, nil
	}
	var errs []error
	for _, n := range s.G.Nodes {
		if !exists(n.Device) {
			errs = append(errs, noDevice(n))
		}
	}
	return false, edit.SortedJoin(errs)
}

func noDevice(n *ir.Node) error {
	return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument,
		"the node asks for device %s, which does not exist: the only device is /job:localhost/replica:0/task:0/device:CPU; soft placement runs it there", n.Device), n.Name, n.Op)
}

// exists reports whether there is a device that matches the given name, which may be incomplete,
// for example /job:localhost/device:CPU:*, /cpu:0 or "". The name is syntactically valid.
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
