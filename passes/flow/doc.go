// Package flow turns control flow into regions. It inlines functions, turns loops and branches of
// TensorFlow 1 into regions, and turns lists and arrays in loops into dense tensors.
package flow
