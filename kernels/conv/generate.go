package conv

//go:generate go run -C ../_gen ./neon -pkg conv
