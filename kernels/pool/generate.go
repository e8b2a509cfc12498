package pool

//go:generate go run -C ../_gen ./neon -pkg pool
