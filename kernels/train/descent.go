package train

import "github.com/graphc/graphc/rt/tensor"

type handles = []tensor.Handle

func gradientDescent[T any](k arith[T], v handles, lr, grad []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, nil, false, v)
	defer s.end()
	if err != nil {
		return err
	}
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, t := x[0], row(scratch, 0, len(g))
		k.mul(t, g, lr)
		k.sub(w, w, t)
	}
	return nil
}

func momentum[T any](k arith[T], v, a handles, lr, grad []T, indices []int64, sparse bool, mu []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, indices, sparse, v, a)
	defer s.end()
	if err != nil {
		return err
	}
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, t := x[0], x[1], row(scratch, 0, len(g))
		k.mul(a, a, mu)
		k.add(a, a, g)
		if p.Nesterov {
			u := row(scratch, 1, len(g))
			k.mul(u, a, mu)
			k.mul(u, u, lr)
			k.mul(t, g, lr)
			k.add(t, t, u)
		} else {
			k.mul(t, a, lr)
		}
		k.sub(w, w, t)
	}
	return nil
}

func kerasMomentum[T any](k arith[T], v, a handles, lr, grad []T, indices []int64, sparse bool, mu []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, indices, sparse, v, a)
	defer s.end()
	if err != nil {
		return err
	}
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, t := x[0], x[1], row(scratch, 0, len(g))
		k.mul(t, g, lr)
		k.mul(a, a, mu)
		k.sub(a, a, t)
		if p.Nesterov {
			u := row(scratch, 1, len(g))
			k.mul(u, a, mu)
			k.sub(u, u, t)
			k.add(w, w, u)
		} else {
			k.add(w, w, a)
		}
	}
	return nil
}

// signs sets t to sign(g)·sign(m).
func (k *arith[T]) signs(t, u, g, m []T) {
	k.sign(t, g)
	k.sign(u, m)
	k.mul(t, t, u)
}

// decay sets m to m·β + g(1-β). The caller passes 1-β as rest; t is scratch.
func (k *arith[T]) decay(m, beta, g, rest, t []T) {
	k.mul(t, g, rest)
	k.mul(m, m, beta)
	k.add(m, m, t)
}

// toward adds (g-m)·rest to m; t is scratch.
func (k *arith[T]) toward(m, g, rest, t []T) {
	k.sub(t, g, m)
	k.mul(t, t, rest)
	k.add(m, m, t)
}

func addSign[T any](k arith[T], v, m handles, lr, alpha, decay, beta, grad []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, nil, false, v, m)
	defer s.end()
	if err != nil {
		return err
	}
	rest := k.oneMinus(scratch, 0, beta)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, m, t := x[0], x[1], row(scratch, 0, len(g))
		k.decay(m, beta, g, rest, t)
		k.signs(t, row(scratch, 1, len(g)), g, m)
		k.mul(t, decay, t)
		k.add(t, alpha, t)
		k.mul(t, lr, t)
		k.mul(t, t, g)
		k.sub(w, w, t)
	}
	return nil
}

func powerSign[T any](k arith[T], v, m handles, lr, logbase, decay, beta, grad []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, nil, false, v, m)
	defer s.end()
	if err != nil {
		return err
	}
	rest, base := k.oneMinus(scratch, 0, beta), number(scratch, 1)
	k.mul(base, logbase, decay)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, m, t := x[0], x[1], row(scratch, 0, len(g))
		k.decay(m, beta, g, rest, t)
		k.signs(t, row(scratch, 1, len(g)), g, m)
		k.mul(t, base, t)
		k.exp(t, t)
		k.mul(t, lr, t)
		k.mul(t, t, g)
		k.sub(w, w, t)
	}
	return nil
}
