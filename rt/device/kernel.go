package device

// Ptr is an address in a device's memory, or in that of another device that it can
// read; 0 is none. Adding bytes to it stays in the block as long as the sum does.
type Ptr uint64

// Module is code for a device that is no CPU, loaded once for each device. Its fields
// point at strings so that a module is static data: a program that uses no kernel of
// it does not hold its text.
type Module struct {
	PTX *string
	// Gzip is the PTX compressed by gzip, read where PTX is nil: see package packed.
	Gzip *string
	// Cubins is machine code made from PTX, by processor.
	Cubins []Cubin
}

// Cubin is machine code for processors of compute capability Major.Minor.
type Cubin struct {
	Major, Minor int
	Code         *string
}

// Kernel is an entry of a module. All of its parameters are of 8 bytes: addresses,
// 64-bit integers, and numbers whose bits are in the low bytes.
type Kernel struct {
	Module *Module
	Entry  string
}

// Dim is the size of a grid in blocks or of a block in threads.
type Dim struct{ X, Y, Z int }

// Line is a one-dimensional Dim.
func Line(x int) Dim { return Dim{x, 1, 1} }

// Blocks is how many blocks of size threads hold n threads, at most most.
func Blocks(n, size, most int) int { return min((n+size-1)/size, most) }
