package train

import "github.com/graphc/graphc/rt/tensor"

// addSquare adds g² to a.
func (k *arith[T]) addSquare(a, g, t []T) {
	k.square(t, g)
	k.add(a, a, t)
}

func adagrad[T any](k arith[T], v, a handles, lr, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	s := step[T]{full: true}
	err := s.begin(grad, shape, indices, sparse, v, a)
	defer s.end()
	if err != nil {
		return err
	}
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, t, u := x[0], x[1], row(scratch, 0, len(g)), row(scratch, 1, len(g))
		if p.Slots {
			k.addSquare(a, g, t)
		}
		k.mul(t, g, lr)
		k.rsqrt(u, a)
		k.mul(t, t, u)
		k.sub(w, w, t)
	}
	return nil
}

func adagradV2[T any](k arith[T], v, a handles, lr, epsilon, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	s := step[T]{full: true}
	err := s.begin(grad, shape, indices, sparse, v, a)
	defer s.end()
	if err != nil {
		return err
	}
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, t, u := x[0], x[1], row(scratch, 0, len(g)), row(scratch, 1, len(g))
		if p.Slots {
			k.addSquare(a, g, t)
		}
		k.mul(t, g, lr)
		k.sqrt(u, a)
		k.add(u, u, epsilon)
		k.div(t, t, u)
		k.sub(w, w, t)
	}
	return nil
}

func adagradDA[T any](k arith[T], v, a, q handles, grad []T, indices []int64, sparse bool, lr, l1, l2 []T, globalStep []int64, shape []int, scratch []T, p Params) error {
	s := step[T]{full: true}
	err := s.begin(grad, shape, indices, sparse, v, a, q)
	defer s.end()
	if err != nil {
		return err
	}
	count := k.set(scratch, 4, float32(globalStep[0]))
	limit, ridge, minus, zero := number(scratch, 0), k.set(scratch, 1, float32(globalStep[0])), k.set(scratch, 2, -1), k.set(scratch, 3, 0)
	// For rows of several elements, TensorFlow divides both the numerator and the denominator by
	// the global step.
	quotient := sparse && s.inner > 1
	if quotient {
		k.mul(ridge, ridge, lr)
		for x, g, ok := s.next(); ok; x, g, ok = s.next() {
			w, a, q := x[0], x[1], x[2]
			t, u := row(scratch, 0, len(g)), row(scratch, 1, len(g))
			k.add(a, a, g)
			k.addSquare(q, g, t)
			k.sqrt(w, q)
			k.div(w, w, ridge)
			k.add(w, l2, w)
			k.abs(t, a)
			k.div(t, t, count)
			if k.num(l1[0]) > 0 {
				k.sub(t, t, l1)
				k.max(t, t, zero)
			}
			k.sign(u, a)
			k.mul(u, minus, u)
			k.mul(t, u, t)
			k.div(w, t, w)
		}
		return nil
	}
	k.mul(limit, count, l1)
	k.mul(ridge, ridge, lr)
	k.mul(ridge, l2, ridge)
	k.mul(minus, lr, minus)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, q := x[0], x[1], x[2]
		t, u := row(scratch, 0, len(g)), row(scratch, 1, len(g))
		k.add(a, a, g)
		k.addSquare(q, g, t)
		if k.num(l1[0]) > 0 {
			k.shrink(t, u, a, limit, zero)
			k.mul(t, minus, t)
		} else {
			k.mul(t, minus, a)
		}
		k.sqrt(u, q)
		k.add(u, ridge, u)
		k.div(w, t, u)
	}
	return nil
}

func adadelta[T any](k arith[T], v, a, d handles, lr, rho, epsilon, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, indices, sparse, v, a, d)
	defer s.end()
	if err != nil {
		return err
	}
	rest := k.oneMinus(scratch, 0, rho)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, d := x[0], x[1], x[2]
		t, u := row(scratch, 0, len(g)), row(scratch, 1, len(g))
		k.square(u, g)
		k.decay(a, rho, u, rest, t)
		k.add(t, d, epsilon)
		k.sqrt(t, t)
		k.add(u, a, epsilon)
		k.rsqrt(u, u)
		k.mul(u, t, u)
		k.mul(u, u, g)
		k.mul(t, u, lr)
		k.sub(w, w, t)
		k.square(u, u)
		k.decay(d, rho, u, rest, t)
	}
	return nil
}

// shrink sets t to sign(w)·max(|w|-limit, 0); u is scratch and zero is 0.
func (k *arith[T]) shrink(t, u, w, limit, zero []T) {
	k.abs(t, w)
	k.sub(t, t, limit)
	k.max(t, t, zero)
	k.sign(u, w)
	k.mul(t, u, t)
}

func proximalGradientDescent[T any](k arith[T], v handles, lr, l1, l2, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	s := step[T]{full: true}
	err := s.begin(grad, shape, indices, sparse, v)
	defer s.end()
	if err != nil {
		return err
	}
	limit, ridge, zero := number(scratch, 0), number(scratch, 1), k.set(scratch, 2, 0)
	k.mul(limit, lr, l1)
	k.mul(ridge, l2, lr)
	k.add(ridge, k.set(scratch, 3, 1), ridge)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, t := x[0], row(scratch, 0, len(g))
		k.mul(t, g, lr)
		k.sub(w, w, t)
		if k.num(l1[0]) > 0 {
			k.shrink(t, row(scratch, 1, len(g)), w, limit, zero)
			k.div(w, t, ridge)
		} else {
			k.div(w, w, ridge)
		}
	}
	return nil
}

func proximalAdagrad[T any](k arith[T], v, a handles, lr, l1, l2, grad []T, indices []int64, sparse bool, shape []int, scratch []T, p Params) error {
	if !(k.num(lr[0]) > 0) || !(k.num(l1[0]) >= 0) || !(k.num(l2[0]) >= 0) {
		return tensor.Errorf(tensor.InvalidArgument, "lr = %v must be positive, l1 = %v and l2 = %v not negative", k.num(lr[0]), k.num(l1[0]), k.num(l2[0]))
	}
	s := step[T]{full: true}
	err := s.begin(grad, shape, indices, sparse, v, a)
	defer s.end()
	if err != nil {
		return err
	}
	zero, one := k.set(scratch, 0, 0), k.set(scratch, 1, 1)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a := x[0], x[1]
		t, u, r := row(scratch, 0, len(g)), row(scratch, 1, len(g)), row(scratch, 2, len(g))
		k.addSquare(a, g, t)
		k.rsqrt(r, a)
		k.mul(r, lr, r)
		k.mul(t, g, r)
		k.sub(w, w, t)
		if k.num(l1[0]) > 0 {
			k.mul(t, r, l1)
			k.abs(u, w)
			k.sub(t, u, t)
			k.max(t, t, zero)
			k.sign(u, w)
			k.mul(w, u, t)
		}
		k.mul(r, l2, r)
		k.add(r, one, r)
		k.div(w, w, r)
	}
	return nil
}
