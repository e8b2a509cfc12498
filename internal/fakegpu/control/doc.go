// Package control has the tests of programs with the tag cuda speak to the fake driver,
// if that is what they run on: see internal/fakegpu.
package control
