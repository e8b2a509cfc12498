// Package save is what programs with variables or mutable tables have beside package rt: their
// checkpoints, written and read. [rt.Saver] is what those who call a model see of it.
//
// # For emitted code
//
// These change as those of package rt for emitted code do.
//
//   - a checkpoint: [Checkpoint], [Variable], [Table], [Carried], [Save], [Restore]
package save
