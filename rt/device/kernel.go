package device

// Ptr is an address in a device's memory, or in memory of another device that the device can read.
// The value 0 means no address. A Ptr plus an offset is a valid address if it is in the same block.
type Ptr uint64

// Module is code for a device other than a CPU. Each device loads it once. Its texts are stored as
// pointers to strings, so that a module is static data. Therefore the linker omits a module's text
// from a program that uses none of the module's kernels.
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

// Dim is the size of a grid in blocks or of a block in threads.
type Dim struct{ X, Y, Z int }

// Line returns a one-dimensional Dim.
func Line(x int) Dim { return Dim{x, 1, 1} }

// Blocks returns how many blocks of `size` threads are needed for n threads. The result is at most
// `most`.
func Blocks(n, size, most int) int { return min((n+size-1)/size, most) }
