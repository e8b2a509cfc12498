package gather

import "github.com/graphc/graphc/rt/tensor"

// ScatterParams describes a scatter of N slices of Inner elements to positions of a tensor's first
// axes. If Lenient is set, positions outside the tensor are skipped. If Scalar is set, updates has
// a single element, which is used for all positions. If Wrap is set, there is one axis, and
// positions are taken modulo its size.
type ScatterParams struct {
	N, Inner int
	Lenient  bool
	Scalar   bool
	Wrap     bool
}

type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128
}

type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

// scatter changes one slice of dst for each slice of updates. The slice's position in dst is given by
// indices, and its new elements are op(old, update).
func scatter[T any, I integer](dst, updates []T, indices []I, dims []int, p ScatterParams, op func(a, b T) T) error {
	depth := len(dims)
	for i := range max(p.N, 0) {
		ix := indices[i*depth : (i+1)*depth]
		at := place(ix, dims)
		if p.Wrap && dims[0] > 0 {
			n := int64(dims[0])
			at = int((int64(ix[0])%n + n) % n)
		}
		if at < 0 {
			if p.Lenient {
				continue
			}
			return outside(i, ix, dims)
		}
		row := dst[at*p.Inner:][:p.Inner]
		if p.Scalar {
			for j, v := range row {
				row[j] = op(v, updates[0])
			}
			continue
		}
		for j, v := range updates[i*p.Inner:][:p.Inner] {
			row[j] = op(row[j], v)
		}
	}
	return nil
}

// scatterInto copies src to dst, and scatters into dst. dst may be src.
func scatterInto[T any, I integer](dst, src, updates []T, indices []I, dims []int, p ScatterParams, op func(a, b T) T) error {
	copy(dst, src)
	return scatter(dst, updates, indices, dims, p, op)
}

// scatterNew sets dst to zeros, and scatters into dst.
func scatterNew[T any, I integer](dst, updates []T, indices []I, dims []int, p ScatterParams, op func(a, b T) T) error {
	clear(dst)
	return scatter(dst, updates, indices, dims, p, op)
}

func replace[T any](_, b T) T                  { return b }
func replaceF16(_, b tensor.F16) tensor.F16    { return b }
func replaceBF16(_, b tensor.BF16) tensor.BF16 { return b }

func add[T number](a, b T) T { return a + b }

func addF16(a, b tensor.F16) tensor.F16    { return tensor.ToF16(a.Float32() + b.Float32()) }
func addBF16(a, b tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() + b.Float32()) }
func addBool(a, b bool) bool               { return a || b }
func addStr(a, b string) string            { return a + b }

func sub[T number](a, b T) T { return a - b }

func subF16(a, b tensor.F16) tensor.F16    { return tensor.ToF16(a.Float32() - b.Float32()) }
func subBF16(a, b tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() - b.Float32()) }

func mul[T number](a, b T) T { return a * b }

func mulF16(a, b tensor.F16) tensor.F16    { return tensor.ToF16(a.Float32() * b.Float32()) }
func mulBF16(a, b tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() * b.Float32()) }

func quot[T number](a, b T) T { return a / b }

func quotF16(a, b tensor.F16) tensor.F16    { return tensor.ToF16(a.Float32() / b.Float32()) }
func quotBF16(a, b tensor.BF16) tensor.BF16 { return tensor.ToBF16(a.Float32() / b.Float32()) }

// scatterDiv does the same as scatterInto for an op that divides. It rejects a division of integers by
// zero.
func scatterDiv[T comparable, I integer](dst, src, updates []T, indices []I, dims []int, p ScatterParams, op func(a, b T) T) error {
	var zero T
	switch any(zero).(type) {
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		for _, v := range updates {
			if v == zero {
				return tensor.Errorf(tensor.InvalidArgument, "an integer is divided by zero")
			}
		}
	}
	return scatterInto(dst, src, updates, indices, dims, p, op)
}

type ordered interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func smaller[T ordered](a, b T) T {
	if b < a {
		return b
	}
	return a
}

func smallerHalf[T half](a, b T) T {
	if b.Float32() < a.Float32() {
		return b
	}
	return a
}

func smallerF16(a, b tensor.F16) tensor.F16    { return smallerHalf(a, b) }
func smallerBF16(a, b tensor.BF16) tensor.BF16 { return smallerHalf(a, b) }

func larger[T ordered](a, b T) T {
	if a < b {
		return b
	}
	return a
}

func largerHalf[T half](a, b T) T {
	if a.Float32() < b.Float32() {
		return b
	}
	return a
}

func largerF16(a, b tensor.F16) tensor.F16    { return largerHalf(a, b) }
func largerBF16(a, b tensor.BF16) tensor.BF16 { return largerHalf(a, b) }
