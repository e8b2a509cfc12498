package device

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Batch is a list of items of work for a device, which are done in order. When Launch returns, the
// stream has read the batch, except for the host memory that the items name. Host memory must come
// from AllocHost; it is read or written when the stream reaches the item.
type Batch struct {
	Items []Item
	// Args are the concatenated arguments of all launches.
	Args []uint64
	// Prepared is data that a device keeps with the batch. Clear and Add set it to nil; other code
	// that changes the batch must do so, too.
	Prepared any
}

// Work marks Batch as Work.
func (*Batch) Work() {}

// Kind is the kind of an item.
type Kind uint8

// The kinds.
const (
	LaunchItem Kind = iota // launch Kernel with Grid, Block, Shared and Args[First:First+Count]
	FillItem               // set N bytes at Dst to Value
	InItem                 // copy Host to Dst
	OutItem                // copy N bytes at Src to Host
	MoveItem               // copy N bytes at Src to Dst; they must not overlap
	GemmItem               // compute Gemm
	PeerItem               // copy N bytes at Src to Dst; Src is in From, memory that the device reaches
)

// Item is an item of a batch.
type Item struct {
	Kind     Kind
	Node, Op string // for errors

	Kernel       *Kernel
	Grid, Block  Dim
	Shared       int // dynamic shared memory of a block, in bytes
	First, Count int

	Dst, Src Ptr
	Host     []byte
	N        int
	Value    byte
	From     Memory // memory of this or another device

	Gemm Gemm
}

// Arguments returns the arguments of a launch.
func (b *Batch) Arguments(it *Item) []uint64 { return b.Args[it.First : it.First+it.Count] }

// Clear empties the batch and keeps its memory.
func (b *Batch) Clear() {
	clear(b.Items)
	b.Items, b.Args, b.Prepared = b.Items[:0], b.Args[:0], nil
}

// Add appends an item. args are the arguments of a launch.
func (b *Batch) Add(it Item, args ...uint64) {
	it.First, it.Count = len(b.Args), len(args)
	b.Args = append(b.Args, args...)
	b.Items = append(b.Items, it)
	b.Prepared = nil
}

// Gemm is a batch of matrix products: C = Alpha·op(A)·op(B) + Beta·C. All matrices are row-major.
// C is M×N, and LDC is the distance of its rows in elements; op(A) is M×K, op(B) is K×N. A
// transposed operand is stored as K×M or N×K. Strides are the distances in elements between the
// matrices of the batch; 0 means the same matrix.
type Gemm struct {
	DType            tensor.DType // the type of A, B and C: Half, BFloat16, Float32, Float64, Complex64 or Complex128
	TransA, TransB   bool
	M, N, K, Batch   int
	A, B, C          Ptr
	LDA, LDB, LDC    int
	StrideA, StrideB int
	StrideC          int
	Alpha, Beta      float64
}

// Multiplier is a device that multiplies matrices with its own library.
type Multiplier interface {
	// Multiplies reports whether the device accepts items with products like g.
	Multiplies(g *Gemm) bool
}

// Equal reports whether batches b and c do the same work.
func (b *Batch) Equal(c *Batch) bool {
	return slices.Equal(b.Args, c.Args) && slices.EqualFunc(b.Items, c.Items, func(x, y Item) bool {
		return x.same(&y) && x.First == y.First && x.Count == y.Count
	})
}

// same reports whether items x and y do the same work, apart from the arguments of a launch.
func (x *Item) same(y *Item) bool {
	host := len(x.Host) == len(y.Host) && (len(x.Host) == 0 || &x.Host[0] == &y.Host[0])
	return host && x.Kind == y.Kind && x.Kernel == y.Kernel && x.Grid == y.Grid && x.Block == y.Block && x.Shared == y.Shared &&
		x.Dst == y.Dst && x.Src == y.Src && x.N == y.N && x.Value == y.Value && x.From == y.From && x.Gemm == y.Gemm
}
