// Package control lets tests control the fake CUDA driver of internal/fakegpu, for example by
// injecting faults. It is for tests of programs that are built with the tag cuda and run on the
// fake driver.
package control
