// Package base has the shared parts of graphc's commands: input and output streams, exit codes, progress
// displays and helpers for text. It also runs the go command, and creates the temporary module in which
// emitted packages are built for checks and timing.
package base
