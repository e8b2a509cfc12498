package gputest

import "testing"

// TestFind checks that, if two blocks are side by side, as on a GPU, the address between them
// belongs to the second block.
func TestFind(t *testing.T) {
	r := &Rig{blocks: []block{{at: 512, b: make([]byte, 256)}, {at: 256, b: make([]byte, 256)}}}
	for _, c := range []struct{ addr, at uint64 }{{256, 256}, {511, 256}, {512, 512}, {767, 512}, {768, 512}, {769, 0}, {255, 0}} {
		if at, b := r.Find(c.addr); at != c.at || (b == nil) != (at == 0) {
			t.Errorf("address %d is in the block at %d, not at %d", c.addr, at, c.at)
		}
	}
}
