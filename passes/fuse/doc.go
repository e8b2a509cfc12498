// Package fuse merges nodes that one kernel computes together, and moves other nodes to make this
// possible.
package fuse
