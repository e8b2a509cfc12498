package device

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Batch is a list of items of work, which a device does in order. When Stream.Launch returns, the
// stream has read the batch, so the caller may change it. The host memory of an item, however, is
// read or written only when the stream reaches this item. This memory must come from AllocHost.
type Batch struct {
	Items []Item
	// Args are the concatenated arguments of all launches.
	Args []uint64
	// Prepared is data that a device has derived from the batch. Clear and Add set Prepared to nil.
	// Other code that changes the batch must also set it to nil.
	Prepared any
}

// Work marks Batch as Work.
func (*Batch) Work() {}

// Kind says what work an item of a batch is.
type Kind uint8

// The kinds.
const (
	LaunchItem Kind = iota // launch of Kernel, with Grid, Block, Shared and the arguments Args[First:First+Count]
	FillItem               // fill: set N bytes at Dst to Value
	InItem                 // copy from host to device: copy the bytes of Host to Dst
	OutItem                // copy from device to host: copy N bytes at Src to Host
	MoveItem               // copy within the device: copy N bytes at Src to Dst; the two ranges must not overlap
	GemmItem               // compute Gemm
	// PeerItem is a copy from the memory of another device: it copies N bytes at Src to Dst. The
	// address Src is in the memory From, which the device must be able to access; see
	// Device.Reaches.
	PeerItem
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
	From     Memory // for a PeerItem, the memory that contains Src

	Gemm Gemm
}

// Arguments returns the arguments of a launch.
func (b *Batch) Arguments(it *Item) []uint64 { return b.Args[it.First : it.First+it.Count] }

// Clear empties the batch and keeps its memory.
func (b *Batch) Clear() {
	clear(b.Items)
	b.Items, b.Args, b.Prepared = b.Items[:0], b.Args[:0], nil
}

// Add appends an item. If the item is a launch, args are the arguments of the launch.
func (b *Batch) Add(it Item, args ...uint64) {
	it.First, it.Count = len(b.Args), len(args)
	b.Args = append(b.Args, args...)
	b.Items = append(b.Items, it)
	b.Prepared = nil
}

// Gemm describes a batch of matrix products C = Alpha·op(A)·op(B) + Beta·C. All matrices are
// row-major. op(A) is M×K, op(B) is K×N, and C is M×N. If TransA is set, A is stored as K×M, and
// op(A) is its transpose. If TransB is set, B is stored as N×K, and op(B) is its transpose. LDA,
// LDB and LDC are the distances between rows, in elements. StrideA, StrideB and StrideC are the
// distances between successive matrices of the batch, in elements; 0 means that all products use
// the same matrix.
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

// Multiplier is a device that can multiply matrices with a library, such as cuBLAS.
type Multiplier interface {
	// Multiplies reports whether the device accepts a GemmItem whose product is g.
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
