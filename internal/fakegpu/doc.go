// Command fakegpu is a CUDA driver without a GPU: built with -buildmode=c-shared it is a
// libcuda.so.1, which runs the kernels of its modules by the interpreter of
// rt/device/sim/ptx. So programs with the tag cuda run, all of their cgo included, where
// there is no GPU. scripts/gpu builds it, and cublas, a libcublas.so.12 whose products are done by it.
//
// It is no friend of the programs that it runs:
//
//   - Work on a stream is done only when somebody waits for it, or asks a third time; where
//     all streams are waited for, in an order drawn by GRAPHC_FAKEGPU_SEED. What lacks a wait
//     reads what was there before.
//   - Memory holds 0xff bytes, which are NaN, before it is written. Each address is given out
//     once, and every access is checked when the work is done: an access outside of what is allocated then, freeing included,
//     is CUDA_ERROR_ILLEGAL_ADDRESS, after which the context refuses everything.
//   - Copies read and write the host's memory only when they are done, also memory that is
//     not locked, which a driver may or may not read at once.
//   - A call without a current context, with a stream, a kernel or an event of another
//     context's, or on a stream that is being captured and cannot take it, fails.
//   - A call may be told to fail (package control, or GRAPHC_FAKEGPU_FAULTS in the environment):
//     "alloc:3=2,run:1=700" has the third allocation fail with error 2 and
//     the first kernel that is run with 700. What can: alloc, lock, copy, launch, run, load, stream, event, graph, sync.
//
// There are GRAPHC_FAKEGPU_DEVICES devices, two unless told otherwise, and none where CUDA_VISIBLE_DEVICES is
// empty. It shows nothing about time, nor about races between the threads of a kernel.
package main

// main is never called: the library has functions only.
func main() {}
