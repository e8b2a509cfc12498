// Package plan is what a lowered partition is before it is printed or run:
// kernel calls in order over buffers with known lifetimes.
//
// There is no kernel registry. A Call holds the kernel's own Go function value;
// package codegen asks the runtime for its import path and name and prints the
// call, package exec makes the very same call by reflection.
package plan

import (
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt/tensor"
)

// Plan is one signature, lowered.
type Plan struct {
	Name    string // the signature
	Method  string // the Go method that the caller wants, "" for one that is made of the name
	Feeds   []Feed
	Fetches []Fetch
	// Ranks are the ranks of the feeds this plan is for, -1 for a feed of any
	// shape, where a signature has a plan for each of several; nil where it has one.
	Ranks []int

	// Dims are the sizes read from the fed tensors' shapes.
	Dims []Dim
	// Prologue holds checks that depend on Dims only; they run once for each
	// new set of sizes, before any step.
	Prologue []*Call
	Steps    []Step
	// Names are the short names of the nodes, the same for all plans of a signature; nil leaves names as they are.
	Names *names.Names

	Bufs   []*Buf
	Consts []*Const

	// Loops names, for each loop over data that several nodes share, those nodes: a
	// chunk goes through all of them. Join writes it, for reports.
	Loops [][]string

	// Parts are the partitions of a signature whose nodes stand on several
	// devices, each a plan with the same feeds, sizes and ranks; then the plan has
	// no steps, buffers and constants of its own, and its fetches are theirs.
	Parts []*Plan
	// Pairs are what the parts hand each other, by the slots of their Sends and Recvs.
	Pairs []Pair
	// Device is the full name of the device that a part is for, "" for a whole signature.
	Device string
	// Gives are the numbers of a part's fetches among the signature's.
	Gives []int
	// Partial says that the signature can be run in steps: a part can run as soon as
	// the feeds Needs are given and the Sizes known, which are names of Dims that
	// none of these feeds tells. Pairs lead to parts that need at least as much.
	Partial bool
	Needs   []int
	Sizes   []string

	// Same is set where another plan of the model computes the same: code of that one is called in place of this one's.
	Same *Same
}

// Feed is a tensor the caller gives.
type Feed struct {
	Name  string // the tensor: x:0
	Key   string // the signature's key
	DType tensor.DType
	Shape []*sym.Expr // constants, lone symbols of Dims, or expressions that are checked
	Buf   *Buf        // nil when no step reads it
	// Field is the Go field that the caller wants, "" for one that is made of the key.
	Field string
	// AnyShape marks a feed that nothing reads and whose rank nobody knows:
	// Shape and Buf are nil, and it need not be given.
	AnyShape bool
}

// Fetch is a tensor the caller gets.
type Fetch struct {
	Name  string
	Key   string
	Field string // as a feed's
	DType tensor.DType
	Shape []*sym.Expr
	Buf   *Buf
	// Rank is how many of Shape's dimensions the tensor has, the others being 1,
	// where only a run tells; nil: all of them.
	Rank *sym.Expr
}

// Dim says where a size comes from: dimension Axis of the tensor fed as Feeds[Feed].
type Dim struct {
	Name string
	Feed int
	Axis int
}

// Place is where a buffer lives.
type Place uint8

// The places.
const (
	Arena    Place = iota // at an offset of the run's arena; its size depends on Dims only
	Grow                  // on its own, because a step decides its size; grows and stays
	Strings               // elements are strings, kept on the garbage-collected heap; grows and stays
	Constant              // in the weights
	Fed                   // the caller's memory, never written
	Kept                  // state of the program, which runs read and change: one for all plans with a buffer of that name, zero at first
	Handles               // elements are handles, of resources or boxed values, kept on the garbage-collected heap; grows and stays
	Worker                // memory of whoever does a chunk of a Par, gone with the chunk; one Par's body uses it

	Device      // at an offset of the run's arena in the memory of the plan's device, which is no CPU; its size depends on Dims only
	DeviceGrow  // memory of that device on its own, because a step decides its size; grows and stays
	DeviceConst // in the copy of the weights that the device has
	DeviceVar   // the value of a variable, in the memory of that device; recorded calls alone use it
)

