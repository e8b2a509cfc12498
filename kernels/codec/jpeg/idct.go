package jpeg

// Constants of the accurate transforms, times 2^13.
const (
	k0_211, k0_298, k0_390, k0_509, k0_541 = 1730, 2446, 3196, 4176, 4433
	k0_601, k0_720, k0_765, k0_850, k0_899 = 4926, 5906, 6270, 6967, 7373
	k1_061, k1_175, k1_272, k1_451, k1_501 = 8697, 9633, 10426, 11893, 12299
	k1_847, k1_961, k2_053, k2_172, k2_562 = 15137, 16069, 16819, 17799, 20995
	k3_072, k3_624                         = 25172, 29692
)

// aan holds the factors, times 2^14, that scale the coefficients for the fast transform (Arai, Agui
// and Nakajima).
var aan = [64]int{
	16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520,
	22725, 31521, 29692, 26722, 22725, 17855, 12299, 6270,
	21407, 29692, 27969, 25172, 21407, 16819, 11585, 5906,
	19266, 26722, 25172, 22654, 19266, 15137, 10426, 5315,
	16384, 22725, 21407, 19266, 16384, 12873, 8867, 4520,
	12873, 17855, 16819, 15137, 12873, 10114, 6967, 3552,
	8867, 12299, 11585, 10426, 8867, 6967, 4799, 2446,
	4520, 6270, 5906, 5315, 4520, 3552, 2446, 1247,
}

func saturate16(v int32) int32 { return max(-32768, min(32767, v)) }

// sample converts a result of the transform to a sample: it clips v to [-128, 127] and adds 128.
func sample(v int32) uint8 { return uint8(max(-128, min(127, v)) + 128) }

// scales computes the factors by which the coefficients are multiplied before the inverse
// transform.
func (c *component) scales(accurate bool) {
	c.fast = c.size == 8 && !accurate
	if c.q == nil {
		c.mult = [64]int16{}
		return
	}
	for i, q := range c.q {
		c.mult[i] = int16(q)
		if c.fast {
			c.mult[i] = int16((int(q)*aan[i] + 1<<11) >> 12)
		}
	}
}

// transform writes the samples of a block to dst. The parameter stride is the distance between rows of
// dst.
func (c *component) transform(dst []uint8, stride int, block []int16) {
	block = block[:64]
	switch {
	case c.size == 1:
		dst[0] = sample((int32(block[0]*c.mult[0]) + 4) >> 3)
	case c.size == 2:
		c.idct2(dst, stride, block)
	case c.size == 4:
		c.idct4(dst, stride, block)
	case c.fast:
		c.idctFast(dst, stride, block)
	default:
		c.idct8(dst, stride, block)
	}
}

// times returns x·f/2^8, computed in 16 bits.
func times(x, f int16) int16 { return int16((int32(x<<2) * (int32(f) << 6)) >> 16) }

// fast8 applies the one-dimensional fast inverse transform to x, in 16 bits.
func fast8(x *[8]int16) {
	t10, t11 := x[0]+x[4], x[0]-x[4]
	t13 := x[2] + x[6]
	t12 := times(x[2]-x[6], 362) - t13
	t0, t3, t1, t2 := t10+t13, t10-t13, t11+t12, t11-t12
	z13, z10, z11, z12 := x[5]+x[3], x[5]-x[3], x[1]+x[7], x[1]-x[7]
	t7 := z11 + z13
	t11 = times(z11-z13, 362)
	z5 := times(z10+z12, 473)
	t10 = times(z12, 277) - z5
	t12 = times(z10, -413) - z10 + z5
	t6 := t12 - t7
	t5 := t11 - t6
	t4 := t10 + t5
	x[0], x[7], x[1], x[6] = t0+t7, t0-t7, t1+t6, t1-t6
	x[2], x[5], x[4], x[3] = t2+t5, t2-t5, t3+t4, t3-t4
}

func (c *component) idctFast(dst []uint8, stride int, block []int16) {
	var ws [64]int16
	var x [8]int16
	for i := range 8 {
		for k := range 8 {
			x[k] = block[8*k+i] * c.mult[8*k+i]
		}
		if x[1]|x[2]|x[3]|x[4]|x[5]|x[6]|x[7] == 0 {
			for k := range 8 {
				ws[8*k+i] = x[0]
			}
			continue
		}
		fast8(&x)
		for k := range 8 {
			ws[8*k+i] = x[k]
		}
	}
	for i := range 8 {
		x = [8]int16(ws[8*i:])
		fast8(&x)
		d := dst[i*stride:][:8]
		for k, v := range x {
			d[k] = sample(int32(v >> 5))
		}
	}
}

