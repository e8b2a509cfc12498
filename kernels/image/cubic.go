package image

import "math"

// cubicSteps is the number of steps per pixel to which positions are rounded before bicubic weights
// are computed.
const cubicSteps = 1 << 10

// cubicNear returns the value of the cubic convolution kernel at the distance i/cubicSteps. The
// function cubicFar returns the value at the distance 1+i/cubicSteps. In both functions, the argument
// a is the free coefficient of the kernel, such as -0.5.
func cubicNear(i int, a float64) float32 {
	x := float64(float32(i) / cubicSteps)
	return float32(float64((float64((a+2)*x)-(a+3))*x*x) + 1)
}

func cubicFar(i int, a float64) float32 {
	x := float64(float32(i)/cubicSteps + 1)
	return float32(float64((float64((float64(a*x)-5*a)*x)+8*a)*x) - 4*a)
}

// taps4 returns the four neighbours of output position x along one dimension, and their
// weights.
func (p *ResizeParams) taps4(x, size int, scale float32) (at [4]int, w [4]float32) {
	f := p.at(x, scale)
	i := int(math.Floor(float64(f)))
	off := int(math.RoundToEven(float64((f - float32(i)) * cubicSteps)))
	a := -0.75
	if p.HalfPixel {
		a = -0.5
	}
	w = [4]float32{cubicFar(off, a), cubicNear(off, a), cubicNear(cubicSteps-off, a), cubicFar(cubicSteps-off, a)}
	var sum float32
	for k := range at {
		want := i - 1 + k
		at[k] = min(max(want, 0), size-1)
		if p.HalfPixel && at[k] != want {
			w[k] = 0 // this pixel is outside the image; the other weights are scaled so that their sum is 1
		}
		sum += w[k]
	}
	if p.HalfPixel && math.Abs(float64(sum)) >= 1000*0x1p-126 {
		inv := 1 / sum
		for k := range w {
			w[k] *= inv
		}
	}
	return at, w
}

// BicubicColumns computes the arguments index and weight of Bicubic. Each has 4*OW elements, four for
// each output column. The elements of index are the positions of the four neighbours of the column in
// an input row, and the elements of weight are their weights.
func BicubicColumns(index []int32, weight []float32, p ResizeParams) {
	if p.empty() {
		return
	}
	sx := p.scale(p.W, p.OW)
	for x := range p.OW {
		at, w := p.taps4(x, p.W, sx)
		for k := range at {
			index[4*x+k], weight[4*x+k] = int32(at[k]*p.C), w[k]
		}
	}
}

// Bicubic resizes by cubic convolution with the parameter -0.5 if HalfPixel is set, else -0.75.
// Positions are rounded to 1/1024 of a pixel. Each output element is interpolated along columns
// first, then along the row. index and weight come from BicubicColumns.
func Bicubic(out, in []float32, index []int32, weight []float32, p ResizeParams) {
	if p.empty() {
		return
	}
	sy := p.scale(p.H, p.OH)
	row := p.W * p.C
	first, last := p.rows()
	for r := first; r < last; r++ {
		img := in[r/p.OH*p.H*row:][:p.H*row]
		at, w := p.taps4(r%p.OH, p.H, sy)
		r0, r1, r2, r3 := img[at[0]*row:][:row], img[at[1]*row:][:row], img[at[2]*row:][:row], img[at[3]*row:][:row]
		dst := out[(r-first)*p.OW*p.C:][:p.OW*p.C]
		for x := range p.OW {
			ix, wx := index[4*x:4*x+4], weight[4*x:4*x+4]
			for c := range p.C {
				var s float32
				for k, i := range ix {
					i := int(i) + c
					v := float32(r0[i]*w[0]) + float32(r1[i]*w[1]) + float32(r2[i]*w[2]) + float32(r3[i]*w[3])
					s += float32(v * wx[k])
				}
				dst[x*p.C+c] = s
			}
		}
	}
}
