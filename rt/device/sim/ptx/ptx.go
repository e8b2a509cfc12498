// Package ptx runs programs in PTX, the assembly language of NVIDIA's GPUs, on the
// host: a simulated GPU's processor. A module's text is parsed and decoded once;
// each instruction is then done for the 32 lanes of a warp in one loop.
//
// Threads are independent, as on processors from sm_70 on: of the lanes of a warp those
// with the smallest program counter run first, so that what has diverged comes together
// again where it can, and whatever waits for others lets them go on. Every access to
// memory is checked. What PTX leaves open is made visible: registers, local and shared
// memory hold 0xff bytes before they are written, and so does what a shuffle reads from
// a lane that takes no part.
//
// Arithmetic is exact to the bit where PTX says so; the .approx instructions are
// computed in float64 and rounded once, thus at least as accurate as a GPU's. Not
// taken: matrix instructions, textures and surfaces, and asynchronous copies.
//
// Source: NVIDIA, Parallel Thread Execution ISA, version 8.4.
package ptx

import (
	"fmt"
	"sort"
	"strings"
)

// Memory is a device's global memory. If it has a method Describe(addr uint64) string, errors
// say that of an address that is in no block.
type Memory interface {
	// Find returns the block that holds addr and where it begins, nil if there is
	// none. Blocks stay as they are while a kernel runs. It may be called by several goroutines.
	Find(addr uint64) (base uint64, block []byte)
}

// Options say how a grid is run; nil for one worker, the order of the indices and the
// default limit.
type Options struct {
	// Workers is how many goroutines run blocks side by side; 0 for one. Atomic
	// operations are atomic between them, and sums of floats depend on the order.
	Workers int
	// Seed shuffles the order of blocks and of warps, and how many instructions a warp
	// does before another one's turn; 0 for the order of the indices.
	Seed uint64
	// Limit is how many instructions of warps a launch may do; 0 for DefaultLimit.
	Limit uint64
	// Races has accesses of several warps to one byte of shared memory found that no barrier
	// orders, one of which writes. That takes time.
	Races bool
	// Count is where the number of instructions done is added, one for each warp
	// however many of its lanes take part.
	Count *uint64
}

// DefaultLimit is the limit of instructions of a launch.
const DefaultLimit = 20e9

// SharedLimit is how many bytes of shared memory a block may have, static and dynamic.
const SharedLimit = 227 << 10

// Module is a parsed program. Its variables in global memory are its own, so that each
// device parses a module for itself.
type Module struct {
	entries map[string]*entry
	globals map[string]*global
	store   *segment // variables of .global and .const
	first   []byte   // what they hold before anything runs
	// Target is what the module was made for: sm_80.
	Target string
}

// Entries returns the names of all kernels, sorted.
func (m *Module) Entries() []string {
	var names []string
	for n := range m.entries {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Parameters returns the sizes in bytes of an entry's parameters, nil, false if the
// module has no such entry.
func (m *Module) Parameters(name string) ([]int, bool) {
	e, ok := m.entries[name]
	if !ok {
		return nil, false
	}
	sizes := make([]int, len(e.params))
	for i, p := range e.params {
		sizes[i] = p.size
	}
	return sizes, true
}

// Shared returns the bytes of an entry's static shared memory.
func (m *Module) Shared(name string) int {
	if e := m.entries[name]; e != nil {
		return e.shared
	}
	return 0
}

// Atomic reports whether an entry has atomic operations on memory that other blocks see.
func (m *Module) Atomic(name string) bool {
	e := m.entries[name]
	return e != nil && e.atomic
}

// Copy returns the module with variables of its own, as they are before it is run.
func (m *Module) Copy() *Module {
	n := *m
	n.store = &segment{m.store.base, aligned(len(m.first))}
	copy(n.store.data, m.first)
	return &n
}

// Error is what is wrong with a module's text.
type Error struct {
	Line  int
	Where string // the entry or function, empty outside
	Text  string // the statement
	Why   string
}

// Error implements error: it names the line, and the function where there is one.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ptx:%d: ", e.Line)
	if e.Where != "" {
		fmt.Fprintf(&b, "%s: ", e.Where)
	}
	if e.Text != "" {
		fmt.Fprintf(&b, "%s: ", e.Text)
	}
	b.WriteString(e.Why)
	return b.String()
}

// Fault is what went wrong while a kernel ran.
type Fault struct {
	Entry  string
	Line   int    // of the text
	Text   string // the instruction
	Block  [3]int
	Thread [3]int
	Why    string
}

// Error implements error: it names the kernel, the line and the thread.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("kernel %s: %s", f.Entry, f.Why)
	}
	return fmt.Sprintf("kernel %s, line %d (%s), block %v, thread %v: %s", f.Entry, f.Line, f.Text, f.Block, f.Thread, f.Why)
}
