package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// The dense updates of variables: the formulas of kernels/train, which round after each
// operation. A work's inputs 0 to vars-1 are the variables' values, as its outputs are;
// all but the gradient are single numbers.

// updateExpr computes an update of one element.
type updateExpr struct {
	*realExpr
	v  []scalar.Value // the variables' elements; changed to the new ones
	in func(i int) scalar.Value
	b  *Builder
	g  scalar.Value
}

// scalarUpdates are the dense forms of the updates that have a formula here.
func scalarUpdates() []*GPU {
	var list []*GPU
	for _, u := range updates {
		f := updateFormulas[u.name]
		if f == nil {
			continue
		}
		work := func(b *Builder) (*scalar.Work, error) { return u.scalarWork(b, f) }
		lowering := func(b *Builder) error { return b.lowerUpdate(work) }
		list = append(list, &GPU{Op: "ResourceApply" + u.name, Work: work, Lower: lowering})
		if u.ref {
			list = append(list, &GPU{Op: "Apply" + u.name, Work: work, Lower: lowering})
		}
	}
	return list
}

// scalarWork is the update of all elements. Its variables are inputs 0 to vars-1, and outputs
// of the same numbers: the same tensors.
func (u update) scalarWork(b *Builder, f func(*updateExpr)) (*scalar.Work, error) {
	d := b.Node.DType("T")
	if !scalar.IsFloat(d) && scalar.PartType(d) == tensor.Invalid || !b.InFact(u.grad).Shape.Known {
		return nil, ErrOnHost
	}
	m := newScalar(b, []*sym.Expr{b.InLen(u.grad)})
	read := func(i int, access scalar.Access) scalar.Value {
		m.w.Ins = append(m.w.Ins, scalar.Input{DType: d, Access: access, Name: b.Node.Ins[i].String()})
		m.w.In = append(m.w.In, scalar.Place{Tensor: i})
		return m.e.Load(len(m.w.Ins) - 1)
	}
	e := &updateExpr{realExpr: &realExpr{m.e, d, b}, b: b}
	for i := range u.vars {
		e.v = append(e.v, read(i, scalar.Contiguous))
	}
	e.g = read(u.grad, scalar.Contiguous)
	e.in = func(i int) scalar.Value { return read(i, scalar.Scalar) }
	old := append([]scalar.Value{}, e.v...)
	f(e)
	for i, v := range e.v {
		if v != old[i] {
			m.w.Outs = append(m.w.Outs, scalar.Output{DType: d, Value: v, Name: b.Node.Name})
			m.w.Out = append(m.w.Out, scalar.Place{Tensor: i})
		}
	}
	return m.done()
}

// decay is m·β + g(1-β), toward m + (g-m)·rest.
func (e *updateExpr) decay(m, beta, g scalar.Value) scalar.Value {
	return e.add(e.mul(m, beta), e.mul(g, e.oneMinus(beta)))
}

func (e *updateExpr) toward(m, g, rest scalar.Value) scalar.Value {
	return e.add(m, e.mul(e.sub(g, m), rest))
}

// root is √x, also of complex numbers.
func (e *updateExpr) root(x scalar.Value) scalar.Value {
	if scalar.PartType(e.d) == tensor.Invalid {
		return e.sqrt(x)
	}
	return e.complexSqrt(x)
}

// inverseRoot is 1/√x.
func (e *updateExpr) inverseRoot(x scalar.Value) scalar.Value {
	if scalar.PartType(e.d) == tensor.Invalid {
		return e.rsqrt(x)
	}
	return e.reciprocal(e.complexSqrt(x))
}

// larger is y where x < y, else x: a NaN of x stays.
func (e *updateExpr) larger(x, y scalar.Value) scalar.Value { return e.Select(e.lt(x, y), y, x) }

// smaller is y where x > y, else x.
func (e *updateExpr) smaller(x, y scalar.Value) scalar.Value { return e.Select(e.gt(x, y), y, x) }

func (e *updateExpr) sign(x scalar.Value) scalar.Value {
	zero := e.k(0)
	r := e.Select(e.gt(x, zero), e.k(1), e.Select(e.lt(x, zero), e.k(-1), x))
	return e.Select(e.eq(x, zero), zero, r)
}

// shrink is sign(w)·max(|w|-limit, 0).
func (e *updateExpr) shrink(w, limit scalar.Value) scalar.Value {
	return e.mul(e.sign(w), e.larger(e.sub(e.abs(w), limit), e.k(0)))
}

