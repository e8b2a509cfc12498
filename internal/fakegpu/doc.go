// Command fakegpu is a CUDA driver without a GPU. Built with -buildmode=c-shared it is a
// libcuda.so.1 that interprets the kernels of its modules with rt/device/sim/ptx. So programs with
// the tag cuda, including their cgo, run without a GPU. scripts/gpu builds it, and also cublas, a
// libcublas.so.12 whose products it computes.
//
// It behaves as inconveniently as CUDA allows:
//
//   - It does a stream's work only when the program waits for it, or queries it for the third
//     time. If all streams are waited for, GRAPHC_FAKEGPU_SEED determines their order. A
//     program that lacks a wait reads old data.
//   - New memory is filled with bytes 0xff, which are NaN. Each address is used only once.
//     Every access is checked when the work is done: one outside of the memory that is allocated
//     at that time (memory freed before then is not) is CUDA_ERROR_ILLEGAL_ADDRESS. After that, the
//     context rejects everything.
//   - Copies access host memory only when they are done, even memory that is not locked, which
//     a real driver may read at once.
//   - These calls fail: without a current context; with a stream, a kernel or an event of
//     another context; on a capturing stream that does not support them.
//   - Faults can be injected by package control, or by GRAPHC_FAKEGPU_FAULTS in the environment:
//     "alloc:3=2,run:1=700" makes the third allocation fail with error 2 and the first kernel
//     that runs with error 700. The kinds are alloc, lock, copy, launch, run, load, stream,
//     event, graph and sync.
//
// There are GRAPHC_FAKEGPU_DEVICES devices (default: two), and none if CUDA_VISIBLE_DEVICES is
// empty. The driver models neither time nor races between the threads of a kernel.
package main

// main is never called: the library only has functions.
func main() {}
