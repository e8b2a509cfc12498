// Package parts is what programs for several devices, and those with signatures that run in steps, have
// beside package rt: the partitions of a signature, which run side by side and hand each other
// tensors, and the devices that they run on. What CPUs do not need of devices is in package devwork.
//
// # For programs
//
// These change as those of package rt for programs do.
//
//   - options of a model: [WithDevices]
//   - runs in steps: [PartialOf]
//
// # For emitted code
//
// These change as those of package rt for emitted code do.
//
//   - partitions: [Parts], [Turn], [Link], [Devices], [DevicesOf], [On]
//   - steps: [Stage], [Stages], [Told], [FeedPartial], [FetchPartial]
package parts
