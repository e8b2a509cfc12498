// Package devwork extends packages rt and parts for partitions that run on devices other than CPUs.
// It manages the device memory and the recorded device work of a run, and calls observers of this
// work.
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
