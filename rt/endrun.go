package rt

import "github.com/graphc/graphc/rt/tensor"

// endRun notifies handle values that the run is over, so that a held lock is released.
func endRun(handles []tensor.Handle) {
	for _, h := range handles {
		if e, ok := h.V.(interface{ EndRun() }); ok {
			e.EndRun()
		}
	}
}
