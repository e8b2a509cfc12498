// Package cuda is the device for NVIDIA's GPUs. All of it needs the build tag cuda, cgo and Linux.
//
// It uses the driver through gorgonia.org/cu. call.c adds what cu lacks: a whole batch in one
// call, captured graphs, page-locked memory and events in graphs. The driver itself is loaded when
// the program starts: see package driver.
//
// How it works:
//
//   - The context is the device's primary one. Run locks the thread and makes the context current,
//     once for a run; streams and batches are used within Run. All other methods make it current
//     for the call.
//   - The first launch of a batch converts it to an array of C structs, which is kept with
//     it (device.Batch.Prepared). So each launch is one call of C, whatever the batch contains.
//   - Capture is the driver's stream capture. The launching goroutine runs a Func after all
//     earlier work of the stream: work that a stream already has cannot be withdrawn
//     if the function fails. So captured work is split into graphs at the functions.
//   - One goroutine for each device serves Event.Then. Like TensorFlow, it polls the driver for
//     outstanding events. Host callbacks of the driver would block
//     their stream, may not use the driver, and are no longer called once the context has
//     failed, so that a rendezvous would wait forever.
//   - After some errors, such as an illegal address, the driver refuses everything. Such an error is the
//     device's: Err returns it from then on. It is noticed later than its launch.
//     With the option Check, or GRAPHC_CUDA_CHECK=1 in the environment, the stream waits for each item
//     of a batch, and the error names the node.
//   - cuBLAS computes matrix products if libcublas.so.13 or .12 is found when a program
//     starts: see blas.go.
package cuda
