// Package edit holds the code that rewrites of a graph share: the state of a run of passes,
// rewriters of single nodes, the levels of nodes (pure, reads state, has effects), and queries
// about nodes and tensors.
package edit
