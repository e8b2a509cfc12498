// Package devwork extends package rt and package parts. It is for partitions that run on devices other
// than CPUs. It manages the device memory and the recorded device work of a run, and calls observers of
// this work.
//
// # For programs
//
// Like the names for programs in package rt, these names follow the compatibility rules of Go modules.
//
//   - observers of runs: [DeviceObserver], [DeviceWork]
//
// # For emitted code
//
// Like the names for emitted code in package rt, these names may change from version to version.
//
//   - work of devices: [WorkOn], [WorkCode], [Held], [Link], [Work]
//   - measuring: [Measure], [Measured]
package devwork
