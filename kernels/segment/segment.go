// Package segment holds the kernels that combine the rows of a tensor that belong to the same
// segment.
package segment

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/finite"
	"github.com/graphc/graphc/rt/tensor"
)

type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128
}

type realNumber interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type half interface {
	tensor.F16 | tensor.BF16
	Float32() float32
}

type integer interface{ int32 | int64 }

// rows returns the number of segments, one more than the last id.
func rows[I integer](ids []I) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	last := ids[len(ids)-1]
	if last < 0 || int64(last) > math.MaxInt64/64 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "segment ids must be >= 0 and in range, not %d", last)
	}
	return int(last) + 1, nil
}

// sorted returns an error unless ids do not decrease and are in [0, n).
func sorted[I integer](ids []I, n int) error {
	prev := I(0)
	for i, id := range ids {
		if id < 0 || int64(id) >= int64(n) {
			return tensor.Errorf(tensor.InvalidArgument, "segment_ids[%d] = %d is out of range [0, %d), possibly because the ids are not sorted", i, id, n)
		}
		if id < prev {
			return tensor.Errorf(tensor.InvalidArgument, "segment ids are not increasing: %d after %d", id, prev)
		}
		prev = id
	}
	return nil
}

// fold combines the rows of each segment with the function op, and stores the results in dst.
// ids[i] is the segment of row i; the ids must be sorted. A row has inner elements. If a segment
// has no rows, all elements of its result are the parameter gap.
func fold[T any, I integer](dst, data []T, ids []I, n, inner int, gap T, op func(to, from []T)) error {
	if err := sorted(ids, n); err != nil {
		return err
	}
	set(dst, gap)
	prev := I(-1)
	for i, id := range ids {
		to, from := dst[int(id)*inner:][:inner], data[i*inner:][:inner]
		if id != prev {
			copy(to, from)
			prev = id
			continue
		}
		op(to, from)
	}
	return nil
}

// mean stores the mean of the rows of each segment in dst. ids[i] is the segment of row i; the ids
// must be sorted.
func mean[T any, I integer](dst, data []T, ids []I, n, inner int, op func(to, from []T), div func(a T, n int) T) error {
	var zero T
	if err := fold(dst, data, ids, n, inner, zero, op); err != nil {
		return err
	}
	for i := 0; i < len(ids); {
		j := i + 1
		for j < len(ids) && ids[j] == ids[i] {
			j++
		}
		if j-i > 1 {
			row := dst[int(ids[i])*inner:][:inner]
			for k, v := range row {
				row[k] = div(v, j-i)
			}
		}
		i = j
	}
	return nil
}

// scatter combines the rows of each segment with the function op, and stores the results in dst.
// ids[i] is the segment of row i, and the ids may be in any order. Rows with negative ids are
// ignored. All results have the value start before rows are combined with them.
func scatter[T any, I integer](dst, data []T, ids []I, n, inner int, start T, op func(to, from []T)) error {
	set(dst, start)
	for i, id := range ids {
		if int64(id) >= int64(n) {
			return tensor.Errorf(tensor.InvalidArgument, "segment_ids[%d] = %d is out of range [0, %d)", i, id, n)
		}
		if id < 0 {
			continue
		}
		op(dst[int(id)*inner:][:inner], data[i*inner:][:inner])
	}
	return nil
}

func set[T any](dst []T, v T) {
	for i := range dst {
		dst[i] = v
	}
}

// divReal divides a by n, the number of rows, which it converts to the type T. If T is too narrow,
// the converted number wraps around. If it is then 0, the result is 0.
func divReal[T realNumber](a T, n int) T {
	d := T(n)
	if d == 0 {
		return 0
	}
	return a / d
}

func divC64(a complex64, n int) complex64    { return a / complex(float32(n), 0) }
func divC128(a complex128, n int) complex128 { return a / complex(float64(n), 0) }

func divF16(a tensor.F16, n int) tensor.F16 {
	return tensor.ToF16(a.Float32() / tensor.ToF16(float32(n)).Float32())
}

func divBF16(a tensor.BF16, n int) tensor.BF16 {
	return tensor.ToBF16(a.Float32() / tensor.ToBF16(float32(n)).Float32())
}

// lowest returns the lowest finite number of T, which is the start value of a maximum. The function
// highest returns the highest finite number of T, the start value of a minimum.
func lowest[T realNumber]() T  { return finite.Lowest[T]() }
func highest[T realNumber]() T { return finite.Highest[T]() }

func lowestF16() tensor.F16    { return 0xfbff }
func highestF16() tensor.F16   { return 0x7bff }
func lowestBF16() tensor.BF16  { return 0xff7f }
func highestBF16() tensor.BF16 { return 0x7f7f }

func one[T number]() T      { return 1 }
func oneF16() tensor.F16    { return 0x3c00 }
func oneBF16() tensor.BF16  { return 0x3f80 }
func zero[T number]() T     { return 0 }
func zeroF16() tensor.F16   { return 0 }
func zeroBF16() tensor.BF16 { return 0 }
