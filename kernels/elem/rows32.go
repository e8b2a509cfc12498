package elem

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/half"
	"github.com/graphc/graphc/kernels/internal/vmath"
)

// The row functions of this file use package vmath if the machine supports it, and else the generic
// row functions for the class of the element type.

func eluRow32(dst, src []float32) {
	if vmath.Elu(dst, src) {
		return
	}
	src = src[:len(dst)]
	for i, x := range src {
		if x < 0 {
			x = expm1Go(x)
		}
		dst[i] = x
	}
}

func seluRow32(dst, src []float32) {
	if vmath.Selu(dst, src) {
		return
	}
	var e [half.Chunk]float32
	src = src[:len(dst)]
	for i := 0; i < len(dst); i += half.Chunk {
		x := src[i:min(i+half.Chunk, len(src))]
		expm1Row32(e[:len(x)], x)
		for k, v := range x {
			if v < 0 {
				dst[i+k] = seluScaleAlpha * e[k]
			} else {
				dst[i+k] = seluScale * v
			}
		}
	}
}

func log1pRow32(dst, src []float32) {
	if !vmath.Log1p(dst, src) {
		log1pRowFloat(dst, src)
	}
}

func sqrtRow32(dst, src []float32) {
	if !vmath.Sqrt(dst, src) {
		sqrtRowFloat(dst, src)
	}
}

func rsqrtRow32(dst, src []float32) {
	if !vmath.Rsqrt(dst, src) {
		rsqrtRowFloat(dst, src)
	}
}

func reciprocalRow32(dst, src []float32) {
	if !vmath.Reciprocal(dst, src) {
		reciprocalRowFloat(dst, src)
	}
}

func floorRow32(dst, src []float32) {
	if !vmath.Floor(dst, src) {
		floorRowFloat(dst, src)
	}
}

func ceilRow32(dst, src []float32) {
	if !vmath.Ceil(dst, src) {
		ceilRowFloat(dst, src)
	}
}

func rintRow32(dst, src []float32) {
	if !vmath.Rint(dst, src) {
		rintRowFloat(dst, src)
	}
}

func negRow32(dst, src []float32) {
	if !vmath.Neg(dst, src) {
		negRowNumber(dst, src)
	}
}

func absRow32(dst, src []float32) {
	if !vmath.Abs(dst, src) {
		absRowFloat(dst, src)
	}
}

// truncRow32 sets dst to src rounded toward zero.
func truncRow32(dst, src []float32) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = float32(math.Trunc(float64(x)))
	}
}

func squareRow32(dst, src []float32) {
	if !vmath.Square(dst, src) {
		squareRowNumber(dst, src)
	}
}

func reluRow32(dst, src []float32) {
	if !vmath.Relu(dst, src) {
		reluRowRealT(dst, src)
	}
}

func relu6Row32(dst, src []float32) {
	if !vmath.Relu6(dst, src) {
		relu6RowRealT(dst, src)
	}
}

func leakyReluRow32(dst, src []float32, alpha float32) {
	if !vmath.LeakyRelu(dst, src, alpha) {
		leakyReluRowFloat(dst, src, alpha)
	}
}

func addRow32(dst, a, b []float32) {
	if !vmath.Add(dst, a, b) {
		addRowNumber(dst, a, b)
	}
}

func subRow32(dst, a, b []float32) {
	if !vmath.Sub(dst, a, b) {
		subRowNumber(dst, a, b)
	}
}

func mulRow32(dst, a, b []float32) {
	if !vmath.Mul(dst, a, b) {
		mulRowNumber(dst, a, b)
	}
}

func divRow32(dst, a, b []float32) {
	if !vmath.Div(dst, a, b) {
		divRowFlushed(dst, a, b)
	}
}

// divRowFlushed is the portable version of divRow32.
func divRowFlushed(dst, a, b []float32) {
	divRowNumber(dst, a, b)
	for i, q := range dst {
		dst[i] = flush(q)
	}
}

func maximumRow32(dst, a, b []float32) {
	if !vmath.Maximum(dst, a, b) {
		maximumRowRealT(dst, a, b)
	}
}

func minimumRow32(dst, a, b []float32) {
	if !vmath.Minimum(dst, a, b) {
		minimumRowRealT(dst, a, b)
	}
}

func preluRow32(dst, a, b []float32) {
	if vmath.Prelu(dst, a, b) {
		return
	}
	for i := range dst {
		x, y := a[0], b[0]
		if len(a) > 1 {
			x = a[i]
		}
		if len(b) > 1 {
			y = b[i]
		}
		dst[i] = max(x, 0) + float32(y*max(-x, 0))
	}
}

