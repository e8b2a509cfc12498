//go:build !(amd64 || arm64) || noasm

package vmath

import "github.com/graphc/graphc/rt/tensor"

// LeakyRelu returns false: this build has no assembly for it.
func LeakyRelu(dst, src []float32, alpha float32) bool { return false }

// Max returns false: this build has no assembly for it.
func Max(src []float32) (float32, bool) { return 0, false }

// Min returns false: this build has no assembly for it.
func Min(src []float32) (float32, bool) { return 0, false }

// Sum returns false: this build has no assembly for it.
func Sum(src []float32) (float64, bool) { return 0, false }

// AddTo adds nothing and returns 0: this build has no assembly for it.
func AddTo(acc []float64, src []float32) int { return 0 }

// ExpSum returns false: this build has no assembly for it.
func ExpSum(dst, src []float32, m float32) (float64, bool) { return 0, false }

// SumExp returns false: this build has no assembly for it.
func SumExp(src []float32, m float32) (float64, bool) { return 0, false }

// SubLog returns false: this build has no assembly for it.
func SubLog(dst, src []float32, m float32, l float64) bool { return false }

// LoadF16 returns false: this build has no assembly for it.
func LoadF16(dst []float32, src []tensor.F16) bool { return false }

// LoadBF16 returns false: this build has no assembly for it.
func LoadBF16(dst []float32, src []tensor.BF16) bool { return false }

// StoreF16 returns false: this build has no assembly for it.
func StoreF16(dst []tensor.F16, src []float32) bool { return false }

// StoreBF16 returns false: this build has no assembly for it.
func StoreBF16(dst []tensor.BF16, src []float32) bool { return false }

// Normalize returns false: this build has no assembly for it.
func Normalize(dst, src, mean, k, offset []float32) bool { return false }

// NormalizeBy returns false: this build has no assembly for it.
func NormalizeBy(dst, src []float32, mean, k, offset float32) bool { return false }

// Softmax returns false: this build has no assembly for it.
func Softmax(dst, src []float32, n int) bool { return false }

// LogSoftmax returns false: this build has no assembly for it.
func LogSoftmax(dst, src []float32, n int) bool { return false }

// SoftmaxMasked returns false: this build has no assembly for it.
func SoftmaxMasked(dst, src, mask []float32, n, step int, scale float32) bool { return false }

// LayerNorm returns false: this build has no assembly for it.
func LayerNorm(dst, src, gamma, beta []float32, n int, epsilon float32) bool { return false }

// RMSNorm returns false: this build has no assembly for it.
func RMSNorm(dst, src, gamma []float32, n int, epsilon float32) bool { return false }
