package panel

//go:generate go run -C ../../_gen ./neon -pkg panel -out ../internal/panel/tile_arm64.s -stubs ../internal/panel/tile_arm64.go