// divide is a quotient, flushed as kernels/elem has it.
func (e *updateExpr) divide(x, y scalar.Value) scalar.Value {
	if scalar.PartType(e.d) != tensor.Invalid {
		return e.div(x, y)
	}
	return e.flush(e.div(x, y))
}

func (e *updateExpr) subtract(x scalar.Value) { e.v[0] = e.sub(e.v[0], x) }

var updateFormulas = map[string]func(e *updateExpr){
	"GradientDescent": func(e *updateExpr) { e.subtract(e.mul(e.g, e.in(1))) },
	"Momentum": func(e *updateExpr) {
		lr, mu := e.in(2), e.in(4)
		a := e.add(e.mul(e.v[1], mu), e.g)
		e.v[1] = a
		if e.b.Node.Bool("use_nesterov") {
			e.subtract(e.add(e.mul(e.g, lr), e.mul(e.mul(a, mu), lr)))
			return
		}
		e.subtract(e.mul(a, lr))
	},
	"KerasMomentum": func(e *updateExpr) {
		lr, mu := e.in(2), e.in(4)
		t := e.mul(e.g, lr)
		a := e.sub(e.mul(e.v[1], mu), t)
		e.v[1] = a
		if e.b.Node.Bool("use_nesterov") {
			e.v[0] = e.add(e.v[0], e.sub(e.mul(a, mu), t))
			return
		}
		e.v[0] = e.add(e.v[0], a)
	},
	"Adam":            func(e *updateExpr) { e.adam(3, false) },
	"AdamWithAmsgrad": func(e *updateExpr) { e.adam(4, true) },
	"AdaMax": func(e *updateExpr) {
		power, lr, beta1, beta2, eps := e.in(3), e.in(4), e.in(5), e.in(6), e.in(7)
		alpha := e.divide(lr, e.oneMinus(power))
		e.v[1] = e.toward(e.v[1], e.g, e.oneMinus(beta1))
		e.v[2] = e.larger(e.mul(beta2, e.v[2]), e.abs(e.g))
		e.subtract(e.mul(e.divide(e.v[1], e.add(e.v[2], eps)), alpha))
	},
	"Adagrad": func(e *updateExpr) {
		if e.b.Node.Bool("update_slots") {
			e.v[1] = e.add(e.v[1], e.square(e.g))
		}
		e.subtract(e.mul(e.mul(e.g, e.in(2)), e.inverseRoot(e.v[1])))
	},
	"AdagradV2": func(e *updateExpr) {
		if e.b.Node.Bool("update_slots") {
			e.v[1] = e.add(e.v[1], e.square(e.g))
		}
		e.subtract(e.divide(e.mul(e.g, e.in(2)), e.add(e.root(e.v[1]), e.in(3))))
	},
	"Adadelta": func(e *updateExpr) {
		lr, rho, eps := e.in(3), e.in(4), e.in(5)
		e.v[1] = e.decay(e.v[1], rho, e.square(e.g))
		u := e.mul(e.mul(e.inverseRoot(e.add(e.v[1], eps)), e.root(e.add(e.v[2], eps))), e.g)
		e.subtract(e.mul(u, lr))
		e.v[2] = e.decay(e.v[2], rho, e.square(u))
	},
	"RMSProp": func(e *updateExpr) {
		lr, rho, mu, eps := e.in(3), e.in(4), e.in(5), e.in(6)
		e.v[1] = e.toward(e.v[1], e.square(e.g), e.oneMinus(rho))
		t := e.divide(e.mul(e.g, lr), e.root(e.add(e.v[1], eps)))
		e.v[2] = e.add(e.mul(e.v[2], mu), t)
		e.subtract(e.v[2])
	},
	"CenteredRMSProp": func(e *updateExpr) { // var, mg, ms, mom
		lr, rho, mu, eps := e.in(4), e.in(5), e.in(6), e.in(7)
		rest := e.oneMinus(rho)
		e.v[2] = e.toward(e.v[2], e.square(e.g), rest)
		e.v[1] = e.toward(e.v[1], e.g, rest)
		d := e.add(e.sub(e.v[2], e.square(e.v[1])), eps)
		e.v[3] = e.add(e.mul(e.v[3], mu), e.divide(e.mul(e.g, lr), e.root(d)))
		e.subtract(e.v[3])
	},
	"Ftrl":   func(e *updateExpr) { e.ftrl(e.in(4), e.in(5), e.in(6), -1, e.in(7)) },
	"FtrlV2": func(e *updateExpr) { e.ftrl(e.in(4), e.in(5), e.in(6), e.in(7), e.in(8)) },
	"AddSign": func(e *updateExpr) {
		lr, alpha, decay, beta := e.in(2), e.in(3), e.in(4), e.in(5)
		e.v[1] = e.decay(e.v[1], beta, e.g)
		t := e.mul(decay, e.mul(e.sign(e.g), e.sign(e.v[1])))
		e.subtract(e.mul(e.mul(lr, e.add(alpha, t)), e.g))
	},
	"PowerSign": func(e *updateExpr) {
		lr, logbase, decay, beta := e.in(2), e.in(3), e.in(4), e.in(5)
		e.v[1] = e.decay(e.v[1], beta, e.g)
		t := e.mul(e.mul(logbase, decay), e.mul(e.sign(e.g), e.sign(e.v[1])))
		e.subtract(e.mul(e.mul(lr, e.flush(e.Call("exp", t))), e.g))
	},
	"ProximalGradientDescent": func(e *updateExpr) {
		lr, l1, l2 := e.in(1), e.in(2), e.in(3)
		ridge := e.add(e.k(1), e.mul(l2, lr))
		w := e.sub(e.v[0], e.mul(e.g, lr))
		w = e.Select(e.gt(l1, e.k(0)), e.shrink(w, e.mul(lr, l1)), w)
		e.v[0] = e.divide(w, ridge)
	},
	"ProximalAdagrad": func(e *updateExpr) {
		lr, l1, l2 := e.in(2), e.in(3), e.in(4)
		e.v[1] = e.add(e.v[1], e.square(e.g))
		r := e.mul(lr, e.rsqrt(e.v[1]))
		w := e.sub(e.v[0], e.mul(e.g, r))
		w = e.Select(e.gt(l1, e.k(0)), e.shrink(w, e.mul(r, l1)), w)
		e.v[0] = e.divide(w, e.add(e.mul(r, l2), e.k(1)))
	},
}

