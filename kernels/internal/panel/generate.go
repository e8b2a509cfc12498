package panel

//go:generate go run -C ../../_gen ./neon -pkg panel
