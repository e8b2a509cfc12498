// Package edit holds what rewrites of a graph share: the state of a run of passes, rewriters of
// single nodes, levels, and questions about nodes and tensors.
package edit
