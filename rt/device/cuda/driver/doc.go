// Package driver finds the CUDA driver when a program starts. Everything in it is
// behind the tag cuda.
//
// A program with the tag links no library of CUDA's: each call of the driver that
// gorgonia.org/cu or package cuda makes goes through a jump of ours, whose target is
// looked up in libcuda.so.1 (trampolines.S, names.h). That is so because a program that names a library
// which is not there is not even started. The calls are looked up by cuInit, which is ours: it is what cu
// calls first, when it is initialised. Where there is no driver, or no GPU, it says so on the standard
// error and ends the process with status NoGPU, since cu would end it with a text on the standard output.
//
// libcuda.so is what the linker finds for cu's -lcuda: a linker script that adds nothing,
// since the jumps are all that cu refers to.
package driver

// NoGPU is the exit status of a program that is built for GPUs where there is no
// driver, or no GPU that it can use: EX_UNAVAILABLE of sysexits.h.
const NoGPU = 69
