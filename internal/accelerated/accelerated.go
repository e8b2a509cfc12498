// Package accelerated holds a program for a GPU, and tests of its run time on simulated GPUs, which
// choose the least convenient order of work that is allowed.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package accelerated
