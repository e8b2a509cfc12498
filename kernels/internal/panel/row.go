package panel

// MulRow computes the product of a row with an unpacked matrix:
//
//	c[j] = Σ_i a[i*step] * b[i*ldb+j], 0 <= i < k, 0 <= j < n
//
// Each sum is added up in the order of i. c overlaps neither a nor b.
func MulRow(c, a []float32, step int, b []float32, ldb, k, n int) {
	c = c[:max(n, 0)]
	clear(c)
	if n <= 0 || k <= 0 {
		return
	}
	if step < 0 || ldb < 0 || len(a) < (k-1)*step+1 || len(b) < (k-1)*ldb+n {
		panic("panel: row operand too short")
	}
	j := mulRowSIMD(c, a, step, b, ldb, k)
	if j == n {
		return
	}
	for i := range k {
		x := a[i*step]
		r := b[i*ldb : i*ldb+n]
		for j := j; j < n; j++ {
			c[j] += float32(x * r[j])
		}
	}
}

// Dots computes the product of a row with an unpacked transposed matrix:
//
//	c[j] = Σ_i a[i] * b[j*ldb+i], 0 <= i < k, 0 <= j < n
//
// Each sum is split into several partial sums. c overlaps neither a nor b.
func Dots(c, a, b []float32, ldb, k, n int) {
	c = c[:max(n, 0)]
	clear(c)
	if n <= 0 || k <= 0 {
		return
	}
	a = a[:k]
	if ldb < 0 || len(b) < (n-1)*ldb+k {
		panic("panel: row operand too short")
	}
	for j := dotsSIMD(c, a, b, ldb); j < n; j++ {
		r := b[j*ldb:][:k]
		var s [4]float32
		i := 0
		for ; i+4 <= k; i += 4 {
			s[0] += float32(a[i] * r[i])
			s[1] += float32(a[i+1] * r[i+1])
			s[2] += float32(a[i+2] * r[i+2])
			s[3] += float32(a[i+3] * r[i+3])
		}
		for ; i < k; i++ {
			s[0] += float32(a[i] * r[i])
		}
		c[j] = (s[0] + s[1]) + (s[2] + s[3])
	}
}
