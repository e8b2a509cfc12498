// Package edit holds the common code of all rewrites of a graph: the state of a run of passes,
// rewriters of single nodes, the levels of nodes (pure, reads state, has effects), and queries
// about nodes and tensors.
package edit
