package elem

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
