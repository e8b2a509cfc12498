// Package kit has what families of ops share: checks and readings of inputs for shape functions, and for lowerings kernels by type,
// conversions, views, copies of boxes, stages, epilogues, and programs over numbers for GPUs.
package kit
