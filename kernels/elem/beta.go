package elem

// BetaincF32 sets dst to the regularised incomplete beta functions I_x(a, b);
// each operand is one element or as many as dst has.
func BetaincF32(dst, a, b, x []float32) { betaincRow(dst, a, b, x) }

// BetaincF64 is BetaincF32 for float64.
func BetaincF64(dst, a, b, x []float64) { betaincRow(dst, a, b, x) }

func betaincRow[T float](dst, a, b, x []T) {
	step := func(s []T) int {
		if len(s) < len(dst) {
			return 0
		}
		return 1
	}
	sa, sb, sx := step(a), step(b), step(x)
	for i := range dst {
		dst[i] = T(betainc(float64(a[i*sa]), float64(b[i*sb]), float64(x[i*sx])))
	}
}
