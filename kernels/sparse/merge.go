package sparse

import (
	"math/cmplx"

	"github.com/graphc/graphc/rt/tensor"
)

// Union merges the rows of two sorted matrices a and b and returns the number of distinct rows. The
// matrices have na and nb rows of rank columns. Union sets fromA[i] to the number of the row of
// matrix a that equals row i of the union, or to -1 if there is no such row. It sets fromB[i] in the
// same way for matrix b. The slices fromA and fromB must have na+nb elements.
func Union(fromA, fromB, a, b []int64, na, nb, rank int) int {
	i, j, n := 0, 0, 0
	for ; i < na || j < nb; n++ {
		c := -1
		if i == na {
			c = 1
		} else if j < nb {
			c = compare(row(a, i, rank), row(b, j, rank))
		}
		fromA[n], fromB[n] = -1, -1
		if c <= 0 {
			fromA[n] = int64(i)
			i++
		}
		if c >= 0 {
			fromB[n] = int64(j)
			j++
		}
	}
	return n
}

// UnionRows sets the rows of out to those of a and b that Union found. A row has rank columns.
func UnionRows(out, fromA, fromB, a, b []int64, rank int) {
	if rank == 0 {
		return
	}
	for i, k := range fromA {
		if k >= 0 {
			copy(out[i*rank:(i+1)*rank], a[int(k)*rank:])
		} else {
			copy(out[i*rank:(i+1)*rank], b[int(fromB[i])*rank:])
		}
	}
}

// number is an element type that Go's operator + adds as numbers.
type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | complex64 | complex128
}

// addUnion is Union, except that it leaves out a row that is in both inputs if the sum of its two
// values is below thresh in magnitude.
func addUnion[T number, R float32 | float64 | int8 | int16 | int32 | int64](fromA, fromB, a, b []int64, x, y []T, thresh R, abs func(T) R, rank int) int {
	all := Union(fromA, fromB, a, b, len(x), len(y), rank)
	n := 0
	for i := range all {
		if fromA[i] >= 0 && fromB[i] >= 0 && !(thresh <= abs(x[fromA[i]]+y[fromB[i]])) {
			continue
		}
		fromA[n], fromB[n] = fromA[i], fromB[i]
		n++
	}
	return n
}

func addValues[T number](dst, x, y []T, fromA, fromB []int64) {
	for i := range dst {
		switch p, q := fromA[i], fromB[i]; {
		case q < 0:
			dst[i] = x[p]
		case p < 0:
			dst[i] = y[q]
		default:
			dst[i] = x[p] + y[q]
		}
	}
}

func absOf[T float32 | float64 | int8 | int16 | int32 | int64](v T) T {
	if v < 0 {
		return -v
	}
	return v
}

// AddGrad finds the gradients of the values of two sparse tensors in the gradient of their sum. The
// matrices a and b hold the indices of the two tensors, and a third matrix with n rows (sum) holds
// those of their sum. AddGrad sets atA[i] to the number of the row of the third matrix that equals
// row i of matrix a, or to -1 if there is no such row. It sets atB in the same way for matrix b. The
// rows of all three matrices are sorted and have rank columns.
func AddGrad(atA, atB, a, b, sum []int64, n, rank int) {
	match(atA, a, sum, n, rank)
	match(atB, b, sum, n, rank)
}

// match sets at[i] to the number of the row of sum that equals row i of x, or to -1. It walks x and
// sum in parallel, and matches each row of sum at most once.
func match(at, x, sum []int64, n, rank int) {
	k := 0
	for i := range at {
		at[i] = -1
		for k < n {
			c := compare(row(x, i, rank), row(sum, k, rank))
			if c < 0 {
				break
			}
			k++
			if c == 0 {
				at[i] = int64(k - 1)
				break
			}
		}
	}
}

// SliceGrad finds the gradients of the values of a sparse tensor in the gradient of a slice of the
// tensor. If row i of the tensor's indices (in) equals row k of the slice's n indices (out) plus
// start, SliceGrad sets at[i] to k. If there is no such row k, it sets at[i] to -1. SliceGrad
// returns Internal unless every index of the slice, plus start, occurs in the tensor's indices, in
// the same order.
func SliceGrad(at, in, out, start []int64, n, rank int) error {
	if len(start) < rank {
		return tensor.Errorf(tensor.InvalidArgument, "start has %d elements for a rank of %d", len(start), rank)
	}
	k := 0
	for i := range at {
		at[i] = -1
		if k == n {
			continue
		}
		same := true
		for d, v := range row(in, i, rank) {
			same = same && v == out[k*rank+d]+start[d]
		}
		if same {
			at[i] = int64(k)
			k++
		}
	}
	if k != n {
		return tensor.Errorf(tensor.Internal, "%d of the %d rows of output_indices do not occur in input_indices in this order", n-k, n)
	}
	return nil
}

func abs64(v complex64) float32 { return float32(cmplx.Abs(complex128(v))) }

func abs128(v complex128) float64 { return cmplx.Abs(v) }
