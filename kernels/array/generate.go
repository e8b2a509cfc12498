package array

//go:generate go run -C ../_gen ./array -root ../..

// The wrappers of all templates below kernels.
//
//go:generate go run -C ../_gen ./typed -root ../..
