package narrow

//go:generate go run -C ../../_gen ./neon -pkg narrow
