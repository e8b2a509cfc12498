package pool

//go:generate go run -C ../_gen ./neon -pkg pool -out ../pool/pool_arm64.s -stubs ../pool/pool_arm64.go
