package panel

// Pack writes a matrix B[k,n] to dst as panels. B's element (i,j) is b[i*ldb+j], or b[j*ldb+i] if
// trans is set. dst has at least Len(k, n) floats and does not overlap b.
func Pack(dst, b []float32, k, n, ldb int, trans bool) {
	if k <= 0 || n <= 0 {
		return
	}
	dst = dst[:Len(k, n)]
	if trans {
		for j := 0; j < n; j += Width {
			w := min(Width, n-j)
			p := dst[j*k : (j+Width)*k]
			if w < Width {
				clear(p)
			}
			done := 0
			if s := b[j*ldb : (j+w-1)*ldb+k]; w == Width && ldb >= 0 {
				done = turnRows(p, s, ldb, k)
			}
			if done < k {
				Transpose(p[done*Width:], Width, b[j*ldb+done:], ldb, w, k-done)
			}
		}
		return
	}
	for j := 0; j < n; j += Width {
		w := min(Width, n-j)
		p := dst[j*k : (j+Width)*k]
		if s := b[j : (k-1)*ldb+j+w]; w == Width && ldb >= 0 && copyRows(p, s, ldb, k) {
			continue
		}
		for i := range k {
			d := p[i*Width:][:Width]
			clear(d[copy(d, b[i*ldb+j:][:w]):])
		}
	}
}

// PackFunc writes a matrix B[k,n] to dst as panels, like Pack. It calls at(i, j) to get the element
// B[i,j].
func PackFunc(dst []float32, k, n int, at func(i, j int) float32) {
	dst = dst[:Len(k, n)]
	for j := 0; j < n; j += Width {
		w := min(Width, n-j)
		p := dst[j*k : (j+Width)*k]
		for i := range k {
			d := p[i*Width:][:Width]
			for x := range d {
				d[x] = 0
				if x < w {
					d[x] = at(i, j+x)
				}
			}
		}
	}
}

// Transpose writes dst[j*ldd+i] = src[i*lds+j] for 0 <= i < rows, 0 <= j < cols.
func Transpose(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	if rows <= 0 || cols <= 0 {
		return
	}
	if len(src) < (rows-1)*lds+cols || len(dst) < (cols-1)*ldd+rows || lds < 0 || ldd < 0 {
		panic("panel: transpose out of range")
	}
	r8, c8 := 0, 0
	if r8, c8 = transposeSIMD(dst, ldd, src, lds, rows, cols); r8 > 0 && c8 < cols {
		transposeGo(dst[c8*ldd:], ldd, src[c8:], lds, r8, cols-c8)
	}
	if r8 < rows {
		transposeGo(dst[r8:], ldd, src[r8*lds:], lds, rows-r8, cols)
	}
}

func transposeGo(dst []float32, ldd int, src []float32, lds, rows, cols int) {
	for i := range rows {
		if cols <= 0 {
			return
		}
		for j, v := range src[i*lds : i*lds+cols] {
			dst[j*ldd+i] = v
		}
	}
}
