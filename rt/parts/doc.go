// Package parts extends package rt for programs for several devices and for partial runs. It runs
// the partitions of a signature side by side, each on its device. The partitions send each other
// tensors. Package devwork adds what devices other than CPUs need.
//
// # For programs
//
// Like the names for programs in package rt, these names follow the compatibility rules of Go modules.
//
//   - options of a model: [WithDevices]
//   - partial runs: [PartialOf]
//
// # For emitted code
//
// Like the names for emitted code in package rt, these names may change from version to version.
//
//   - partitions: [Parts], [Turn], [Link], [Devices], [DevicesOf], [On]
//   - stages: [Stage], [Stages], [Told], [FeedPartial], [FetchPartial]
package parts
