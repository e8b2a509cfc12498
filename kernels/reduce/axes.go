package reduce

import "github.com/graphc/graphc/rt/tensor"

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

// dropped returns the reduced dimensions as a bit mask, in which bit k means dimension k.
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
	return 0, tensor.Errorf(tensor.Internal, "fewer dimensions are left than the number of axes requires")
}

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
