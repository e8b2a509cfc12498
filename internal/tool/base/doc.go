// Package base holds what the packages of graphc's commands share: the streams that a command reads and
// writes, exit codes, progress, text, and the go command with the module in which emitted packages are
// built to be checked and timed.
package base
