package array

//go:generate go run -C ../_gen ./array -root ../..
