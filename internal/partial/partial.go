// Package partial tests partial runs: programs compiled from a graph that testdata/make.py writes.
// TensorFlow's partial_run recorded the same steps.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package partial
