package rt

import "github.com/graphc/graphc/rt/tensor"

// endRun calls the method EndRun of those objects in handles that have such a method. A lock, for
// example, is released when the run that holds it is over.
func endRun(handles []tensor.Handle) {
	for _, h := range handles {
		if e, ok := h.V.(interface{ EndRun() }); ok {
			e.EndRun()
		}
	}
}
