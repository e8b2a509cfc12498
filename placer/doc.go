// Package placer decides which device each node of a graph runs on, by the rules of TensorFlow's
// placer: core/common_runtime/placer.cc (the two passes and their heuristics), colocation_graph.cc
// (colocation groups and their possible devices), inspecting_placer.cc (calls that return
// resources) and device_set.cc (order of devices). docs/placement.md is the page for users.
//
// Place works in these steps, one file each:
//
//	name.go        device names, merging and specialising them
//	set.go         the devices there are
//	kernels.go     device types an op has kernels for, and their intersection
//	types.go       references, resources, datasets, lists of host-only values
//	graph.go       nodes and edges as the placer sees them, calls between identities
//	group.go       groups by union-find: three names and the supported types each
//	edges.go       constraints: references and resources, loc:@, host-only, XLA
//	functions.go   constraints: what calls do with the resources they return
//	candidates.go  the devices of a group in order, soft placement, errors
//	place.go       the two passes
//	placement.go   decisions, each with a one-line reason
//	spread.go      groups on devices drawn at random, for tests
//
// Results follow the order of the graph; they do not depend on addresses or on the order of maps.
package placer
