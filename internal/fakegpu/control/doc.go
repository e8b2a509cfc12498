// Package control lets tests control the fake CUDA driver of internal/fakegpu. For example, a test
// can inject faults. The tests are those of programs with the build tag cuda, when these programs
// run on the fake driver.
package control
