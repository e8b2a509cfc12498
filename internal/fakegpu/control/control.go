//go:build cuda && cgo && linux

package control

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdlib.h>

static void *call(const char *name) {
	void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	return lib ? dlsym(lib, name) : NULL;
}

static int fake(void) { return call("fakegpuCount") != NULL; }

static void inject(const char *spec) {
	void (*f)(const char *) = call("fakegpuInject");
	f(spec);
}

static long long count(const char *what) {
	long long (*f)(const char *) = call("fakegpuCount");
	return f(what);
}

static void mend(void) {
	void (*f)(void) = call("fakegpuMend");
	f();
}
*/
import "C"

import "unsafe"

// Fake reports whether the driver is the fake one. The other functions may only be called if it is.
func Fake() bool { return C.fake() != 0 }

// Inject replaces the pending faults: "alloc:3=2,run:1=700" makes the third allocation from now on
// fail with error 2, and the first kernel that runs with error 700; "" removes all faults.
func Inject(spec string) {
	c := C.CString(spec)
	defer C.free(unsafe.Pointer(c))
	C.inject(c)
}

// Count returns the number of objects that exist now: "blocks" of device memory, "locked" ranges of
// host memory, "streams", "events", "graphs" or "modules". Two counts only grow. "pageable" counts
// copies from or to host memory that is not locked. "binaries" counts modules that were loaded from
// simulated machine code, which is PTX after ELF's magic bytes.
func Count(what string) int {
	c := C.CString(what)
	defer C.free(unsafe.Pointer(c))
	return int(C.count(c))
}

// Mend makes all failed contexts usable again, as a new process would.
func Mend() { C.mend() }
