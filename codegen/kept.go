package codegen

import (
	"fmt"
	"maps"
	"slices"

	"github.com/graphc/graphc/plan"
)

// keptState is where the buffers of place plan.Kept are in the one block that
// all signatures of a model share, by name.
type keptState struct {
	offset map[string]int
	bytes  int
}

// keptAlign lets any number in a kept buffer be changed atomically.
const keptAlign = 8

// layKept places the kept buffers of all plans in the order of their names.
func (e *emitter) layKept() error {
	size := map[string]int{}
	for _, s := range e.all() {
		for _, b := range s.plan.Bufs {
			if b.Place != plan.Kept || b.Alias != nil || b.Object != nil {
				continue
			}
			n, _ := b.Bytes().IsInt() // plan.Check has seen to it
			if have, ok := size[b.Name]; ok && have != n {
				return fmt.Errorf("signature %q: the state %q has %d bytes, in another plan %d", s.plan.Name, b.Name, n, have)
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
