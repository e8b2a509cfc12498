//go:build cuda && cgo && linux

package main

/*
#include <stdlib.h>
#include "thread.h"
*/
import "C"

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
)

// The driver's errors.
const (
	success        = 0
	invalidValue   = 1
	outOfMemory    = 2
	noDevice       = 100
	invalidDevice  = 101
	noBinary       = 209
	invalidContext = 201
	invalidPTX     = 218
	invalidHandle  = 400
	notFound       = 500
	notReady       = 600
	illegalAddress = 700
	peerEnabled    = 704
	hostLocked     = 712
	hostNotLocked  = 713
	launchFailed   = 719
	unsupported    = 900
	invalidated    = 901
	notCapturing   = 904
	captured       = 907
)

var texts = map[int][2]string{
	invalidValue: {"CUDA_ERROR_INVALID_VALUE", "invalid argument"}, outOfMemory: {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
	noDevice: {"CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"}, invalidDevice: {"CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
	noBinary: {"CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"}, invalidContext: {"CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
	invalidPTX: {"CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"}, invalidHandle: {"CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
	notFound: {"CUDA_ERROR_NOT_FOUND", "named symbol not found"}, notReady: {"CUDA_ERROR_NOT_READY", "device not ready"},
	illegalAddress: {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"}, 701: {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
	launchFailed: {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"}, unsupported: {"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
	invalidated: {"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
}

// mu protects the driver's state. Every call that uses the state holds it.
var mu sync.Mutex

// context is the primary context of a device.
type context struct {
	handle  uintptr
	id      int
	refs    int
	err     int // if not success, the context rejects every call with this error
	streams []*stream
	peers   map[int]bool
	used    int
}

var (
	devices = count()
	opened  = map[int]*context{} // by device
	// objects maps all handles in use to their objects. An object is a *context, *stream, *event,
	// *program, *function or *graph.
	objects = map[uintptr]any{}
	rng     = rand.New(rand.NewPCG(seed(), 1))
)

func count() int {
	if v, ok := os.LookupEnv("CUDA_VISIBLE_DEVICES"); ok && v == "" {
		return 0
	}
	if n, err := strconv.Atoi(os.Getenv("GRAPHC_FAKEGPU_DEVICES")); err == nil {
		return n
	}
	return 2
}

func seed() uint64 {
	n, _ := strconv.ParseUint(os.Getenv("GRAPHC_FAKEGPU_SEED"), 10, 64)
	return n
}

// add returns a new handle for o. The handle is the address of a piece of C memory that is
// allocated for it.
func add(o any) uintptr {
	h := uintptr(C.malloc(16))
	objects[h] = o
	return h
}

// drop removes a handle.
func drop(h uintptr) { delete(objects, h) }

// object returns the object of handle h, or nil if h is not a *T.
func object[T any](h uintptr) *T {
	o, _ := objects[h].(*T)
	return o
}

// fault is an injected fault for one kind of calls. Each call of this kind decreases the field left
// by one. The call for which this field becomes 0 fails with the error in the field code.
type fault struct{ left, code int }

var faults = parse(os.Getenv("GRAPHC_FAKEGPU_FAULTS"))

// parse parses a list of faults such as "alloc:3=2,run:1=700". The result is keyed by the kind of
// the call. If spec is malformed, parse panics.
func parse(spec string) map[string][]*fault {
	out := map[string][]*fault{}
	for f := range strings.SplitSeq(spec, ",") {
		if f == "" {
			continue
		}
		what, rest, _ := strings.Cut(f, ":")
		var n, code int
		if _, err := fmt.Sscanf(rest, "%d=%d", &n, &code); err != nil {
			panic("fakegpu: fault " + f + " is not understood")
		}
		out[what] = append(out[what], &fault{n, code})
	}
	return out
}

// injected returns the error that is injected into this call, or success. The parameter what is the
// kind of the call.
func injected(what string) int {
	code := success
	for _, f := range faults[what] {
		if f.left--; f.left == 0 {
			code = f.code
		}
	}
	return code
}

// enter calls f with the current context. It returns an error instead if no context is current, if
// the context has failed, or if a fault is injected into this call.
func enter(what string, f func(c *context) int) C.int {
	mu.Lock()
	defer mu.Unlock()
	c := object[context](uintptr(C.fakegpu_current()))
	if c == nil {
		return invalidContext
	}
	if c.err != success {
		return C.int(c.err)
	}
	if code := injected(what); code != success {
		return C.int(c.failed(code))
	}
	return C.int(f(c))
}

// failed returns code. If code is an error that disables the context, failed also stores it in the
// context.
func (c *context) failed(code int) int {
	if code == illegalAddress || code == launchFailed {
		c.err = code
	}
	return code
}
