package devwork

import (
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/mem"
)

// WorkCode is the static data of an emitted partition on a device other than a CPU.
type WorkCode[D comparable] struct {
	Segments int // the number of segments of recorded work
	// Arena is the size in bytes of the memory block on the device, if this size does not depend on
	// the sizes of the feeds. If it depends on them, the function Sizes computes the sizes in bytes
	// of the buffers in the block and stores them in the slice n. Lives then contains the lifetimes
	// of these buffers.
	Arena int
	Lives []mem.Life
	Sizes func(d *D, n []int)
	Grow  int // the number of separately allocated buffers
	// whether kernels read the weights
	Const bool
	// Typical lists typical sizes of the feeds. The function New of the emitted code loads the
	// kernels that the segments launch for these sizes. If nothing depends on the sizes of feeds, D
	// is an empty struct type and Typical has one element.
	Typical []D
	// Vars lists, for each segment, the variables that the segment uses in the device's memory.
	// Segments after the last one with variables are left out.
	Vars [][]devvar.Use
	// Largest are the largest buffers of a block of fixed size, for error messages.
	Largest []Held
}

// Held is a buffer of Bytes bytes that is in use from step Life.First to step Life.Last.
type Held struct {
	Bytes int
	Life  mem.Life
}
