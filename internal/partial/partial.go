// Package partial runs signatures in steps: programs that are compiled from a graph
// that testdata/make.py writes, whose steps TensorFlow's partial_run has taken, too.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package partial
