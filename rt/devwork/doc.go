// Package devwork extends packages rt and parts for partitions on devices other than CPUs: the
// memory and the recorded work of a run there, and observers of it.
//
// # For programs
//
// The rules for changes of these names are those of package rt for programs.
//
//   - observers of runs: [DeviceObserver], [DeviceWork]
//
// # For emitted code
//
// The rules for changes of these names are those of package rt for emitted code.
//
//   - work of devices: [WorkOn], [WorkCode], [Held], [Link], [Work]
//   - measuring: [Measure], [Measured]
package devwork
