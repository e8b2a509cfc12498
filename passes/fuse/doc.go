// Package fuse makes one node of several that a kernel computes together, and moves others so that this is possible.
package fuse
