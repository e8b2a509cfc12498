package train

import "github.com/graphc/graphc/rt/tensor"

// ftrl computes the op Ftrl. If shrinkage is not nil, it computes FtrlV2 with shrinkage as
// l2_shrinkage.
func ftrl[T any](k arith[T], v, a, l handles, grad []T, indices []int64, sparse bool, lr, l1, l2, shrinkage, lrPower []T, shape []int, scratch []T, p Params) error {
	if sparse {
		if err := ftrlNumbers(k, lr, l1, l2, shrinkage, lrPower, p); err != nil {
			return err
		}
	}
	s := step[T]{full: true}
	err := s.begin(grad, shape, indices, sparse, v, a, l)
	defer s.end()
	if err != nil {
		return err
	}
	limit, ridge, power, decay := number(scratch, 0), k.set(scratch, 1, 2), number(scratch, 2), k.set(scratch, 3, 2)
	k.mul(ridge, ridge, l2)
	if p.ByRate {
		k.mul(limit, l1, lr)
		k.mul(ridge, ridge, lr)
	} else {
		limit[0] = l1[0]
	}
	k.neg(power, lrPower)
	least := number(scratch, 4)
	k.neg(least, limit)
	root := k.num(lrPower[0]) == -0.5
	if shrinkage != nil {
		k.mul(decay, decay, shrinkage)
	}
	for x, g, ok := s.next(); ok; x, g, ok = s.next() {
		w, a, l := x[0], x[1], x[2]
		t, u, y := row(scratch, 0, len(g)), row(scratch, 1, len(g)), row(scratch, 2, len(g))
		k.square(t, g)
		k.add(y, a, t) // the new accumulator
		if root {
			k.sqrt(t, y)
			k.sqrt(u, a)
		} else {
			k.pow(t, y, power)
			k.pow(u, a, power)
		}
		copy(a, y)
		copy(y, t)
		k.sub(t, t, u)
		if !p.ByRate {
			k.div(t, t, lr)
		}
		k.mul(t, t, w)
		if shrinkage != nil {
			k.mul(u, decay, w)
			k.add(u, g, u)
		} else {
			copy(u, g)
		}
		if p.ByRate {
			k.mul(u, u, lr)
		} else {
			k.div(y, y, lr)
		}
		k.sub(u, u, t)
		k.add(l, l, u)
		if sparse {
			k.min(t, l, limit)
			k.max(t, t, least)
		} else { // limit may be negative here, so t is not clamped with min and max
			k.sign(t, l)
			k.mul(t, t, limit)
		}
		k.sub(t, t, l)
		k.add(y, y, ridge)
		k.div(w, t, y)
		if !sparse {
			k.keep(w, l, limit)
		}
	}
	return nil
}

// ftrlNumbers checks the hyperparameters of an update of some rows of the variable. There is no
// such check for an update of the whole variable, as in TensorFlow.
func ftrlNumbers[T any](k arith[T], lr, l1, l2, shrinkage, lrPower []T, p Params) error {
	switch {
	case !(k.num(lr[0]) > 0) && !(p.ByRate && k.num(lr[0]) >= 0):
		return tensor.Errorf(tensor.InvalidArgument, "lr = %v must be positive", k.num(lr[0]))
	case !(k.num(l1[0]) >= 0), !(k.num(l2[0]) >= 0):
		return tensor.Errorf(tensor.InvalidArgument, "l1 = %v and l2 = %v must not be negative", k.num(l1[0]), k.num(l2[0]))
	case shrinkage != nil && !(k.num(shrinkage[0]) >= 0):
		return tensor.Errorf(tensor.InvalidArgument, "l2_shrinkage = %v must not be negative", k.num(shrinkage[0]))
	case !(k.num(lrPower[0]) <= 0):
		return tensor.Errorf(tensor.InvalidArgument, "lr_power = %v must not be positive", k.num(lrPower[0]))
	}
	return nil
}
