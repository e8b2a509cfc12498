package array

import "github.com/graphc/graphc/rt/tensor"

func turned[I int32 | int64](axes []I, rank, k int) (int, error) {
	on := 0
	for i, a := range axes {
		at, err := Axis(int(a), rank)
		if err != nil {
			return 0, err
		}
		for _, c := range axes[:i] {
			if int(c) == at || int(c)+rank == at {
				return 0, tensor.Errorf(tensor.InvalidArgument, "axis %d specified more than once", at)
			}
		}
		if at == k {
			on = 1
		}
	}
	return on, nil
}

// TurnedFlag returns 1 when dims[k] is set, else 0.
func TurnedFlag(dims []bool, k int) int {
	if dims[k] {
		return 1
	}
	return 0
}

// SequenceParams describes ReverseSequence of a tensor
// [Outer, Batch, Mid, Seq, Inner], or with Batch and Seq swapped.
type SequenceParams struct {
	Outer, Mid, Inner int
	Batch, Seq        int
	BatchFirst        bool
}

func reverseSequence[T any, I int32 | int64](dst, src []T, lens []I, p SequenceParams) error {
	for i, n := range lens {
		if n < 0 || int64(n) > int64(p.Seq) {
			return tensor.Errorf(tensor.InvalidArgument, "seq_lens(%d) = %d is not in [0, %d]", i, n, p.Seq)
		}
	}
	sb, ss := p.Inner, p.Batch*p.Mid*p.Inner
	sm := p.Batch * p.Inner
	if p.BatchFirst {
		sb, ss, sm = p.Mid*p.Seq*p.Inner, p.Inner, p.Seq*p.Inner
	}
	plane := p.Batch * p.Mid * p.Seq * p.Inner
	for o := range p.Outer {
		for b, n := range lens {
			for m := range p.Mid {
				at := o*plane + b*sb + m*sm
				for s := range p.Seq {
					from := s
					if s < int(n) {
						from = int(n) - 1 - s
					}
					copy(dst[at+s*ss:][:p.Inner], src[at+from*ss:][:p.Inner])
				}
			}
		}
	}
	return nil
}

func roll[T any](dst, src []T, dims, shift, axis []int) error {
	var by [MaxRank]int
	for i, a := range axis {
		k, err := Axis(a, len(dims))
		if err != nil {
			return err
		}
		if d := dims[k]; d > 0 {
			by[k] = (by[k] + shift[i]%d + d) % d
		}
	}
	inner := len(dst)
	if inner > 0 {
		rollAxes(dst, src, dims, by[:len(dims)])
	}
	return nil
}

func rollAxes[T any](dst, src []T, dims, by []int) {
	for len(dims) > 1 && by[0] == 0 && dims[0] == 1 {
		dims, by = dims[1:], by[1:]
	}
	whole := true
	for _, s := range by[1:] {
		whole = whole && s == 0
	}
	n := dims[0]
	inner := len(src) / n
	s := by[0]
	if whole {
		copy(dst[s*inner:], src[:(n-s)*inner])
		copy(dst[:s*inner], src[(n-s)*inner:])
		return
	}
	for i := range n {
		to := i + s
		if to >= n {
			to -= n
		}
		rollAxes(dst[to*inner:(to+1)*inner], src[i*inner:(i+1)*inner], dims[1:], by[1:])
	}
}
