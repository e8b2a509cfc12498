package partition

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
)

// names makes unused names for the nodes that Split adds.
type names struct {
	taken map[string]bool
	next  int
	own   func(prefix string) string // the caller's NewName
}

// make returns the name prefix/_N with the next unused number N. There is one sequence of numbers
// for the whole graph. If the caller of Split has given a function Options.NewName, make returns
// its result instead.
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

// loopPrefix is the first part of the names of nodes in control loops. By this prefix, Split
// recognizes these nodes if it divides one of the resulting partitions again.
const loopPrefix = "_cloop"

// tensorName returns the rendezvous name of the value that an edge transfers.
func tensorName(l *link) string {
	return "edge_" + strconv.Itoa(l.id) + "_" + l.src.node.Name
}

// Task returns the part of the device name of n that identifies the task. For the device
// /job:worker/replica:0/task:1/device:CPU:0, this is /job:worker/replica:0/task:1. If Task is the
// function Options.Location, Split divides a graph by task. A second Split, with
// Options.ControlLoops set, can then divide each part by device.
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

// kind returns the device type in upper case. For the device /job:a/replica:0/task:0/cpu:0, this is
// CPU. A name without a device type means a CPU.
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
