// Package accelerated tests programs for GPUs and their run time, on simulated GPUs. A simulated
// GPU executes work in the least convenient order that is allowed. The tests import packages that
// graphc emits when the tests are run; see package internal/emitted.
package accelerated
