// Package placer decides which device each node of a graph runs on, by the rules of TensorFlow's
// placer: core/common_runtime/placer.cc (the two passes and their heuristics), colocation_graph.cc
// (colocation groups and their possible devices), inspecting_placer.cc (calls that return
// resources) and device_set.cc (order of devices). docs/placement.md is the page for users.
//
// Place works in these steps, one file each:
//
//	name.go        device names, and how two names are merged
//	set.go         the set of available devices
//	kernels.go     the device types that an op has kernels for, and intersections of such lists
//	types.go       references, resources, datasets, lists of host-only values
//	graph.go       nodes and edges as the placer sees them, identity nodes around calls
//	group.go       groups by union-find; each has three device names and the supported types
//	edges.go       constraints from references and resources, loc:@, host-only lists, XLA
//	functions.go   constraints from calls of functions that return resources
//	candidates.go  the devices of a group in order, soft placement, errors
//	place.go       the two passes
//	placement.go   decisions, each with a one-line reason
//	spread.go      puts each group on a device drawn at random, for tests
//
// Results depend on the order of the graph's nodes, but not on addresses or on the order of maps.
package placer
