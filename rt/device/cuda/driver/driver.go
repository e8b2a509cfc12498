//go:build cuda && cgo && linux

package driver

/*
#cgo LDFLAGS: -L${SRCDIR}/lib -ldl
#include "driver.h"
*/
import "C"

import "os"

// It must run before gorgonia.org/cu is initialised: see the package's comment.
func init() {
	if msg := C.graphc_driver_open(); msg != nil {
		os.Stderr.WriteString("this program is built for GPUs (-tags cuda), and " + C.GoString(msg) +
			"; a program for CPUs is built without the tag, for -devices cpu:0\n")
		os.Exit(NoGPU)
	}
}

// Has reports whether the driver has a call, which older ones may lack.
func Has(name string) bool {
	c := C.CString(name)
	defer C.graphc_driver_free(c)
	return C.graphc_driver_has(c) != 0
}
