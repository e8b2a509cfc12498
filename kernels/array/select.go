package array

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

func nonzero[T comparable](v T) bool {
	var zero T
	return v != zero
}

func nonzeroF16(v tensor.F16) bool { return v&0x7fff != 0 }

func nonzeroBF16(v tensor.BF16) bool { return v&0x7fff != 0 }

func where[T any](dst []int64, x []T, dims []int, set func(T) bool) int {
	var at [MaxRank]int64
	rank := len(dims)
	n := 0
	for _, v := range x {
		if set(v) {
			n += copy(dst[n:n+rank], at[:rank])
		}
		for k := rank - 1; k >= 0; k-- {
			if at[k]++; at[k] < int64(dims[k]) {
				break
			}
			at[k] = 0
		}
	}
	return n / max(rank, 1)
}

func oneHot[T any, I int32 | int64](dst []T, indices []I, on, off []T, depth, inner int) {
	fill(dst, off)
	if len(dst) == 0 {
		return
	}
	v := on[0]
	for o := 0; o < len(indices); o += inner {
		row := dst[o*depth:][:depth*inner]
		for i, x := range indices[o : o+inner] {
			if x >= 0 && int64(x) < int64(depth) {
				row[int(x)*inner+i] = v
			}
		}
	}
}

func invertPermutation[T int32 | int64](dst, x []T) error {
	for i := range dst {
		dst[i] = -1
	}
	for i, v := range x {
		if v < 0 || int64(v) >= int64(len(x)) {
			return tensor.Errorf(tensor.InvalidArgument, "%d is not between 0 and %d", v, len(x))
		}
		if dst[v] >= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "%d is duplicated in the input.", v)
		}
		dst[v] = T(i)
	}
	return nil
}

func unravelIndex[T int32 | int64](dst, indices, dims []T) error {
	if len(indices) == 0 || len(dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%d indices and %d dims: neither may be empty", len(indices), len(dims))
	}
	total := int64(1)
	for _, d := range dims {
		if d <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Input dims cannot contain a dim of zero or less: %d", d)
		}
		if total > math.MaxInt64/int64(d) {
			return tensor.Errorf(tensor.InvalidArgument, "dims are too large")
		}
		total *= int64(d)
	}
	n := len(indices)
	for i, x := range indices {
		if x < 0 || int64(x) >= total {
			return tensor.Errorf(tensor.InvalidArgument, "index is out of bound as with dims: %d", x)
		}
		for k := len(dims) - 1; k >= 0; k-- {
			dst[k*n+i] = x % dims[k]
			x /= dims[k]
		}
	}
	return nil
}

func dimMap[T int32 | int64](dst, x []T, m []int) error {
	for i, v := range x {
		if v < T(-len(m)) || v >= T(len(m)) {
			return tensor.Errorf(tensor.InvalidArgument, "axis %d is out of range for rank %d", v, len(m))
		}
		if v < 0 {
			v += T(len(m))
		}
		dst[i] = T(m[v])
	}
	return nil
}

// PermutedRows returns InvalidArgument unless the first argument, a number of rows, equals the second or
// the third argument.
func PermutedRows(rows, all, space int) error {
	if rows != all && rows != space {
		return tensor.Errorf(tensor.InvalidArgument, "input must have %d or %d rows, not %d", all, space, rows)
	}
	return nil
}

func permuteRows[T int32 | int64](dst, x []T, all, space []int, rows int) error {
	perm := all
	if rows == len(space) {
		perm = space
	}
	if err := PermutedRows(rows, len(all), len(space)); err != nil {
		return err
	}
	cols := len(x) / rows
	for i, p := range perm {
		copy(dst[i*cols:(i+1)*cols], x[p*cols:(p+1)*cols])
	}
	return nil
}
