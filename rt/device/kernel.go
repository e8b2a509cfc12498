package device

// Ptr is an address in a device's memory, or in another device's memory that the device can read; 0
// is no address. The sum of a Ptr and an offset is a valid address within the same block.
type Ptr uint64

// Module is code for a device other than a CPU. Each device loads it once. Its fields are pointers
// to strings, which makes a module static data. Therefore a program that uses none of its kernels
// does not contain its text.
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

// Kernel is an entry of a module. Each of its parameters has 8 bytes: an address, a 64-bit
// integer, or a number whose bits are in the low bytes.
type Kernel struct {
	Module *Module
	Entry  string
}

// Dim is the size of a grid in blocks or of a block in threads.
type Dim struct{ X, Y, Z int }

// Line returns a one-dimensional Dim.
func Line(x int) Dim { return Dim{x, 1, 1} }

// Blocks returns how many blocks are needed for n threads. The parameter size is the number of
// threads in a block. The result is limited to the parameter most.
func Blocks(n, size, most int) int { return min((n+size-1)/size, most) }
