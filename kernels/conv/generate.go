package conv

//go:generate go run -C ../_gen ./neon -pkg conv -out ../conv/neon_arm64.s -stubs ../conv/neon_arm64.go
