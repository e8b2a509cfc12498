package devwork

import (
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/mem"
)

// WorkCode is the part of an emitted partition on a device that is no CPU which is data.
type WorkCode[D comparable] struct {
	Segments int // of recorded work
	// Arena is the size in bytes of the block in the device's memory where that does not
	// depend on D; else Lives are the lifetimes of its buffers and Sizes their bytes.
	Arena int
	Lives []mem.Life
	Sizes func(d *D, n []int)
	Grow  int  // the number of buffers with memory of their own
	Const bool // kernels read the weights
	// Typical are sizes of feeds for which New loads the kernels of segments; one of a
	// comparable type without fields where nothing depends on sizes.
	Typical []D
	// Vars are the variables that segments use in the device's memory, by segment, up to the
	// last that uses some.
	Vars [][]devvar.Use
	// Largest are the largest buffers of a block whose size is known, for messages.
	Largest []Held
}

// Held is a buffer of Bytes bytes that holds its memory from the step Life.First to
// Life.Last.
type Held struct {
	Bytes int
	Life  mem.Life
}
