package partition

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
)

// names makes the names of nodes that Split adds.
type names struct {
	taken map[string]bool
	next  int
	own   func(prefix string) string // the caller's NewName
}

// make returns prefix/_N; N counts over the whole graph.
func (n *names) make(prefix string) string {
	if n.own != nil {
		return n.own(prefix)
	}
	for {
		name := prefix + "/_" + strconv.Itoa(n.next)
		n.next++
		if !n.taken[name] {
			n.taken[name] = true
			return name
		}
	}
}

// loopPrefix begins the names of the nodes of control loops. It identifies them when a partition is
// divided again.
const loopPrefix = "_cloop"

// tensorName returns the rendezvous name of the value that an edge transfers.
func tensorName(l *link) string {
	return "edge_" + strconv.Itoa(l.id) + "_" + l.src.node.Name
}

// Task returns the task of a node's device: /job:worker/replica:0/task:1 for
// /job:worker/replica:0/task:1/device:CPU:0. With Task as Options.Location, Split divides a graph
// by task. Its parts can then be divided by device, with Options.ControlLoops set.
func Task(n *ir.Node) string {
	var parts []string
	for _, p := range strings.Split(n.Device, "/") {
		switch key, _, _ := strings.Cut(p, ":"); key {
		case "", "job", "replica", "task":
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, "/")
}

// kind returns the device type in a device's name, in upper case: CPU for
// /job:a/replica:0/task:0/cpu:0 and for a name without a type.
func kind(device string) string {
	last := device[strings.LastIndexByte(device, '/')+1:]
	key, rest, ok := strings.Cut(last, ":")
	if key == "device" {
		key, _, _ = strings.Cut(rest, ":")
	} else if !ok {
		key = "CPU"
	}
	return strings.ToUpper(key)
}
