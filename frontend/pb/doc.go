// Package pb holds the protocol buffer messages that graphc reads. Their field names, numbers and
// types are TensorFlow's. The proto package is graphc's own, so that the messages never clash with
// another copy of TensorFlow's messages in the registry of a program.
package pb

//go:generate go -C _gen run . ../../..