// slow8 applies the one-dimensional accurate inverse transform to x. The results are divided by 2^shift.
func slow8(x *[8]int32, shift int) {
	w := func(v int32) int32 { return int32(int16(v)) }
	half := int32(1) << (shift - 1)
	z1 := (x[2] + x[6]) * k0_541
	t2, t3 := z1-x[6]*k1_847, z1+x[2]*k0_765
	t0, t1 := w(x[0]+x[4])<<13, w(x[0]-x[4])<<13
	t10, t13, t11, t12 := t0+t3, t0-t3, t1+t2, t1-t2
	z3, z4 := w(x[7]+x[3]), w(x[5]+x[1])
	z5 := (z3 + z4) * k1_175
	z1, z2 := (x[7]+x[1])*-k0_899, (x[5]+x[3])*-k2_562
	z3, z4 = z3*-k1_961+z5, z4*-k0_390+z5
	t0, t1 = x[7]*k0_298+z1+z3, x[5]*k2_053+z2+z4
	t2, t3 = x[3]*k3_072+z2+z3, x[1]*k1_501+z1+z4
	x[0], x[7] = (t10+t3+half)>>shift, (t10-t3+half)>>shift
	x[1], x[6] = (t11+t2+half)>>shift, (t11-t2+half)>>shift
	x[2], x[5] = (t12+t1+half)>>shift, (t12-t1+half)>>shift
	x[3], x[4] = (t13+t0+half)>>shift, (t13-t0+half)>>shift
}

func (c *component) idct8(dst []uint8, stride int, block []int16) {
	var ws [64]int32
	var x [8]int32
	for i := range 8 {
		for k := range 8 {
			x[k] = int32(block[8*k+i] * c.mult[8*k+i])
		}
		if x[1]|x[2]|x[3]|x[4]|x[5]|x[6]|x[7] == 0 {
			for k := range 8 {
				ws[8*k+i] = int32(int16(x[0] << 2))
			}
			continue
		}
		slow8(&x, 11)
		for k := range 8 {
			ws[8*k+i] = saturate16(x[k])
		}
	}
	for i := range 8 {
		x = [8]int32(ws[8*i:])
		slow8(&x, 18)
		d := dst[i*stride:][:8]
		for k, v := range x {
			d[k] = sample(v)
		}
	}
}

// red4 applies the one-dimensional inverse transform for blocks of reduced size. It returns four results
// for eight coefficients, of which it ignores the fifth. The results are divided by 2^shift.
func red4(x *[8]int32, shift int) (a, b, c, d int32) {
	half := int32(1) << (shift - 1)
	t0 := x[0] << 14
	t2 := x[2]*k1_847 - x[6]*k0_765
	t10, t12 := t0+t2, t0-t2
	t0 = -x[7]*k0_211 + x[5]*k1_451 - x[3]*k2_172 + x[1]*k1_061
	t2 = -x[7]*k0_509 - x[5]*k0_601 + x[3]*k0_899 + x[1]*k2_562
	return (t10 + t2 + half) >> shift, (t12 + t0 + half) >> shift, (t12 - t0 + half) >> shift, (t10 - t2 + half) >> shift
}

// idct4 computes a block of 4 × 4 samples.
func (c *component) idct4(dst []uint8, stride int, block []int16) {
	var ws [4][8]int32
	var x [8]int32
	for i := range 8 {
		if i == 4 {
			continue
		}
		for k := range 8 {
			x[k] = int32(block[8*k+i] * c.mult[8*k+i])
		}
		a, b, e, f := red4(&x, 12)
		ws[0][i], ws[1][i], ws[2][i], ws[3][i] = saturate16(a), saturate16(b), saturate16(e), saturate16(f)
	}
	for i := range 4 {
		a, b, e, f := red4(&ws[i], 19)
		d := dst[i*stride:][:4]
		d[0], d[1], d[2], d[3] = sample(a), sample(b), sample(e), sample(f)
	}
}

func red2(x *[8]int32, shift int) (a, b int32) {
	half := int32(1) << (shift - 1)
	t10 := x[0] << 15
	t0 := -x[7]*k0_720 + x[5]*k0_850 - x[3]*k1_272 + x[1]*k3_624
	return (t10 + t0 + half) >> shift, (t10 - t0 + half) >> shift
}

// idct2 computes a block of 2 × 2 samples.
func (c *component) idct2(dst []uint8, stride int, block []int16) {
	var ws [2][8]int32
	var x [8]int32
	for _, i := range [5]int{0, 1, 3, 5, 7} {
		for k := range 8 {
			x[k] = int32(block[8*k+i] * c.mult[8*k+i])
		}
		a, b := red2(&x, 13)
		ws[0][i], ws[1][i] = saturate16(a), saturate16(b)
	}
	for i := range 2 {
		a, b := red2(&ws[i], 20)
		d := dst[i*stride:][:2]
		d[0], d[1] = sample(a), sample(b)
	}
}
