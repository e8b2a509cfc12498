// Package save extends package rt for programs with variables or mutable tables: it writes and
// reads their checkpoints. Callers of a model use it through [rt.Saver].
//
// # For emitted code
//
// The rules for changes of these names are those of package rt for emitted code.
//
//   - a checkpoint: [Checkpoint], [Variable], [Table], [Carried], [Save], [Restore]
package save
