// Package save extends package rt for programs with variables or mutable tables: it writes and
// reads their checkpoints. Callers of a model use it through [rt.Saver].
//
// # For emitted code
//
// These names are for emitted code and for graphc itself. Like the names in the corresponding list of
// package rt, they may change from version to version.
//
//   - a checkpoint: [Checkpoint], [Variable], [Table], [Carried], [Save], [Restore]
package save
