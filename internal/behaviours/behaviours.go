// Package behaviours lists behaviours of TensorFlow's session, taken from TensorFlow's own tests.
// For each behaviour, the list describes the corresponding behaviour of a compiled program and names
// the tests that show it, or says why the behaviour does not apply. docs/behaviours.md is generated
// from behaviours.json. testdata/make.py builds the graphs of the programs that the tests run.
//
// The tests import packages that graphc emits when the tests are run; see package internal/emitted.
package behaviours
