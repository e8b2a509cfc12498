package device

// Cubins is machine code made of PTX when a program was compiled, which spares a driver
// the work. It belongs to a program and not to modules, which are found by their text: those of
// kernels that programs share know nothing of it.
type Cubins struct {
	Code *string // all of it, one after the other
	List []Assembled
}

// Assembled is the machine code of one module.
type Assembled struct {
	Text         uint64 // Sum of the PTX
	Major, Minor int    // of the compute capability of the processors it is for
	From, To     int    // where it is in the code
}

// Assembler is a device that takes machine code.
type Assembler interface {
	// Use has modules loaded from the machine code of c where it has some that fits, and
	// not from their PTX. What is loaded already stays. It may be called more than once.
	Use(c *Cubins)
}

// Use gives a device machine code; one that takes none goes on without.
func Use(d Device, c *Cubins) {
	if a, ok := d.(Assembler); ok {
		a.Use(c)
	}
}

// Sum tells PTX texts apart: FNV-1a of 64 bits.
func Sum(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// Find returns the machine code of a module's text for a processor of compute capability
// major.minor: the one for the highest minor number that the processor has, since code runs on later
// processors of its major number.
func (c *Cubins) Find(sum uint64, major, minor int) (code string, ok bool) {
	best := -1
	for i, a := range c.List {
		if a.Text == sum && a.Major == major && a.Minor <= minor && (best < 0 || a.Minor > c.List[best].Minor) {
			best = i
		}
	}
	if best < 0 {
		return "", false
	}
	return (*c.Code)[c.List[best].From:c.List[best].To], true
}
