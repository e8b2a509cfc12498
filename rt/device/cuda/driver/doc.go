// Package driver finds the CUDA driver when a program starts. Everything in it is
// behind the tag cuda.
//
// A program with the tag links no library of CUDA's: each call of the driver that
// gorgonia.org/cu or package cuda makes goes through a jump of ours, whose target is
// looked up in libcuda.so.1 when the program starts (trampolines.S, names.h). That is so
// because a program that names a library which is not there is not even started, and
// cu leaves the process without a word on the standard error when there is no GPU. The
// package imports os and nothing of CUDA's, and its import path sorts before cu's: it is
// initialised first, and where there is no driver or no GPU it says so on the
// standard error and ends the process with status NoGPU.
//
// lib/libcuda.so is what the linker finds for cu's -lcuda: a linker script that adds
// nothing, since the jumps are all that cu refers to.
package driver

// NoGPU is the exit status of a program that is built for GPUs where there is no
// driver, or no GPU that it can use: EX_UNAVAILABLE of sysexits.h.
const NoGPU = 69
