// Package behaviours lists behaviours of TensorFlow's session, taken from TensorFlow's own tests.
// For each behaviour, the list says how a compiled program behaves in the same way, and which tests
// show this. docs/behaviours.md is generated from behaviours.json. testdata/make.py builds the graphs of
// the programs that the tests run.
//
// The tests import packages that graphc emits when the tests are run; see package internal/emitted.
package behaviours
