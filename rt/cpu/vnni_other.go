//go:build !amd64 || noasm

package cpu

// HasVNNI is false without assembly.
const HasVNNI = false
