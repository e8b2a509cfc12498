package reduce

import "github.com/graphc/graphc/rt/tensor"

// SplitI32 says what becomes of dimension i of a shape when axes that a run
// tells are reduced: kept is its length, or 1 where it is reduced, reduced the
// other way round. InvalidArgument for an axis out of range or given twice.
func SplitI32(axes []int32, dims []int, i int) (kept, reduced int, err error) {
	return split(axes, dims, i)
}

// SplitI64 is SplitI32 for int64.
func SplitI64(axes []int64, dims []int, i int) (kept, reduced int, err error) {
	return split(axes, dims, i)
}

func split[I int32 | int64](axes []I, dims []int, i int) (kept, reduced int, err error) {
	drop, err := dropped(axes, len(dims))
	if err != nil {
		return 0, 0, err
	}
	if drop>>i&1 != 0 {
		return 1, dims[i], nil
	}
	return dims[i], 1, nil
}

// dropped returns the reduced dimensions as bits.
func dropped[I int32 | int64](axes []I, rank int) (uint64, error) {
	var drop uint64
	for _, a := range axes {
		k := int(a)
		if k < -rank || k >= rank {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Invalid reduction dimension (%d for input with %d dimension(s)", k, rank)
		}
		if k < 0 {
			k += rank
		}
		if drop>>k&1 != 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Invalid reduction arguments: Axes contains duplicate dimension: %d", k)
		}
		drop |= 1 << k
	}
	return drop, nil
}

// KeptI32 returns the length of the m-th dimension that is not reduced.
func KeptI32(axes []int32, dims []int, m int) (int, error) { return kept(axes, dims, m) }

// KeptI64 is KeptI32 for int64.
func KeptI64(axes []int64, dims []int, m int) (int, error) { return kept(axes, dims, m) }

func kept[I int32 | int64](axes []I, dims []int, m int) (int, error) {
	drop, err := dropped(axes, len(dims))
	if err != nil {
		return 0, err
	}
	for i, d := range dims {
		if drop>>i&1 != 0 {
			continue
		}
		if m == 0 {
			return d, nil
		}
		m--
	}
	return 0, tensor.Errorf(tensor.Internal, "fewer dimensions are left than the axes' number tells")
}

// AroundI32 splits a shape at an axis that a run tells: the elements before it,
// its length, the elements after it. InvalidArgument for an axis out of range.
func AroundI32(axis []int32, dims []int) (outer, n, inner int, err error) { return around(axis, dims) }

// AroundI64 is AroundI32 for int64.
func AroundI64(axis []int64, dims []int) (outer, n, inner int, err error) { return around(axis, dims) }

// AroundI16 is AroundI32 for int16.
func AroundI16(axis []int16, dims []int) (outer, n, inner int, err error) { return around(axis, dims) }

func around[I int16 | int32 | int64](axis []I, dims []int) (outer, n, inner int, err error) {
	if len(axis) != 1 {
		return 0, 0, 0, tensor.Errorf(tensor.InvalidArgument, "the axis must be one number, not %d", len(axis))
	}
	a := int(axis[0])
	if a < -len(dims) || a >= len(dims) {
		return 0, 0, 0, tensor.Errorf(tensor.InvalidArgument, "Expected axis in the range [%d, %d), but got %d", -len(dims), len(dims), a)
	}
	if a < 0 {
		a += len(dims)
	}
	outer, inner = 1, 1
	for _, d := range dims[:a] {
		outer *= d
	}
	for _, d := range dims[a+1:] {
		inner *= d
	}
	return outer, dims[a], inner, nil
}

// LeftI32 returns the length of dimension m of a shape without the axis.
func LeftI32(axis []int32, dims []int, m int) (int, error) { return left(axis, dims, m) }

// LeftI64 is LeftI32 for int64.
func LeftI64(axis []int64, dims []int, m int) (int, error) { return left(axis, dims, m) }

// LeftI16 is LeftI32 for int16.
func LeftI16(axis []int16, dims []int, m int) (int, error) { return left(axis, dims, m) }

func left[I int16 | int32 | int64](axis []I, dims []int, m int) (int, error) {
	if _, _, _, err := around(axis, dims); err != nil {
		return 0, err
	}
	a := int(axis[0])
	if a < 0 {
		a += len(dims)
	}
	if m >= a {
		m++
	}
	return dims[m], nil
}
