// Package accelerated holds a program for a GPU, and tests of what its run time does with
// one: on simulated GPUs, which are as unkind as they may be.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package accelerated
