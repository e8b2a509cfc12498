// Package accelerated holds a program for a GPU, and tests of what its run time does with
// one: on simulated GPUs, which are as unkind as they may be.
package accelerated

//go:generate go tool graphc generate
