// Package hammer tests the concurrent use of one instance of a program: no update is lost, and
// cancelled runs leave nothing behind. testdata/make.py describes the program's graph.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package hammer
