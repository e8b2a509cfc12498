// Package plan represents the code of a partition before it is emitted as Go source or run: kernel
// calls in order, over buffers with known lifetimes.
//
// There is no kernel registry. A Call holds the kernel's own Go function value. Package codegen
// asks Go's runtime for the import path and the name of this function, and emits the call as Go
// source. Package exec makes the same call by reflection.
package plan

import (
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/tensor"
)

// Plan is one lowered signature.
type Plan struct {
	Name    string // the signature
	Method  string // the name that the caller chose for the Go method; "" means that it is derived from Name
	Feeds   []Feed
	Fetches []Fetch
	// Ranks says for which ranks of the feeds this plan was made. It holds a rank for each feed, or
	// -1 for a feed that may have any shape. It is nil if the signature has only one plan.
	Ranks []int

	// Dims are the sizes that are read from the shapes of the feeds.
	Dims []Dim
	// Batch is the name of the size in Dims that is the number of items of a batch, or "". If it is
	// set, a run may compute the batch in micro-batches, one after the other. For each of them, it
	// runs the steps with some of the rows of each feed whose dimension 0 is a multiple of this
	// size, and gets some of the rows of each fetch of this kind.
	Batch string
	// Prologue holds checks that depend on Dims only; they run once for each
	// new set of sizes, before any step.
	Prologue []*Call
	Steps    []Step
	// Names holds the short names of the nodes, shared by all plans of a signature. If it is nil,
	// full names are used.
	Names *names.Names

	Bufs   []*Buf
	Consts []*Const

	// Loops describes the loops that compute several nodes together. For each such loop, it holds
	// the list of these nodes. The loop computes all of them for one chunk before it computes the
	// next chunk. Join sets this field; reports use it.
	Loops [][]string

	// Parts are the partitions of a signature whose nodes are placed on several devices. Each is a
	// plan with the same feeds, sizes and ranks. The whole plan then has no steps, buffers or
	// constants, and its fetches are those of all parts.
	Parts []*Plan
	// Pairs are the tensors and control edges that the parts send to each other. The index of a
	// pair is the Slot of its Sends and Recvs.
	Pairs []Pair
	// Device is the full name of a part's device, or "" for a whole signature.
	Device string
	// Gives holds, for each fetch of this part, its index among the fetches of the signature.
	Gives []int
	// Partial says that the signature has partial runs. Such a run computes a part as soon as it has
	// all feeds and sizes that the part needs. The field Needs holds the indices of these feeds. The
	// field Sizes holds the names of the sizes: Dims that none of these feeds defines. For each of
	// Pairs, the receiving part must need at least everything that the sending part needs.
	Partial bool
	Needs   []int
	Sizes   []string

	// Same is set if another plan of the model computes the same results. The code of the other
	// plan is then called instead of code for this plan.
	Same *Same
}

// Feed describes an input of a signature: a tensor that the caller passes.
type Feed struct {
	Name  string // the tensor: x:0
	Key   string // the signature's key
	DType tensor.DType
	Shape []*sym.Expr // each size is a constant, a symbol of Dims, or an expression that the run checks
	Buf   *Buf        // nil if no step reads the feed
	// Field is the name that the caller chose for the Go field. If it is "", the name is derived
	// from the key.
	Field string
	// AnyShape marks an unused feed of unknown rank. Shape and Buf are nil, and the caller may omit
	// the tensor.
	AnyShape bool
}

// Fetch describes an output of a signature: a tensor that the caller gets.
type Fetch struct {
	Name  string
	Key   string
	Field string // as a feed's
	DType tensor.DType
	Shape []*sym.Expr
	Buf   *Buf
	// Rank is set if the rank of the tensor is known only at run time. The tensor then has only the
	// first Rank dimensions of Shape; all other dimensions of Shape are 1. If Rank is nil, the
	// tensor has all dimensions of Shape.
	Rank *sym.Expr
}

// Dim is the source of a size: dimension Axis of the tensor fed as Feeds[Feed].
type Dim struct {
	Name string
	Feed int
	Axis int
}

// Place is where a buffer is stored.
type Place uint8

// The places.
const (
	Arena Place = iota // at an offset in the run's arena; the size depends only on Dims
	// Grow is separately allocated storage for a buffer whose size a step determines. The storage
	// can grow, and is kept for later runs.
	Grow
	Strings  // strings, which must be on the garbage-collected heap; otherwise like Grow
	Constant // in the weights
	Fed      // the caller's memory; never written
	Kept     // state of the program, which runs read and change; all plans share the buffers of equal names; initially zero
	Handles  // handles of resources or of boxed values, which must be on the garbage-collected heap; otherwise like Grow
	Worker   // private memory of a worker for one chunk; only the body of one Par uses it

	Device      // at an offset in the run's arena in the memory of the plan's device, which is not a CPU; the size depends only on Dims
	DeviceGrow  // like Grow, but in the memory of the plan's device
	DeviceConst // in the device's copy of the weights
	DeviceVar   // the value of a variable in the memory of the plan's device; only recorded calls use it
)

