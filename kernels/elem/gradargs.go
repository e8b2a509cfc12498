package elem

import "github.com/graphc/graphc/rt/tensor"

func gradArgs[T int32 | int64](r0, r1, s0, s1 []T) (n0, n1 int, err error) {
	rank := max(len(s0), len(s1))
	at := func(s []T, i int) T {
		if i -= rank - len(s); i >= 0 {
			return s[i]
		}
		return 1
	}
	same := len(s0) == len(s1)
	for i := 0; same && i < rank; i++ {
		same = s0[i] == s1[i]
	}
	if same {
		return 0, 0, nil
	}
	for i := range rank {
		a, b := at(s0, i), at(s1, i)
		if a != b && a != 1 && b != 1 {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "Incompatible shapes: %v vs. %v", s0, s1)
		}
		if a == 1 {
			r0[n0] = T(i)
			n0++
		}
		if b == 1 {
			r1[n1] = T(i)
			n1++
		}
	}
	return n0, n1, nil
}
