// Package partial tests partial runs. The programs are compiled from a graph that testdata/make.py
// writes. The expected results were recorded with TensorFlow's partial_run in the same steps.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package partial
