package panel8

//go:generate go run -C ../../_gen ./neon -pkg panel8
