package image

import "math"

// Hue rotates the hue of n pixels by delta[0] full turns. Like TensorFlow's kernel, it keeps the
// values of the largest and the smallest channel, permutes them if needed, and computes only the
// middle one. dst may be src.
func Hue(dst, src, delta []float32, n int) {
	turn := float32(delta[0] * 6)
	for i := range n {
		d, s := dst[3*i:3*i+3], src[3*i:3*i+3]
		hue, low, high := hueOf(s[0], s[1], s[2])
		d[0], d[1], d[2] = ofHue(sixths(hue+turn), low, high)
	}
}

// hueOf returns the hue, from 0 to 6, and the lowest and the highest channel.
func hueOf(r, g, b float32) (hue, low, high float32) {
	var mid, from float32
	falls := false // whether the middle channel decreases while the hue increases
	switch {
	case r < g && b < r:
		low, mid, high, from, falls = b, r, g, 1, true
	case r < g && b > g:
		low, mid, high, from, falls = r, g, b, 3, true
	case r < g:
		low, mid, high, from = r, b, g, 2
	case b < g:
		low, mid, high, from = b, g, r, 0
	case b > r:
		low, mid, high, from = g, r, b, 4
	default:
		low, mid, high, from, falls = g, b, r, 5, true
	}
	if high == low {
		return 0, low, high
	}
	part := (mid - low) / (high - low)
	if falls {
		part = 1 - part
	}
	return from + part, low, high
}

// sixths reduces a hue modulo 6 to [0, 6). TensorFlow adds or subtracts 6 repeatedly, which is exact
// but may never end. math.Mod returns the same number and always ends.
func sixths(hue float32) float32 {
	if hue >= 0 && hue < 6 {
		return hue
	}
	if hue = float32(math.Mod(float64(hue), 6)); hue < 0 {
		if hue += 6; hue == 6 {
			hue = 0
		}
	}
	return hue
}

// ofHue is the inverse of hueOf.
func ofHue(hue, low, high float32) (r, g, b float32) {
	whole := float32(math.Trunc(float64(hue)))
	part := hue - whole
	if whole == 1 || whole == 3 || whole == 5 {
		part = 1 - part
	}
	mid := low + float32(part*(high-low))
	switch whole {
	case 0:
		return high, mid, low
	case 1:
		return mid, high, low
	case 2:
		return low, high, mid
	case 3:
		return low, mid, high
	case 4:
		return mid, low, high
	}
	return high, low, mid
}

// Saturation multiplies the saturation of n pixels by scale[0] and clamps the product to [0, 1]. dst
// may be src. The conversions are those of TensorFlow's kernel for this op. Their rounding differs
// from that of ToHSV and FromHSV.
func Saturation(dst, src, scale []float32, n int) {
	for i := range n {
		d, s := dst[3*i:3*i+3], src[3*i:3*i+3]
		hue, sat, v := saturationOf(s[0], s[1], s[2])
		sat = larger(0, sat*scale[0])
		if !(sat < 1) {
			sat = 1
		}
		d[0], d[1], d[2] = ofSaturation(hue, sat, v)
	}
}

// larger returns y if y is greater than x, and x otherwise, like std::max(x, y) in C++.
func larger(x, y float32) float32 {
	if x < y {
		return y
	}
	return x
}

// smaller returns y if y is less than x, and x otherwise, like std::min(x, y) in C++.
func smaller(x, y float32) float32 {
	if y < x {
		return y
	}
	return x
}

// saturationOf returns the hue and the saturation, which are scaled to the range from 0 to 1, and
// the value, which is the largest channel.
func saturationOf(r, g, b float32) (hue, sat, v float32) {
	v = larger(r, larger(g, b))
	span := v - smaller(r, smaller(g, b))
	if v > 0 {
		sat = span / v
	}
	k := 1 / float32(6*span)
	switch {
	case r == v:
		hue = k * (g - b)
	case g == v:
		hue = float32(float64(float32(k*(b-r))) + 2.0/6)
	default:
		hue = float32(float64(float32(k*(r-g))) + 4.0/6)
	}
	if span <= 0 {
		hue = 0
	}
	if hue < 0 {
		hue++
	}
	return hue, sat, v
}

// ofSaturation is the inverse of saturationOf.
func ofSaturation(hue, sat, v float32) (r, g, b float32) {
	chroma := float32(sat * v)
	low := v - chroma
	h := float32(hue * 6)
	part := float32(math.Mod(float64(h), 2))
	if part < 0 {
		if part += 2; part == 2 {
			part = 0
		}
	}
	x := float32(chroma * (1 - float32(math.Abs(float64(part-1)))))
	switch math.Trunc(float64(h)) {
	case 0:
		r, g = chroma, x
	case 1:
		r, g = x, chroma
	case 2:
		g, b = chroma, x
	case 3:
		g, b = x, chroma
	case 4:
		r, b = x, chroma
	case 5:
		r, b = chroma, x
	}
	return r + low, g + low, b + low
}
