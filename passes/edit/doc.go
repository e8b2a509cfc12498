// Package edit has what rewrites of a graph share: the state of a run of passes, rewriters of single nodes, levels, and what is asked of nodes and tensors.
package edit
