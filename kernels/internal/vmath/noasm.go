//go:build !(amd64 || arm64) || noasm

package vmath

import "github.com/graphc/graphc/rt/tensor"

// LeakyRelu sets dst = x where x > 0, else alpha·x.
func LeakyRelu(dst, src []float32, alpha float32) bool { return false }

// Max returns the largest element of a row: NaN if an element is NaN, -Inf for an empty row.
func Max(src []float32) (float32, bool) { return 0, false }

// Min returns the smallest element of a row: NaN if an element is NaN, +Inf for an empty row.
func Min(src []float32) (float32, bool) { return 0, false }

// Sum returns the sum of a row, taken in float64.
func Sum(src []float32) (float64, bool) { return 0, false }

// AddTo adds src to acc, of the same length, except for the last few elements. It returns how
// many it added.
func AddTo(acc []float64, src []float32) int { return 0 }

// ExpSum sets dst = e^(x - m) and returns the sum of dst, taken in float64.
func ExpSum(dst, src []float32, m float32) (float64, bool) { return 0, false }

// SumExp returns Σ e^(x - m), taken in float64.
func SumExp(src []float32, m float32) (float64, bool) { return 0, false }

// SubLog sets dst = (x - m) - l. The second difference is rounded once.
func SubLog(dst, src []float32, m float32, l float64) bool { return false }

// LoadF16 sets dst to the binary16 numbers of src.
func LoadF16(dst []float32, src []tensor.F16) bool { return false }

// LoadBF16 sets dst to the bfloat16 numbers of src.
func LoadBF16(dst []float32, src []tensor.BF16) bool { return false }

// StoreF16 rounds src to binary16, half to even. A NaN's payload is truncated.
func StoreF16(dst []tensor.F16, src []float32) bool { return false }

// StoreBF16 rounds src to bfloat16, half to even.
func StoreBF16(dst []tensor.BF16, src []float32) bool { return false }

// Normalize sets dst = (x - mean)·k + offset. All rows have the same length.
func Normalize(dst, src, mean, k, offset []float32) bool { return false }

// NormalizeBy sets dst = (x - mean)·k + offset.
func NormalizeBy(dst, src []float32, mean, k, offset float32) bool { return false }

// Softmax sets rows of n floats to e^x / Σ e^x, as ExpSum and Mul would, with sums in
// float64. It rejects very long rows.
func Softmax(dst, src []float32, n int) bool { return false }

// LogSoftmax sets rows of n floats to x - log Σ e^x.
func LogSoftmax(dst, src []float32, n int) bool { return false }

// SoftmaxMasked is Softmax of x·scale + mask. The product and the sum are each rounded.
func SoftmaxMasked(dst, src, mask []float32, n, step int, scale float32) bool { return false }

// LayerNorm sets rows of n floats to (x - mean)/√(variance + epsilon)·gamma + beta.
func LayerNorm(dst, src, gamma, beta []float32, n int, epsilon float32) bool { return false }

// RMSNorm sets rows of n floats to x/√(mean(x²) + epsilon)·gamma.
func RMSNorm(dst, src, gamma []float32, n int, epsilon float32) bool { return false }
