package device

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Batch is work for a device, a list of items that are done in order. A stream has
// read a batch when Launch returns, but for the host memory that it names: that is
// memory of AllocHost, which is read and written when the stream comes to it.
type Batch struct {
	Items []Item
	// Args are the arguments of all launches, one after the other.
	Args []uint64
	// Prepared is what a device keeps with a batch that it has seen; nil for a batch
	// that has changed since.
	Prepared any
}

// Work marks Batch as Work.
func (*Batch) Work() {}

// Kind says what an item does.
type Kind uint8

// The kinds.
const (
	LaunchItem Kind = iota // Kernel with Grid, Block, Shared and Args[First:First+Count]
	FillItem               // N bytes at Dst become Value
	InItem                 // Host is copied to Dst
	OutItem                // N bytes at Src are copied to Host
	MoveItem               // N bytes at Src are copied to Dst, which may not overlap
	GemmItem               // Gemm
	PeerItem               // N bytes at Src, in From, which the device reaches, are copied to Dst
)

// Item is an item of a batch.
type Item struct {
	Kind     Kind
	Node, Op string // what errors name

	Kernel       *Kernel
	Grid, Block  Dim
	Shared       int // dynamic shared memory of a block in bytes
	First, Count int

	Dst, Src Ptr
	Host     []byte
	N        int
	Value    byte
	From     Memory // of this device, or of another one

	Gemm Gemm
}

// Arguments are the arguments of a launch.
func (b *Batch) Arguments(it *Item) []uint64 { return b.Args[it.First : it.First+it.Count] }

// Clear empties the batch and keeps its memory.
func (b *Batch) Clear() {
	clear(b.Items)
	b.Items, b.Args, b.Prepared = b.Items[:0], b.Args[:0], nil
}

// Add appends an item; for a launch with its arguments.
func (b *Batch) Add(it Item, args ...uint64) {
	it.First, it.Count = len(b.Args), len(args)
	b.Args = append(b.Args, args...)
	b.Items = append(b.Items, it)
	b.Prepared = nil
}

// Gemm is a product of matrices, of Batch ones: C = Alpha·op(A)·op(B) + Beta·C, all
// in rows: C is M×N with LDC elements from row to row, op(A) is M×K, op(B) is K×N.
// A transposed operand is stored as K×M or N×K. Strides are in elements from one
// matrix of the batch to the next, 0 for the same one.
type Gemm struct {
	DType            tensor.DType // Half, BFloat16, Float32, Float64, Complex64 or Complex128, of A, B and C
	TransA, TransB   bool
	M, N, K, Batch   int
	A, B, C          Ptr
	LDA, LDB, LDC    int
	StrideA, StrideB int
	StrideC          int
	Alpha, Beta      float64
}

// Multiplier is a device that multiplies matrices by a library of its own.
type Multiplier interface {
	// Multiplies reports that the device takes items with products such as g.
	Multiplies(g *Gemm) bool
}

// Equal reports that two batches do the same.
func (b *Batch) Equal(c *Batch) bool {
	return slices.Equal(b.Args, c.Args) && slices.EqualFunc(b.Items, c.Items, func(x, y Item) bool {
		return x.same(&y) && x.First == y.First && x.Count == y.Count
	})
}

// same reports that two items do the same, but for the arguments of a launch.
func (x *Item) same(y *Item) bool {
	host := len(x.Host) == len(y.Host) && (len(x.Host) == 0 || &x.Host[0] == &y.Host[0])
	return host && x.Kind == y.Kind && x.Kernel == y.Kernel && x.Grid == y.Grid && x.Block == y.Block && x.Shared == y.Shared &&
		x.Dst == y.Dst && x.Src == y.Src && x.N == y.N && x.Value == y.Value && x.From == y.From && x.Gemm == y.Gemm
}
