// Package kit holds what the families of ops share. For shape functions: checks and readings of
// inputs. For lowerings: kernels by type, conversions, views, copies of boxes, stages, epilogues,
// and programs over numbers for GPUs.
package kit
