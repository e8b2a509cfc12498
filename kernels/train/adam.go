package train

// rate sets number i of the scratch to lr·√(1-β2^t) / (1-β1^t).
func (k *arith[T]) rate(scratch []T, i int, beta1Power, beta2Power, lr []T) []T {
	a, rest := k.oneMinus(scratch, i, beta2Power), k.oneMinus(scratch, i+1, beta1Power)
	k.sqrt(a, a)
	k.mul(a, lr, a)
	k.div(a, a, rest)
	return a
}

func adam[T any](k arith[T], v, m, u handles, beta1Power, beta2Power, lr, beta1, beta2, epsilon, grad []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, nil, false, v, m, u)
	defer s.end()
	if err != nil {
		return err
	}
	alpha := k.rate(scratch, 0, beta1Power, beta2Power, lr)
	rest1, rest2 := k.oneMinus(scratch, 2, beta1), k.oneMinus(scratch, 3, beta2)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, m, v := x[0], x[1], x[2]
		t, d := row(scratch, 0, len(g)), row(scratch, 1, len(g))
		k.toward(m, g, rest1, t)
		k.square(d, g)
		k.toward(v, d, rest2, t)
		if p.Nesterov {
			k.mul(t, g, rest1)
			k.mul(d, beta1, m)
			k.add(t, t, d)
			k.mul(t, t, alpha)
		} else {
			k.mul(t, m, alpha)
		}
		k.sqrt(d, v)
		k.add(d, d, epsilon)
		k.div(t, t, d)
		k.sub(w, w, t)
	}
	return nil
}

func adamWithAmsgrad[T any](k arith[T], v, m, u, most handles, beta1Power, beta2Power, lr, beta1, beta2, epsilon, grad []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, nil, false, v, m, u, most)
	defer s.end()
	if err != nil {
		return err
	}
	alpha := k.rate(scratch, 0, beta1Power, beta2Power, lr)
	rest1, rest2 := k.oneMinus(scratch, 2, beta1), k.oneMinus(scratch, 3, beta2)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, m, v, most := x[0], x[1], x[2], x[3]
		t, d := row(scratch, 0, len(g)), row(scratch, 1, len(g))
		k.toward(m, g, rest1, t)
		k.square(d, g)
		k.toward(v, d, rest2, t)
		k.max(most, most, v)
		k.mul(t, m, alpha)
		k.sqrt(d, most)
		k.add(d, d, epsilon)
		k.div(t, t, d)
		k.sub(w, w, t)
	}
	return nil
}

func adaMax[T any](k arith[T], v, m, u handles, beta1Power, lr, beta1, beta2, epsilon, grad []T, shape []int, scratch []T, p Params) error {
	var s step[T]
	err := s.begin(grad, shape, nil, false, v, m, u)
	defer s.end()
	if err != nil {
		return err
	}
	rest1, alpha := k.oneMinus(scratch, 0, beta1), k.oneMinus(scratch, 1, beta1Power)
	k.div(alpha, lr, alpha)
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, m, v, t := x[0], x[1], x[2], row(scratch, 0, len(g))
		k.toward(m, g, rest1, t)
		k.abs(t, g)
		k.mul(v, beta2, v)
		k.max(v, v, t)
		k.add(t, v, epsilon)
		k.div(t, m, t)
		k.mul(t, alpha, t)
		k.sub(w, w, t)
	}
	return nil
}
