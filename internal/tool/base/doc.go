// Package base has the shared parts of graphc's commands: input and output streams, exit codes,
// progress, text, and the go command with the module in which emitted packages are built for checks
// and timing.
package base