// OnDevice reports a place in the memory of a device that is no CPU: views of it are
// passed as device.Ptr.
func (p Place) OnDevice() bool {
	return p == Device || p == DeviceGrow || p == DeviceConst || p == DeviceVar
}

// Grows reports a place whose buffers have storage of their own.
func (p Place) Grows() bool {
	return p == Grow || p == Strings || p == Handles || p == DeviceGrow
}

// Buf is a typed place of Len elements.
type Buf struct {
	ID    int
	Name  string // the tensor it was made for, or the node and a note for scratch
	Place Place
	DType tensor.DType
	Shape []*sym.Expr // for comments; nil for scratch
	Len   *sym.Expr   // elements, a capacity where a step decides how many are used
	Const *Const      // Place Constant or DeviceConst
	// Object is what the one element of a buffer of handles at the place Kept is,
	// for all plans with a buffer of that name.
	Object *Object
	// Keeper is the node that a buffer at the place Kept was made for.
	Keeper string
	// Var is the buffer of the handle whose variable's value a buffer at the place DeviceVar is.
	Var *Buf
	// Access says what a node has to do with such a value, in an alias of its own.
	Access *Access
	// Alias is the buffer whose storage this one shares, from byte Off on; nil
	// for a buffer with storage of its own. An alias of an alias is followed.
	Alias *Buf
	Off   *sym.Expr
	// Offset is the byte offset in the arena; set by Pack when all sizes are constants.
	Offset int
}

// Root returns the buffer that owns the storage.
func (b *Buf) Root() *Buf {
	for b.Alias != nil {
		b = b.Alias
	}
	return b
}

// circular reports whether b has no root: what it shares the storage of leads back to itself.
func (b *Buf) circular() bool {
	for r := b; r.Alias != nil && r.Alias.Alias != nil; r = r.Alias.Alias { // twice as fast as b
		if b = b.Alias; r.Alias.Alias == b {
			return true
		}
	}
	return false
}

// ByteOffset returns where b begins in its root's storage.
func (b *Buf) ByteOffset() *sym.Expr {
	off := sym.Zero
	for ; b.Alias != nil; b = b.Alias {
		if b.Off != nil {
			off = off.Add(b.Off)
		}
	}
	return off
}

// Bytes returns the storage Len elements take.
func (b *Buf) Bytes() *sym.Expr { return sym.Product([]*sym.Expr{b.Len, sym.Int(b.DType.Size())}) }

// Const is data known at compile time, in the form its kernels read.
type Const struct {
	ID    int
	Name  string // where it was first seen
	DType tensor.DType
	Shape tensor.Shape // of the packed form
	Data  any          // the slice of DType.GoType()
	Note  string       // the packed form, for dumps: "panels of 16"
}

// Step is one thing a run does: *Call, *Copy, *Scalar, a Transfer, *Par, *If, *Loop, *Tasks, *Break, *Let or *Room.
type Step interface {
	// Views calls f with every buffer view the step uses.
	Views(f func(View))
	isStep()
}

// Copy copies Src to Dst, both the host's or both in the device's memory; the lengths are equal.
type Copy struct {
	Node string
	Op   string
	Dst  View
	Src  View
}

func (*Copy) isStep() {}

// Views implements Step.
func (c *Copy) Views(f func(View)) { f(c.Dst); f(c.Src) }

// ShapeText formats a feed's or fetch's shape for its caller: an unknown size
// is ?, one that several feeds share its name.
func ShapeText(dims []*sym.Expr) string {
	p := make([]string, len(dims))
	for i, d := range dims {
		p[i] = DimText(d)
	}
	return "[" + strings.Join(p, ",") + "]"
}

// DimText formats one size of ShapeText: a number, a name the caller gave, an
// expression of such names, or ?.
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

// NamedDim begins the symbols of sizes that the caller named, FedDim those of dimensions
// of feeds that have no name.
const (
	NamedDim = "s_"
	FedDim   = "d_"
)
