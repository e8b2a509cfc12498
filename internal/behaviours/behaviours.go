// Package behaviours holds what TensorFlow's session does as TensorFlow's own tests state it,
// behaviour by behaviour: how a compiled program does it, and the test that shows it.
// docs/behaviours.md is written from behaviours.json; testdata/make.py says what the
// graphs of the programs here hold.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package behaviours
