package device

// Cubins is machine code for the kernels of a program. It was assembled from PTX when the program
// was compiled, so that the driver need not assemble the PTX. It belongs to a program and not to
// the modules, because several programs share the modules. The hash of a module's PTX identifies
// the module's machine code.
type Cubins struct {
	Code *string // the concatenated machine code
	List []Assembled
}

// Assembled is the machine code of one module.
type Assembled struct {
	Text         uint64 // the result of Sum for the module's PTX
	Major, Minor int    // the compute capability that the code was assembled for
	From, To     int    // the range of the module's code in Cubins.Code
}

// Assembler is a device that accepts machine code.
type Assembler interface {
	// Use makes the machine code c available to the device. If c contains matching code for a
	// module, the device loads this code instead of the module's PTX. Modules that the device has
	// already loaded do not change. Use may be called more than once.
	Use(c *Cubins)
}

// Use passes machine code to a device. It does nothing if the device is not an Assembler.
func Use(d Device, c *Cubins) {
	if a, ok := d.(Assembler); ok {
		a.Use(c)
	}
}

// Sum returns a hash of a PTX text: FNV-1a with 64 bits.
func Sum(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// Find returns the machine code of the module whose text has the given sum, for a processor of
// compute capability major.minor. Code also runs on processors with the same major number and a
// higher minor number. Among the suitable codes, Find selects the one with the highest minor
// number.
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
