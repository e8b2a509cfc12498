package partition

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/ir"
)

// names gives the nodes that a Split adds their names.
type names struct {
	taken map[string]bool
	next  int
	own   func(prefix string) string // the caller's
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

// loopPrefix begins the names of the nodes of control loops, by which the partitions
// of a partition know them.
const loopPrefix = "_cloop"

// tensorName is the rendezvous' name of what an edge transfers.
func tensorName(l *link) string {
	return "edge_" + strconv.Itoa(l.id) + "_" + l.src.node.Name
}

// Task returns the task of a device's name, /job:worker/replica:0/task:1 of
// /job:worker/replica:0/task:1/device:CPU:0: Options.Location of a graph that is
// divided by task first. The parts are divided by device with Options.ControlLoops.
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

// kind returns the type of a device by its name, in upper case: CPU of /job:a/replica:0/task:0/cpu:0
// and of a name that tells none.
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
