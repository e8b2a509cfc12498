// Package cuda is the device of programs for NVIDIA's GPUs. Everything in it is behind
// the tag cuda, and needs cgo and Linux.
//
// It uses the driver through gorgonia.org/cu; call.c holds what cu lacks, which is a
// whole batch in one call, captured graphs, page-locked memory and events of graphs. The driver
// itself is found when the program starts: see package driver.
//
// How it works:
//
//   - The context is the device's primary one. Run locks the thread and makes it current,
//     once for a run; streams and batches are used within. Everything else makes it current
//     for the call.
//   - A batch becomes an array of C structs the first time it is launched, which stays with
//     it (device.Batch.Prepared): launching is one call of C then, whatever the batch holds.
//   - Capture is the driver's stream capture. Func work is done by the goroutine that launches
//     it, after what the stream has before: nothing that a stream was given can be taken back
//     when a function fails, so the functions are where captured work is cut into graphs.
//   - Event.Then is served by one goroutine for each device, which asks the driver for the
//     events that are outstanding, as TensorFlow does. The driver's host callbacks hold up
//     their stream, may not use the driver, and are not called any more once the context has
//     failed, which would leave a rendezvous waiting.
//   - An error after which the driver refuses everything, such as an illegal address, is the
//     device's: Err returns it from then on. It comes to light later than the launch it is of;
//     the option Check, or GRAPHC_CUDA_CHECK=1 in the environment, waits for each item of a batch, and the
//     error names the node then.
//   - Products of matrices go to cuBLAS where libcublas.so.13 or .12 is found when a program
//     starts: see blas.go.
package cuda
