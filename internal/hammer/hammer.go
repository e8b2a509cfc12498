// Package hammer uses one instance of a program from many goroutines at once: its
// tests show that no update is lost, and that runs which are broken off leave
// nothing behind. testdata/make.py says what the program's graph holds.
//
// The tests import packages that graphc emits; internal/emitted says how they are run.
package hammer
