// Package driver loads the CUDA driver when a program starts. All of it needs the build tag cuda.
//
// A program with the tag does not link a CUDA library, because a program that names a missing
// library does not even start. Each call of the driver by gorgonia.org/cu or package cuda goes
// through a jump in trampolines.S. The targets of the jumps are looked up in libcuda.so.1 (names.h)
// by this package's own cuInit, which cu calls first, in its initialization. If there is no driver
// or no GPU, cuInit prints a message on the standard error and ends the process with status NoGPU;
// cu itself would print on the standard output.
//
// libcuda.so is the file that the linker finds for cu's -lcuda. It is a linker script that adds
// nothing, since cu refers only to the jumps.
package driver

// NoGPU is the exit status of a program that is built for GPUs if there is no driver or no usable
// GPU: EX_UNAVAILABLE of sysexits.h.
const NoGPU = 69
