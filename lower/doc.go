// Package lower is the engine that turns a graph into a plan.
//
// A Def describes an op: what running it means (Level), the known properties of its function
// (Traits), its element types, its shape function, and its lowerings for CPUs and GPUs. A Table is
// a set of Defs; Infer, Lower and the passes work with a Table. A shape function uses a Shaper, and
// a lowering uses a Builder. The descriptions are in the packages below ops.
//
// The engine itself does what is common to all ops: facts of nodes in loops, places of tensors,
// regions, order, constants and weights, and the copies between the two sides of a partition on a
// GPU.
package lower
