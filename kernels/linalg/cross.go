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

// CrossF32 writes the cross products of n pairs of vectors of three elements. out may be a or b.
func CrossF32(out, a, b []float32, n int) { cross(out, a, b, n) }

// CrossF64 is CrossF32 for f64.
func CrossF64(out, a, b []float64, n int) { cross(out, a, b, n) }

// CrossI8 is CrossF32 for i8, wrapping around.
func CrossI8(out, a, b []int8, n int) { cross(out, a, b, n) }

// CrossI16 is CrossI8 for i16.
func CrossI16(out, a, b []int16, n int) { cross(out, a, b, n) }

// CrossI32 is CrossI8 for i32.
func CrossI32(out, a, b []int32, n int) { cross(out, a, b, n) }

// CrossI64 is CrossI8 for i64.
func CrossI64(out, a, b []int64, n int) { cross(out, a, b, n) }

// CrossU8 is CrossI8 for u8.
func CrossU8(out, a, b []uint8, n int) { cross(out, a, b, n) }

// CrossU16 is CrossI8 for u16.
func CrossU16(out, a, b []uint16, n int) { cross(out, a, b, n) }

// CrossU32 is CrossI8 for u32.
func CrossU32(out, a, b []uint32, n int) { cross(out, a, b, n) }

// CrossU64 is CrossI8 for u64.
func CrossU64(out, a, b []uint64, n int) { cross(out, a, b, n) }
