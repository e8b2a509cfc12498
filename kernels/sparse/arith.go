package sparse

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// half lists the types whose arithmetic is done in float32, with each result rounded back.
type half interface{ tensor.F16 | tensor.BF16 }

// addAt adds values[i] to dst[at[i]] for each i in order.
func addAt[T number](dst, values []T, at []int64) {
	for i, k := range at {
		dst[k] += values[i]
	}
}

func addAtHalf[T half](dst, values []T, at []int64, wide func(T) float32, narrow func(float32) T) {
	for i, k := range at {
		dst[k] = narrow(wide(dst[k]) + wide(values[i]))
	}
}

// GroupParams says where a kernel stores the results of groups: the result of group g is stored at
// position At[g] of dst. If At is nil, it is stored at position g.
type GroupParams struct{ At []int64 }

// sumGroups adds up the values of each group g. These are the values whose positions are in
// order[starts[g]:starts[g+1]]. sumGroups stores the sum in dst[at[g]], or in dst[g] if len(at) is 0.
func sumGroups[T number](dst, values []T, order, starts, at []int64) {
	for g := range len(starts) - 1 {
		var sum T
		for _, k := range order[starts[g]:starts[g+1]] {
			sum += values[k]
		}
		dst[place(at, g)] = sum
	}
}

func sumGroupsHalf[T half](dst, values []T, order, starts, at []int64, wide func(T) float32, narrow func(float32) T) {
	for g := range len(starts) - 1 {
		sum := narrow(0)
		for _, k := range order[starts[g]:starts[g+1]] {
			sum = narrow(wide(sum) + wide(values[k]))
		}
		dst[place(at, g)] = sum
	}
}

func place(at []int64, g int) int64 {
	if len(at) == 0 {
		return int64(g)
	}
	return at[g]
}

// maxGroups stores the largest value of each group, in the same place as sumGroups stores the sum.
// Any value after a NaN replaces the NaN. The result is therefore NaN only if the last value of the
// group is NaN.
func maxGroups[T any](dst, values []T, order, starts, at []int64, less func(x, y T) bool) {
	most(dst, values, order, starts, at, less)
}

func maxGroupsHalf[T half](dst, values []T, order, starts, at []int64, wide func(T) float32, _ func(float32) T) {
	most(dst, values, order, starts, at, func(x, y T) bool { return wide(x) < wide(y) })
}

func most[T any](dst, values []T, order, starts, at []int64, less func(x, y T) bool) {
	for g := range len(starts) - 1 {
		group := order[starts[g]:starts[g+1]]
		m := values[group[0]]
		for _, k := range group[1:] {
			if v := values[k]; !less(v, m) {
				m = v
			}
		}
		dst[place(at, g)] = m
	}
}

func less[T float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](x, y T) bool {
	return x < y
}

// softmax computes exp(v−max)/Σ exp(v−max) for each value v of each group. Element i of dst gets
// the result for the value at position order[i].
func softmax[T float32 | float64](dst, values []T, order, starts []int64) {
	for g := range len(starts) - 1 {
		from, to := starts[g], starts[g+1]
		m := values[order[from]]
		for _, k := range order[from:to] {
			if v := values[k]; !(v < m) {
				m = v
			}
		}
		var sum T
		for i, k := range order[from:to] {
			e := T(math.Exp(float64(values[k] - m)))
			dst[from+int64(i)] = e
			sum += e
		}
		scale := 1 / sum
		for i := from; i < to; i++ {
			dst[i] *= scale
		}
	}
}

// SoftmaxF16 is SoftmaxF32 for f16, rounded after each step.
func SoftmaxF16(dst, values []tensor.F16, order, starts []int64) {
	for g := range len(starts) - 1 {
		from, to := starts[g], starts[g+1]
		m := values[order[from]].Float32()
		for _, k := range order[from:to] {
			if v := values[k].Float32(); !(v < m) {
				m = v
			}
		}
		sum := tensor.F16(0)
		for i, k := range order[from:to] {
			e := tensor.ToF16(float32(math.Exp(float64(tensor.ToF16(values[k].Float32() - m).Float32()))))
			dst[from+int64(i)] = e
			sum = tensor.ToF16(sum.Float32() + e.Float32())
		}
		scale := tensor.ToF16(1 / sum.Float32()).Float32()
		for i := from; i < to; i++ {
			dst[i] = tensor.ToF16(dst[i].Float32() * scale)
		}
	}
}
