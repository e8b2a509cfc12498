package devwork

import (
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/mem"
)

// WorkCode is the static data of an emitted partition on a device other than a CPU.
type WorkCode[D comparable] struct {
	Segments int // the number of segments of recorded work
	// Arena is the size in bytes of the block in the device's memory, if it does not depend on D.
	// Otherwise Lives are the lifetimes of the buffers in the block, and the function Sizes stores
	// their sizes in bytes in the slice n.
	Arena int
	Lives []mem.Life
	Sizes func(d *D, n []int)
	Grow  int  // the number of separately allocated buffers
	Const bool // kernels read the weights
	// Typical are typical sizes of feeds, for which New loads the kernels of segments. If nothing
	// depends on sizes, D is an empty struct type and Typical has one element.
	Typical []D
	// Vars are the variables that segments use in the device's memory, by segment. Trailing
	// segments without variables are left out.
	Vars [][]devvar.Use
	// Largest are the largest buffers of a block of fixed size, for error messages.
	Largest []Held
}

// Held is a buffer of Bytes bytes that is in use from step Life.First to step Life.Last.
type Held struct {
	Bytes int
	Life  mem.Life
}
