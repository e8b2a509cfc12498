// Package ptx runs programs in PTX, the assembly language of NVIDIA's GPUs, on the host. It is the
// processor of a simulated GPU. A module's text is parsed and decoded once. Each instruction is
// then executed for the 32 lanes of a warp in one loop.
//
// Threads are independent, as on processors from sm_70 on. Of the lanes of a warp, those with the
// smallest program counter usually run first, so that diverged lanes come together again where
// possible. From time to time, the lanes with the largest program counter run instead, so that a
// lane that waits in a loop for another lane does not block that lane. Every access to memory is
// checked. Undefined values are easy to recognize: all bits are set in registers, local memory and
// shared memory that were not written, and in the result of a shuffle from an inactive lane.
//
// Arithmetic is exact to the bit where PTX defines it. The .approx instructions are computed in
// float64 and rounded once, so they are at least as accurate as on a GPU. Not supported: matrix
// instructions, textures and surfaces, and asynchronous copies.
//
// Source: NVIDIA, Parallel Thread Execution ISA, version 8.4.
package ptx

import (
	"fmt"
	"sort"
	"strings"
)

// Memory is a device's global memory. If an implementation has a method Describe(addr uint64)
// string, errors about an address that is in no block contain the method's result.
type Memory interface {
	// Find returns the block that contains addr, and base, the block's first address. If no block
	// contains addr, the returned block is nil. Blocks must not change while a kernel runs. Find
	// must be safe for concurrent use.
	Find(addr uint64) (base uint64, block []byte)
}

// Options are options for running a grid. A nil *Options means one worker, blocks and warps in the
// order of their indices, and DefaultLimit.
type Options struct {
	// Workers is how many goroutines run blocks concurrently; 0 means one. Atomic operations are
	// atomic across these goroutines, but the order of their effects, and thus sums of floats, may
	// vary.
	Workers int
	// Seed shuffles the order of blocks and of warps, and varies how many instructions a warp
	// executes in a turn; 0 means the order of the indices.
	Seed uint64
	// Limit is how many warp instructions a launch may execute; 0 means DefaultLimit.
	Limit uint64
	// Races turns on a check for races in shared memory, which slows a launch down. The launch then
	// fails if several warps access the same byte, at least one of them writes it, and no barrier
	// orders the accesses.
	Races bool
	// Count, if not nil, points to a number that is increased by the number of executed warp
	// instructions. An instruction of a warp counts once, whatever the number of active lanes.
	Count *uint64
}

// DefaultLimit is the default limit of warp instructions of a launch.
const DefaultLimit = 20e9

// SharedLimit is the limit in bytes of a block's shared memory, static and dynamic together.
const SharedLimit = 227 << 10

// Module is a parsed program. It contains the values of the module's variables, which are in global
// memory. Therefore each device needs a separate Copy.
type Module struct {
	entries map[string]*entry
	globals map[string]*global
	store   *segment // the variables of .global and .const
	first   []byte   // their initial contents
	// Target is the GPU architecture for which the module was compiled, such as sm_80.
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

// Parameters returns the sizes in bytes of an entry's parameters. It returns false if the module
// has no such entry.
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

// Shared returns the size in bytes of an entry's static shared memory.
func (m *Module) Shared(name string) int {
	if e := m.entries[name]; e != nil {
		return e.shared
	}
	return 0
}

// Atomic reports whether an entry has atomic operations on memory that other blocks can access.
func (m *Module) Atomic(name string) bool {
	e := m.entries[name]
	return e != nil && e.atomic
}

// Copy returns a copy of the module with separate variables, which have their initial values.
func (m *Module) Copy() *Module {
	n := *m
	n.store = &segment{m.store.base, aligned(len(m.first))}
	copy(n.store.data, m.first)
	return &n
}

// Error is an error in a module's text.
type Error struct {
	Line  int
	Where string // the entry or function, empty outside of these
	Text  string // the statement
	Why   string
}

// Error returns the text with the line, and the function if there is one.
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

// Fault is an error of a running kernel.
type Fault struct {
	Entry  string
	Line   int    // the line in the module's text
	Text   string // the instruction
	Block  [3]int
	Thread [3]int
	Why    string
}

// Error returns the text with the kernel, the line and the thread.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("kernel %s: %s", f.Entry, f.Why)
	}
	return fmt.Sprintf("kernel %s, line %d (%s), block %v, thread %v: %s", f.Entry, f.Line, f.Text, f.Block, f.Thread, f.Why)
}