func gatedTanhRow32(dst, a, b []float32) {
	if vmath.GatedTanh(dst, a, b) {
		return
	}
	for i := range dst {
		x, y := a[0], b[0]
		if len(a) > 1 {
			x = a[i]
		}
		if len(b) > 1 {
			y = b[i]
		}
		dst[i] = float32(math.Tanh(float64(x)) / (1 + math.Exp(-float64(y))))
	}
}

func squaredDifferenceRow32(dst, a, b []float32) {
	if !vmath.SquaredDifference(dst, a, b) {
		squaredDifferenceRowRealT(dst, a, b)
	}
}

// trigLimit bounds |x| for package vmath's trigonometric functions. Elements beyond the limit are
// computed one by one by package math. The other elements still use package vmath, so that no
// result depends on the rest of the row.
const trigLimit = 1 << 31

func sinRow32(dst, src []float32) {
	src = src[:len(dst)]
	if vmath.Below(src, trigLimit) && vmath.Sin(dst, src) {
		return
	}
	var x [half.Chunk]float32
	for i := 0; i < len(dst); i += half.Chunk {
		n := copy(x[:], src[i:])
		d := dst[i : i+n]
		if !vmath.Sin(d, x[:n]) {
			sinRowFloat(d, x[:n])
			continue
		}
		for k, v := range x[:n] {
			if !(v < trigLimit && v > -trigLimit) {
				d[k] = float32(math.Sin(float64(v)))
			}
		}
	}
}

func cosRow32(dst, src []float32) {
	src = src[:len(dst)]
	if vmath.Below(src, trigLimit) && vmath.Cos(dst, src) {
		return
	}
	var x [half.Chunk]float32
	for i := 0; i < len(dst); i += half.Chunk {
		n := copy(x[:], src[i:])
		d := dst[i : i+n]
		if !vmath.Cos(d, x[:n]) {
			cosRowFloat(d, x[:n])
			continue
		}
		for k, v := range x[:n] {
			if !(v < trigLimit && v > -trigLimit) {
				d[k] = float32(math.Cos(float64(v)))
			}
		}
	}
}

func tanRow32(dst, src []float32) {
	src = src[:len(dst)]
	if vmath.Below(src, trigLimit) && vmath.Tan(dst, src) {
		return
	}
	var x [half.Chunk]float32
	for i := 0; i < len(dst); i += half.Chunk {
		n := copy(x[:], src[i:])
		d := dst[i : i+n]
		if !vmath.Tan(d, x[:n]) {
			tanRowFloat(d, x[:n])
			continue
		}
		for k, v := range x[:n] {
			if !(v < trigLimit && v > -trigLimit) {
				d[k] = float32(math.Tan(float64(v)))
			}
		}
	}
}

func softsignRow32(dst, src []float32) {
	if !vmath.Softsign(dst, src) {
		softsignRowFloat(dst, src)
	}
}

func signRow32(dst, src []float32) {
	if !vmath.Sign(dst, src) {
		signRowFloat(dst, src)
	}
}

func powRow32(dst, a, b []float32) {
	if !vmath.Pow(dst, a, b) {
		powRowFloat(dst, a, b)
	}
}

func divNoNanRow32(dst, a, b []float32) {
	if vmath.DivNoNan(dst, a, b) {
		return
	}
	if len(dst) == 0 {
		return
	}
	// dst may overlap an operand of one element, which is therefore read first.
	x, y := a[0], b[0]
	for i := range dst {
		if len(a) > 1 {
			x = a[i]
		}
		if len(b) > 1 {
			y = b[i]
		}
		dst[i] = divNoNan32(x, y)
	}
}

func erfcRow32(dst, src []float32) {
	if !vmath.Erfc(dst, src) {
		erfcRowFloat(dst, src)
	}
}

func atanRow32(dst, src []float32) {
	if !vmath.Atan(dst, src) {
		atanRowFloat(dst, src)
	}
}

func asinRow32(dst, src []float32) {
	if !vmath.Asin(dst, src) {
		asinRowFloat(dst, src)
	}
}

func acosRow32(dst, src []float32) {
	if !vmath.Acos(dst, src) {
		acosRowFloat(dst, src)
	}
}

func sinhRow32(dst, src []float32) {
	if !vmath.Sinh(dst, src) {
		sinhRowFloat(dst, src)
	}
}

func coshRow32(dst, src []float32) {
	if !vmath.Cosh(dst, src) {
		coshRowFloat(dst, src)
	}
}

func asinhRow32(dst, src []float32) {
	if !vmath.Asinh(dst, src) {
		asinhRowFloat(dst, src)
	}
}

func acoshRow32(dst, src []float32) {
	if !vmath.Acosh(dst, src) {
		acoshRowFloat(dst, src)
	}
}

func atanhRow32(dst, src []float32) {
	if !vmath.Atanh(dst, src) {
		atanhRowFloat(dst, src)
	}
}
