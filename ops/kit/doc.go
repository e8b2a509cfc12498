// Package kit holds code that the packages of ops share. Shape functions use its checks and the
// functions that read inputs. Lowerings use the rest: kernels by type, conversions, views, copies
// of boxes, nodes that are lowered in several stages, epilogues of fused ops, and scalar programs
// for GPUs.
package kit