// adam: inputs from i on are β1^t, β2^t, lr, β1, β2, ε.
func (e *updateExpr) adam(i int, most bool) {
	power1, power2, lr, beta1, beta2, eps := e.in(i), e.in(i+1), e.in(i+2), e.in(i+3), e.in(i+4), e.in(i+5)
	alpha := e.divide(e.mul(lr, e.root(e.oneMinus(power2))), e.oneMinus(power1))
	rest1, rest2 := e.oneMinus(beta1), e.oneMinus(beta2)
	e.v[1] = e.toward(e.v[1], e.g, rest1)
	e.v[2] = e.toward(e.v[2], e.square(e.g), rest2)
	second := e.v[2]
	t := e.mul(e.v[1], alpha)
	switch {
	case most:
		e.v[3] = e.larger(e.v[3], e.v[2])
		second = e.v[3]
	case e.b.Node.Bool("use_nesterov"):
		t = e.mul(e.add(e.mul(e.g, rest1), e.mul(beta1, e.v[1])), alpha)
	}
	e.subtract(e.divide(t, e.add(e.root(second), eps)))
}

// ftrl: shrinkage is -1 for Ftrl.
func (e *updateExpr) ftrl(lr, l1, l2, shrinkage, lrPower scalar.Value) {
	byRate := e.b.Node.Bool("multiply_linear_by_lr")
	w, a, l := e.v[0], e.v[1], e.v[2]
	limit, ridge := l1, e.mul(e.k(2), l2)
	if byRate {
		limit, ridge = e.mul(l1, lr), e.mul(ridge, lr)
	}
	power := e.neg(lrPower)
	squared := e.square(e.g)
	y := e.add(a, squared)
	root := e.eq(lrPower, e.k(-0.5))
	raise := func(x scalar.Value) scalar.Value { return e.Select(root, e.sqrt(x), e.Call("pow", x, power)) }
	p := raise(y)
	t := e.sub(p, raise(a))
	if !byRate {
		t = e.divide(t, lr)
	}
	t = e.mul(t, w)
	u := e.g
	if shrinkage >= 0 {
		u = e.add(e.g, e.mul(e.mul(e.k(2), shrinkage), w))
	}
	q := p
	if byRate {
		u = e.mul(u, lr)
	} else {
		q = e.divide(q, lr)
	}
	l = e.add(l, e.sub(u, t))
	x := e.larger(e.smaller(l, limit), e.neg(limit))
	w = e.divide(e.sub(x, l), e.add(q, ridge))
	out := e.Bin(scalar.And, e.Un(scalar.Not, e.gt(l, limit)), e.Un(scalar.Not, e.gt(e.neg(l), limit)))
	e.v[0], e.v[1], e.v[2] = e.Select(out, e.k(0), w), y, l
}
