package elem

import "github.com/graphc/graphc/kernels/internal/vmath"

// The functions of this file process all rows of a broadcast's inner two dimensions in one
// call: with package vmath if the machine supports it, else row by row.

// eachRow calls f for every row.
func eachRow(dst, a, b []float32, r vmath.Rows, f func(dst, a, b []float32)) {
	na, nb := r.N, r.N
	if r.OneA {
		na = 1
	}
	if r.OneB {
		nb = 1
	}
	for i := range r.Count {
		f(dst[i*r.N:][:r.N], a[i*r.StepA:][:na], b[i*r.StepB:][:nb])
	}
}

func addPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.AddRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.AddRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.AddRows(dst, a, b, r) {
		eachRow(dst, a, b, r, addRow32)
	}
}

func subPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.SubRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.SubRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.SubRows(dst, a, b, r) {
		eachRow(dst, a, b, r, subRow32)
	}
}

func mulPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.MulRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.MulRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.MulRows(dst, a, b, r) {
		eachRow(dst, a, b, r, mulRow32)
	}
}

func divPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.DivRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.DivRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.DivRows(dst, a, b, r) {
		eachRow(dst, a, b, r, divRow32)
	}
}

func maximumPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.MaximumRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.MaximumRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.MaximumRows(dst, a, b, r) {
		eachRow(dst, a, b, r, maximumRow32)
	}
}

func minimumPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.MinimumRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.MinimumRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.MinimumRows(dst, a, b, r) {
		eachRow(dst, a, b, r, minimumRow32)
	}
}

func preluPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.PreluRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.PreluRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.PreluRows(dst, a, b, r) {
		eachRow(dst, a, b, r, preluRow32)
	}
}

func gatedTanhPlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.GatedTanhRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.GatedTanhRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.GatedTanhRows(dst, a, b, r) {
		eachRow(dst, a, b, r, gatedTanhRow32)
	}
}

func squaredDifferencePlane32(dst, a, b []float32, r vmath.Rows) {
	if r.Narrow() {
		var t vmath.Tile
		x, y, long, left := r.Widen(&t, a, b)
		if vmath.SquaredDifferenceRows(dst, x, y, long) {
			done := long.Count * long.N
			vmath.SquaredDifferenceRows(dst[done:], x[long.Count*long.StepA:], y[long.Count*long.StepB:], left)
			return
		}
	}
	if !vmath.SquaredDifferenceRows(dst, a, b, r) {
		eachRow(dst, a, b, r, squaredDifferenceRow32)
	}
}
