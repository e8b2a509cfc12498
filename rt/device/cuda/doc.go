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
//     it (device.Batch.Prepared). Therefore each launch is one call of C, whatever the batch
//     contains.
//   - Capture is the driver's stream capture. The launching goroutine calls a Func only after all
//     earlier work of the stream is done, and before it appends later work, because appended work
//     could not be withdrawn if the function failed. Therefore captured work consists of several
//     graphs with the functions between them.
//   - One goroutine for each device serves Event.Then. Like TensorFlow, it polls the driver for
//     outstanding events. Host callbacks of the driver are not used for this: they would block
//     their stream, may not use the driver, and are no longer called once the context has failed,
//     in which case a rendezvous would wait forever.
//   - After some errors, such as an illegal address, the driver refuses all calls. The device then
//     is unusable, and Err returns the error from then on. Such an error is noticed only some time
//     after the launch that caused it. With the option Check, or GRAPHC_CUDA_CHECK=1 in the
//     environment, the stream waits for each item of a batch, and the error names the node.
//   - cuBLAS computes matrix products if libcublas.so.13 or .12 is found when a program
//     starts: see blas.go.
package cuda
