// Package lower is the engine that turns a graph into a plan, which is a list of steps such as calls
// of kernels.
//
// A Def describes an op: the effects of running it (Level), the known properties of its function
// (Traits), its element types, its shape function, and its lowerings for CPUs and GPUs. A Table is
// a set of Defs; Infer, Lower and the passes work with a Table. A shape function uses a Shaper, and
// a lowering uses a Builder. The descriptions are in the packages below ops.
//
// The engine itself does what is common to all ops. It infers the facts of nodes in loops, chooses
// the places of tensors in memory, lowers regions (loops and branches), orders the nodes, stores
// constants and weights, and copies tensors between the two sides of a partition on a GPU.
//
// A fact is what is known about a tensor at compile time: element type, shape, and perhaps the
// value. A size is an integer that is known only at run time, such as a dimension. Facts contain a
// symbol for it. The step that determines the value of the symbol binds the size. The sides of a
// partition on a GPU are the host and the device; a tensor may be in the memory of either side.
package lower
