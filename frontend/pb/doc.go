// Package pb holds the protocol buffer messages that graphc reads. Their field
// names, numbers and types are TensorFlow's; the proto package is our own, so
// that they never clash with another copy in a program's registry.
package pb

//go:generate go -C _gen run . ../../..
