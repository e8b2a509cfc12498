// Package devwork is what programs with partitions on devices that are no CPUs have beside packages rt and
// parts: the memory and the recorded work of a run there, and what observers are told of it.
//
// # For programs
//
// These change as those of package rt for programs do.
//
//   - what observes runs: [DeviceObserver], [DeviceWork]
//
// # For emitted code
//
// These change as those of package rt for emitted code do.
//
//   - work of devices: [WorkOn], [WorkCode], [Held], [Link], [Work]
//   - measuring: [Measure], [Measured]
package devwork
