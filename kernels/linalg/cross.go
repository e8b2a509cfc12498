package linalg

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

func cross[T number](out, a, b []T, n int) {
	for i := range n {
		u, v, w := a[3*i:3*i+3], b[3*i:3*i+3], out[3*i:3*i+3]
		x := T(u[1]*v[2]) - T(u[2]*v[1])
		y := T(u[2]*v[0]) - T(u[0]*v[2])
		z := T(u[0]*v[1]) - T(u[1]*v[0])
		w[0], w[1], w[2] = x, y, z
	}
}
