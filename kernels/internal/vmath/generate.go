package vmath

//go:generate go run -C ../../_gen ./neon -pkg vmath
