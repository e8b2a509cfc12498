package elem

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// CheckF32 returns InvalidArgument if x has NaN or infinities. The error begins with message.
func CheckF32(x []float32, message string) error {
	for _, v := range x {
		if v-v != 0 {
			return checkEach(len(x), func(i int) float64 { return float64(x[i]) }, message)
		}
	}
	return nil
}

// CheckF64 is CheckF32 for float64.
func CheckF64(x []float64, message string) error {
	for _, v := range x {
		if v-v != 0 {
			return checkEach(len(x), func(i int) float64 { return x[i] }, message)
		}
	}
	return nil
}

// CheckF16 is CheckF32 for binary16.
func CheckF16(x []tensor.F16, message string) error {
	for _, v := range x {
		if v&0x7c00 == 0x7c00 {
			return checkEach(len(x), func(i int) float64 { return float64(x[i].Float32()) }, message)
		}
	}
	return nil
}

// CheckBF16 is CheckF32 for bfloat16.
func CheckBF16(x []tensor.BF16, message string) error {
	for _, v := range x {
		if v&0x7f80 == 0x7f80 {
			return checkEach(len(x), func(i int) float64 { return float64(x[i].Float32()) }, message)
		}
	}
	return nil
}

// checkEach returns CheckF32's error for the n numbers at(0), …, at(n-1).
func checkEach(n int, at func(int) float64, message string) error {
	var nan, inf bool
	for i := range n {
		v := at(i)
		nan = nan || math.IsNaN(v)
		inf = inf || math.IsInf(v, 0)
	}
	return CheckFound([]bool{nan, inf}, message)
}

// CheckFound returns CheckF32's error for a tensor with given contents: found[0] says whether the
// tensor has a NaN, and found[1] whether it has an infinity.
func CheckFound(found []bool, message string) error {
	nan, inf := found[0], found[1]
	if !nan && !inf {
		return nil
	}
	what := "NaN"
	switch {
	case nan && inf:
		what = "Inf and NaN"
	case inf:
		what = "Inf"
	}
	return tensor.Errorf(tensor.InvalidArgument, "%s : Tensor had %s values", message, what)
}
