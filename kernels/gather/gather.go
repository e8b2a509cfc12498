// Package gather holds the kernels that read and write slices of a tensor at the positions in index
// tensors.
package gather

import "github.com/graphc/graphc/rt/tensor"

// Params are the sizes of a gather: params[Batch, Outer, Limit, Inner], indices[Batch, N],
// result[Batch, Outer, N, Inner].
type Params struct {
	Batch, Outer, Limit, N, Inner int
}

// integer is an index type.
type integer interface{ int32 | int64 }

func gather[T any, I integer](dst, params []T, indices []I, p Params) error {
	if p.Batch <= 0 || p.N <= 0 {
		return nil
	}
	for i, x := range indices[:p.Batch*p.N] {
		if x < 0 || int64(x) >= int64(p.Limit) {
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is not in [0, %d)", i, x, p.Limit)
		}
	}
	if p.Outer <= 0 || p.Inner <= 0 {
		return nil
	}
	plane := p.Limit * p.Inner
	for b := range p.Batch {
		ix := indices[b*p.N:][:p.N]
		for range p.Outer {
			from := params[:plane]
			params = params[plane:]
			to := dst[:p.N*p.Inner]
			dst = dst[p.N*p.Inner:]
			switch p.Inner {
			case 1:
				for i, x := range ix {
					to[i] = from[x]
				}
			default:
				for i, x := range ix {
					copy(to[i*p.Inner:(i+1)*p.Inner], from[int(x)*p.Inner:(int(x)+1)*p.Inner])
				}
			}
		}
	}
	return nil
}

// Row returns InvalidArgument unless the index indices[0] is in [0, n).
func Row(indices []int32, n int) error {
	if x := indices[0]; x < 0 || int(x) >= n {
		return tensor.Errorf(tensor.InvalidArgument, "the index %d is not in [0, %d)", x, n)
	}
	return nil
}
