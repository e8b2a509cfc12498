// Package driver loads the CUDA driver when a program starts. Building it requires the build tag
// cuda.
//
// A program with this tag is not linked with a CUDA library, because a program that is linked with
// a library does not start if the library is missing. Instead, each call of the driver by
// gorgonia.org/cu or package cuda goes through a jump in trampolines.S. This package defines a
// function cuInit, which cu calls first, in its initialization. The function cuInit looks up the
// targets of the jumps (names.h) in libcuda.so.1. If there is no driver or no GPU, cuInit prints a
// message on the standard error and ends the process with status NoGPU. Without this, package cu
// would print a message on the standard output.
//
// The linker needs a file libcuda.so for cu's option -lcuda. The file libcuda.so in this directory
// is an empty linker script, because cu refers only to the jumps.
package driver

// NoGPU is the exit status of a program that is built for GPUs if there is no driver or no usable
// GPU: EX_UNAVAILABLE of sysexits.h.
const NoGPU = 69
