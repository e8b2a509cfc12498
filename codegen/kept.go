package codegen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/graphc/graphc/plan"
)

// keptState describes the block of memory that all signatures of a model share and that is kept
// between runs. It holds the offsets, by name, of the buffers with the place plan.Kept.
type keptState struct {
	offset map[string]int
	bytes  int
}

// keptAlign is the alignment in bytes of kept buffers. With it, any number in them can be changed
// atomically.
const keptAlign = 8

// layKept places the kept buffers of all plans in the order of their names.
func (e *emitter) layKept() error {
	size := map[string]int{}
	for _, s := range e.all() {
		for _, b := range s.plan.Bufs {
			if b.Place != plan.Kept || b.Alias != nil || b.Object != nil {
				continue
			}
			n, _ := b.Bytes().IsInt() // plan.Check ensures that the size is known
			if have, ok := size[b.Name]; ok && have != n {
				return fmt.Errorf("signature %q: the state %q has %d bytes, but %d in another plan", s.plan.Name, b.Name, n, have)
			}
			size[b.Name] = n
		}
	}
	e.kept.offset = map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(size)) {
		e.kept.offset[name] = e.kept.bytes
		e.kept.bytes += (size[name] + keptAlign - 1) / keptAlign * keptAlign
	}
	return nil
}
