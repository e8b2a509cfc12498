// Command fakegpu is a CUDA driver without a GPU. Built with -buildmode=c-shared it is a
// libcuda.so.1 that interprets the kernels of its modules with rt/device/sim/ptx. Therefore
// programs with the tag cuda, including their cgo code, run without a GPU. scripts/gpu builds this
// library. It also builds a libcublas.so.12 from the folder cublas, which calls this library to
// compute products.
//
// The fake driver behaves as inconveniently as CUDA allows:
//
//   - It does a stream's work only when the program waits for it, or queries it for the third time.
//     If the program waits for all streams together, GRAPHC_FAKEGPU_SEED determines the order in
//     which their work is done. A program that lacks a wait reads old data.
//   - New memory is filled with bytes 0xff, which are NaN. Each address is used only once. Every
//     access is checked at the time when the work is done. If the address is outside of all memory
//     that is allocated at that time, the error is CUDA_ERROR_ILLEGAL_ADDRESS, even if the memory
//     was freed only after the work was enqueued. After this error, the context rejects every call.
//   - A copy accesses host memory only when its work is done. This also holds for host memory that
//     is not locked, although a real driver may read such memory at once.
//   - These calls fail: calls without a current context; calls with a stream, a kernel or an event
//     of another context; and, on a stream that is being captured, calls that a capture does not
//     support.
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