// OnDevice reports whether the place is in the memory of a device other than a CPU. Views of such
// buffers are passed as device.Ptr.
func (p Place) OnDevice() bool {
	return p == Device || p == DeviceGrow || p == DeviceConst || p == DeviceVar
}

// Grows reports whether buffers at this place have separate storage that can grow.
func (p Place) Grows() bool {
	return p == Grow || p == Strings || p == Handles || p == DeviceGrow
}

// Buf is typed storage for Len elements.
type Buf struct {
	ID    int
	Name  string // name of the tensor that the buffer holds; for a temporary buffer, a node's name and a note
	Place Place
	DType tensor.DType
	Shape []*sym.Expr // shape of the tensor, for comments in emitted code; nil for a temporary buffer
	// Len is the number of elements. If a step determines how many of them are used, Len is only an
	// upper bound.
	Len   *sym.Expr
	Const *Const // the data, if Place is Constant or DeviceConst
	// Object is the resource whose handle is the only element of a buffer at the place Kept. All
	// plans that have a buffer with this name share the resource.
	Object *Object
	// Keeper is the name of the node for which a buffer at the place Kept was made.
	Keeper string
	// Var is set for a buffer at the place DeviceVar. It is the buffer that holds the variable's
	// handle.
	Var *Buf
	// Access describes how one node uses a variable's value. Each node has its own alias of the
	// value.
	Access *Access
	// Alias is the buffer whose storage this buffer shares, beginning at byte Off. It is nil for a
	// buffer that owns its storage. The buffer Alias may itself be an alias.
	Alias *Buf
	Off   *sym.Expr
	// Offset is the byte offset in the arena, set if all sizes are constants.
	Offset int
}

// Root returns the buffer that owns the storage.
func (b *Buf) Root() *Buf {
	for b.Alias != nil {
		b = b.Alias
	}
	return b
}

// circular reports whether b has no root because its chain of aliases leads back to itself.
func (b *Buf) circular() bool {
	// The variable r moves two aliases at a time, and b moves one. In a circle, r meets b.
	for r := b; r.Alias != nil && r.Alias.Alias != nil; r = r.Alias.Alias {
		if b = b.Alias; r.Alias.Alias == b {
			return true
		}
	}
	return false
}

// ByteOffset returns the byte at which b begins in its root's storage.
func (b *Buf) ByteOffset() *sym.Expr {
	off := sym.Zero
	for ; b.Alias != nil; b = b.Alias {
		if b.Off != nil {
			off = off.Add(b.Off)
		}
	}
	return off
}

// Bytes returns the size of the storage of Len elements.
func (b *Buf) Bytes() *sym.Expr { return sym.Product([]*sym.Expr{b.Len, sym.Int(b.DType.Size())}) }

// Const is data known at compile time, in the packed form that the kernels read.
type Const struct {
	ID    int
	Name  string // the name under which the data was first used
	DType tensor.DType
	Shape tensor.Shape // shape of Data, not of the tensor in the graph
	Data  any          // a slice whose elements have the type DType.GoType()
	Note  string       // describes the packed form in dumps: "panels of 16"
}

// Step is one action of a run: *Call, *Copy, *Scalar, a Transfer, *Par, *If, *Loop, *Tasks, *Break,
// *Let or *Room.
type Step interface {
	// Views calls f with every buffer view that the step uses.
	Views(f func(View))
	isStep()
}

// Copy copies Src to Dst. Both are in host memory, or both are in device memory. They have equal
// lengths.
type Copy struct {
	Node string
	Op   string
	Dst  View
	Src  View
}

func (*Copy) isStep() {}

// Views implements Step.
func (c *Copy) Views(f func(View)) { f(c.Dst); f(c.Src) }

// ShapeText formats the shape of a feed or fetch for messages and documentation. A size that is not
// constant is formatted as its name if the caller gave it one, and otherwise as ?.
func ShapeText(dims []*sym.Expr) string {
	p := make([]string, len(dims))
	for i, d := range dims {
		p[i] = DimText(d)
	}
	return "[" + strings.Join(p, ",") + "]"
}

// DimText formats one size of ShapeText: a number, a name that the caller gave, an expression of
// such names, or ?.
func DimText(d *sym.Expr) string {
	names := map[string]bool{}
	d.Vars(names)
	plain := map[string]*sym.Expr{}
	for n := range names {
		name, ok := strings.CutPrefix(n, NamedDim)
		if !ok {
			return "?"
		}
		plain[n] = sym.Var(name)
	}
	return d.Subst(plain).String()
}

// Symbols of sizes begin with NamedDim if the caller gave the size a name. Symbols for unnamed
// dimensions of feeds begin with FedDim.
const (
	NamedDim = "s_"
	FedDim   = "d_"
)
