package rt

import "github.com/graphc/graphc/rt/tensor"

// endRun tells what a run leaves in handles that the run is over: a lock is let go of.
func endRun(handles []tensor.Handle) {
	for _, h := range handles {
		if e, ok := h.V.(interface{ EndRun() }); ok {
			e.EndRun()
		}
	}
}
