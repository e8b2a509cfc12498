package device

// Ptr is an address in a device's memory, or in memory of another device that this device can read.
// The value 0 means no address. A Ptr plus an offset in bytes is also a valid address, if it is in
// the same block of memory.
type Ptr uint64

// Module is code for a device other than a CPU. Each device loads a module only once. The fields
// PTX and Gzip are pointers to strings, so that a module is static data. Therefore the linker omits
// a module's text from a program that uses none of the module's kernels.
type Module struct {
	PTX *string
	// Gzip is the gzip-compressed PTX, used if PTX is nil; see package packed.
	Gzip *string
	// Cubins is machine code assembled from PTX, by processor.
	Cubins []Cubin
}

// Cubin is machine code for processors of compute capability Major.Minor.
type Cubin struct {
	Major, Minor int
	Code         *string
}

// Kernel is an entry of a module. Each parameter of a kernel has 8 bytes. It is an address, a
// 64-bit integer, or a smaller number, whose bits are in the low bytes.
type Kernel struct {
	Module *Module
	Entry  string
}

// Dim is the size of a grid, counted in blocks, or the size of a block, counted in threads.
type Dim struct{ X, Y, Z int }

// Line returns a one-dimensional Dim.
func Line(x int) Dim { return Dim{x, 1, 1} }

// Blocks returns the number of blocks for n threads, if a block has `size` threads. If more than
// `most` blocks would be needed, it returns `most`.
func Blocks(n, size, most int) int { return min((n+size-1)/size, most) }
