// Package control controls the fake driver from tests of programs with the tag cuda, if they run on
// it: see internal/fakegpu.
package control
