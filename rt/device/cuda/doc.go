// Package cuda is the device for NVIDIA's GPUs. Building it requires the build tag cuda, cgo and
// Linux.
//
// The package uses the driver through gorgonia.org/cu. The file call.c adds C functions that cu
// lacks: functions for a whole batch in one call, captured graphs, page-locked memory and events in
// graphs. The driver itself is loaded when the program starts: see package driver.
//
// How it works:
//
//   - The package uses the device's primary context. Run locks the thread and makes the context
//     current; streams and batches are used within Run. Methods that are used outside of Run make the
//     context current for the duration of the call.
//   - The first launch of a batch converts the batch to an array of C structs. The array is kept
//     in device.Batch.Prepared. Therefore each launch is a single call of a C function, whatever
//     the batch contains.
//   - Stream.Capture uses the driver's stream capture. A device.Func cannot be part of a graph: if
//     it fails, later work must not be done, and work that is already appended cannot be withdrawn.
//     Therefore captured work consists of several graphs, and of functions between them. A launch
//     waits until the work before a function is done, calls the function, and then appends the
//     next graph.
//   - One goroutine for each device serves Event.Then. Like TensorFlow, this goroutine polls the
//     driver for outstanding events. Host callbacks of the driver would not be suitable: they block
//     their stream, and must not use the driver. Besides, the driver does not call them after the
//     context has failed, and a receiver of a message would then wait forever.
//   - After some errors, such as an illegal address, the driver refuses all calls. The device is
//     then unusable, and Err returns the error. Such an error is noticed only some time after the
//     launch that caused the error. With Options.Check, or GRAPHC_CUDA_CHECK=1 in the environment,
//     the stream waits for each item of a batch, and the error names the item's node.
//   - cuBLAS computes matrix products if libcublas.so.13 or .12 is found when a program
//     starts: see blas.go.
package cuda
