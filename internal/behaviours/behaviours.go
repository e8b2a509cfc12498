// Package behaviours lists behaviours of TensorFlow's session, taken from TensorFlow's own tests.
// For each behaviour, the list says how a compiled program does the same, and which tests show
// this. docs/behaviours.md is generated from behaviours.json. testdata/make.py describes the graphs
// of the programs here.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package behaviours
