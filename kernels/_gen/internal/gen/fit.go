package gen

import "math"

// Fit returns the coefficients of the polynomial of the given degree that agrees with f
// at the Chebyshev nodes of [lo, hi], lowest power first.
func Fit(degree int, lo, hi float64, f func(float64) float64) []float64 {
	n := degree + 1
	a := make([][]float64, n) // the equations Σ c[j]·x^j = f(x)
	for i := range a {
		x := (lo+hi)/2 + (hi-lo)/2*math.Cos(math.Pi*(float64(i)+0.5)/float64(n))
		for j := range n {
			a[i] = append(a[i], math.Pow(x, float64(j)))
		}
		a[i] = append(a[i], f(x))
	}
	for i := range n {
		p := i
		for k := i; k < n; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[p][i]) {
				p = k
			}
		}
		a[i], a[p] = a[p], a[i]
		for k := range n {
			if k == i {
				continue
			}
			q := a[k][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[k][j] -= q * a[i][j]
			}
		}
	}
	c := make([]float64, n)
	for i := range c {
		c[i] = a[i][n] / a[i][i]
	}
	return c
}

// Growth returns (e^r - 1 - r)/r².
func Growth(r float64) float64 {
	if math.Abs(r) < 1e-3 {
		return 0.5 + r/6 + r*r/24 + r*r*r/120
	}
	return (math.Expm1(r) - r) / (r * r)
}
