package rt

import (
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
)

// Block is memory for the arena of a state. It is used only if a pool does not take this memory
// from the Go heap; see Pool.Blocks.
type Block interface {
	Host() []byte
	Free() error
}

// Blocks makes the pool allocate the arenas of its states with the function alloc. That function
// returns a block of n bytes.
func (p *Pool[D, V, I, M, X]) Blocks(alloc func(n int) (Block, error)) { p.blocks = alloc }

// The method arena replaces the arena of state s by a new arena of n bytes.
func (p *Pool[D, V, I, M, X]) arena(s *State[D, V, I, M, X], n int) error {
	s.Arena = nil // without this reference, the old block can be freed before the new one is allocated
	if p.blocks == nil {
		s.Arena = block(n)
		return nil
	}
	if s.memory != nil {
		m := s.memory
		s.memory = nil
		if err := m.Free(); err != nil {
			return err
		}
	}
	if n == 0 {
		return nil
	}
	m, err := p.blocks(n)
	if err != nil {
		return err
	}
	s.memory, s.Arena = m, m.Host()
	return nil
}

// block returns n zeroed bytes, aligned for any buffer. For 4 MiB or more, it requests large pages
// from the system.
func block(n int) []byte {
	if n == 0 {
		return nil
	}
	align := mem.Align
	if n >= 2*hugePage {
		align = hugePage
	}
	b := make([]byte, n+align-1)
	off := -int(uintptr(unsafe.Pointer(&b[0]))) & (align - 1)
	b = b[off : off+n : off+n]
	if align == hugePage {
		adviseHuge(b)
	}
	return b
}

// hugePage is the size of a large page in bytes.
const hugePage = 2 << 20
