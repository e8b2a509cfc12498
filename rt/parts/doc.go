// Package parts extends package rt for programs for several devices and for partial runs. It runs
// the partitions of a signature side by side, each on its device. The partitions send each other
// tensors. Package devwork adds what devices other than CPUs need.
//
// # For programs
//
// The rules for changes of these names are those of package rt for programs.
//
//   - options of a model: [WithDevices]
//   - partial runs: [PartialOf]
//
// # For emitted code
//
// The rules for changes of these names are those of package rt for emitted code.
//
//   - partitions: [Parts], [Turn], [Link], [Devices], [DevicesOf], [On]
//   - stages: [Stage], [Stages], [Told], [FeedPartial], [FetchPartial]
package parts
