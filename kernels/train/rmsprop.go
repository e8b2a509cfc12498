package train

// rmsProp computes RMSProp and CenteredRMSProp. As in TensorFlow, gradients of rows are
// rounded differently from those of the whole variable: s·ρ + g²(1-ρ) instead of
// s + (g²-s)(1-ρ).
func rmsProp[T any](k arith[T], v, ms, mom handles, lr, rho, mu, epsilon, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, indices, sparse, v, ms, mom)
	defer s.end()
	if err != nil {
		return err
	}
	rest := k.oneMinus(scratch, 0, rho)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, ms, mom := x[0], x[1], x[2]
		t, u := row(scratch, 0, len(g)), row(scratch, 1, len(g))
		k.square(u, g)
		if sparse {
			k.decay(ms, rho, u, rest, t)
		} else {
			k.toward(ms, u, rest, t)
		}
		k.add(u, ms, epsilon)
		k.scaled(t, u, g, lr, sparse)
		k.mul(mom, mom, mu)
		k.add(mom, mom, t)
		k.sub(w, w, mom)
	}
	return nil
}

// scaled sets t to g·lr/√d. For gradients of rows, it computes this as (1/√d)·lr·g, which rounds
// differently. It overwrites d.
func (k *arith[T]) scaled(t, d, g, lr []T, sparse bool) {
	if sparse {
		k.rsqrt(d, d)
		k.mul(d, d, lr)
		k.mul(t, d, g)
		return
	}
	k.sqrt(d, d)
	k.mul(t, g, lr)
	k.div(t, t, d)
}

func centeredRMSProp[T any](k arith[T], v, mg, ms, mom handles, lr, rho, mu, epsilon, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, indices, sparse, v, mg, ms, mom)
	defer s.end()
	if err != nil {
		return err
	}
	rest := k.oneMinus(scratch, 0, rho)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, mg, ms, mom := x[0], x[1], x[2], x[3]
		t, u := row(scratch, 0, len(g)), row(scratch, 1, len(g))
		k.square(u, g)
		if sparse {
			k.decay(ms, rho, u, rest, t)
			k.decay(mg, rho, g, rest, t)
			k.square(t, mg)
			k.add(u, ms, epsilon)
			k.sub(u, u, t)
		} else {
			k.toward(ms, u, rest, t)
			k.toward(mg, g, rest, t)
			k.square(t, mg)
			k.sub(u, ms, t)
			k.add(u, u, epsilon)
		}
		k.scaled(t, u, g, lr, sparse)
		k.mul(mom, mom, mu)
		k.add(mom, mom, t)
		k.sub(w, w, mom)
	}
	return nil
}
