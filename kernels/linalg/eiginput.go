package linalg

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// EigInputF32 returns InvalidArgument for self-adjoint matrices of two or more rows for which
// TensorFlow's iteration does not converge. These are the matrices that contain a NaN or an infinity.
// There are two exceptions: an infinity may be the first element of a matrix, or it may be on the
// diagonal of a matrix of two rows. In these cases, all eigenvalues are NaN. Only the lower triangles
// of the matrices a[Batch,M,M] are read.
func EigInputF32(a []float32, p Params) error {
	return eigInput(a, &p, func(x float32) (bool, bool) { return x != x, math.IsInf(float64(x), 0) })
}

// EigInputF64 is EigInputF32 for f64.
func EigInputF64(a []float64, p Params) error {
	return eigInput(a, &p, func(x float64) (bool, bool) { return x != x, math.IsInf(x, 0) })
}

// EigInputC64 is EigInputF32 for c64.
func EigInputC64(a []complex64, p Params) error {
	return eigInput(a, &p, func(x complex64) (bool, bool) {
		r, i := float64(real(x)), float64(imag(x))
		return r != r || i != i, math.IsInf(r, 0) || math.IsInf(i, 0)
	})
}

// EigInputC128 is EigInputF32 for c128.
func EigInputC128(a []complex128, p Params) error {
	return eigInput(a, &p, func(x complex128) (bool, bool) {
		r, i := real(x), imag(x)
		return r != r || i != i, math.IsInf(r, 0) || math.IsInf(i, 0)
	})
}

func eigInput[T any](a []T, p *Params, kind func(T) (nan, inf bool)) error {
	if p.M < 2 {
		return nil
	}
	for b := range p.Batch {
		for r := range p.M {
			for c := range r + 1 {
				if nan, inf := kind(a[(b*p.M+r)*p.M+c]); nan || inf && (r != c || r > 0 && p.M > 2) {
					return tensor.Errorf(tensor.InvalidArgument, "Self-adjoint eigen decomposition was not successful. The input might not be valid.")
				}
			}
		}
	}
	return nil
}
