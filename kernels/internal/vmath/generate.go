package vmath

//go:generate go run -C ../../_gen ./neon -pkg vmath -out ../internal/vmath/vmath_arm64.s -stubs ../internal/vmath/vmath_arm64.go -calls ../internal/vmath/calls_arm64.go
