package gemm

// number is the set of element types that batchOf and product support.
type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// batchOf computes a batch of matrix products. The sums have the type Z, and integer sums wrap
// around.
func batchOf[X, Y, Z number](c []Z, a []X, b []Y, p *BatchParams) {
	p.dense()
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	for w := p.walk(); w.left > 0; w.next() {
		product(c[w.co:], p.Ldc, a[min(w.ao, len(a)):], am, ak, b[min(w.bo, len(b)):], bk, bn, p.M, p.N, max(p.K, 0))
	}
}

// product computes c[m,n] = Σ_k a[m*am+k*ak] * b[k*bk+n*bn], by tiles of 2 by 4.
func product[X, Y, Z number](c []Z, ldc int, a []X, am, ak int, b []Y, bk, bn, rows, cols, depth int) {
	m := 0
	for ; m+2 <= rows; m += 2 {
		c0, c1 := c[m*ldc:][:cols], c[(m+1)*ldc:][:cols]
		n := 0
		for ; n+4 <= cols; n += 4 {
			var s00, s01, s02, s03, s10, s11, s12, s13 Z
			i, j, o := m*am, (m+1)*am, n*bn
			for range depth {
				x, y := Z(a[i]), Z(a[j])
				w0, w1, w2, w3 := Z(b[o]), Z(b[o+bn]), Z(b[o+2*bn]), Z(b[o+3*bn])
				s00 += Z(x * w0)
				s01 += Z(x * w1)
				s02 += Z(x * w2)
				s03 += Z(x * w3)
				s10 += Z(y * w0)
				s11 += Z(y * w1)
				s12 += Z(y * w2)
				s13 += Z(y * w3)
				i, j, o = i+ak, j+ak, o+bk
			}
			c0[n], c0[n+1], c0[n+2], c0[n+3] = s00, s01, s02, s03
			c1[n], c1[n+1], c1[n+2], c1[n+3] = s10, s11, s12, s13
		}
		for ; n < cols; n++ {
			c0[n] = dot[X, Y, Z](a, m*am, ak, b, n*bn, bk, depth)
			c1[n] = dot[X, Y, Z](a, (m+1)*am, ak, b, n*bn, bk, depth)
		}
	}
	if m == rows {
		return
	}
	c0 := c[m*ldc:][:cols]
	n := 0
	for ; n+4 <= cols; n += 4 {
		var s0, s1, s2, s3 Z
		i, o := m*am, n*bn
		for range depth {
			x := Z(a[i])
			s0 += Z(x * Z(b[o]))
			s1 += Z(x * Z(b[o+bn]))
			s2 += Z(x * Z(b[o+2*bn]))
			s3 += Z(x * Z(b[o+3*bn]))
			i, o = i+ak, o+bk
		}
		c0[n], c0[n+1], c0[n+2], c0[n+3] = s0, s1, s2, s3
	}
	for ; n < cols; n++ {
		c0[n] = dot[X, Y, Z](a, m*am, ak, b, n*bn, bk, depth)
	}
}

func dot[X, Y, Z number](a []X, i, ak int, b []Y, o, bk, depth int) Z {
	var s Z
	for range depth {
		s += Z(Z(a[i]) * Z(b[o]))
		i, o = i+ak, o+bk
	}
	return s
}
