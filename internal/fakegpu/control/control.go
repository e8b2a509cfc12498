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

// Fake reports whether the driver is the fake one. The other functions may be called
// only then.
func Fake() bool { return C.fake() != 0 }

// Inject replaces the calls that are to fail: "alloc:3=2,run:1=700" is the third allocation
// from now on, with error 2, and the first kernel that is run; "" is none.
func Inject(spec string) {
	c := C.CString(spec)
	defer C.free(unsafe.Pointer(c))
	C.inject(c)
}

// Count is how many there are of something: blocks of memory, locked blocks of the
// host's, streams, events, graphs, modules; how many pageable copies were made, and how many
// modules were loaded from binaries, which are machine code or PTX with ELF's first bytes before it.
func Count(what string) int {
	c := C.CString(what)
	defer C.free(unsafe.Pointer(c))
	return int(C.count(c))
}

// Mend has all contexts work again that have failed, as a new process would.
func Mend() { C.mend() }
