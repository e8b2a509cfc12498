// Package accelerated tests programs for GPUs and their run time, on simulated GPUs. A simulated
// GPU chooses the least convenient order of work that is allowed. The tests import packages that
// graphc emits when the tests are run; see package internal/emitted.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package accelerated
