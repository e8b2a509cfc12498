package train

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	stateops "github.com/graphc/graphc/ops/state"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// The dense updates of variables use the formulas of kernels/train, which round after each
// operation. The update of an element is a scalar program. Its first inputs, from 0 to
// Update.Vars-1, are the old values of the variables; its outputs are their new values. All later
// inputs, except for the gradient, are single numbers.

// updateExpr computes an update of one element.
type updateExpr struct {
	*kit.RealExpr
	v  []scalar.Value // the variables' old elements, which the formula replaces by the new ones
	in func(i int) scalar.Value
	b  *lower.Builder
	g  scalar.Value
}

// scalarUpdates returns the GPU forms of the dense updates that have a formula in updateFormulas.
func scalarUpdates() []*lower.GPU {
	var list []*lower.GPU
	for _, u := range Updates {
		f := updateFormulas[u.Name]
		if f == nil {
			continue
		}
		work := func(b *lower.Builder) (*scalar.Work, error) { return u.scalarWork(b, f) }
		lowering := func(b *lower.Builder) error { return stateops.LowerUpdate(b, work) }
		list = append(list, &lower.GPU{Op: "ResourceApply" + u.Name, Work: work, Lower: lowering})
		if u.ref {
			list = append(list, &lower.GPU{Op: "Apply" + u.Name, Work: work, Lower: lowering})
		}
	}
	return list
}

// scalarWork returns the scalar program that updates all elements of the variables. Its inputs 0 to
// Update.Vars-1 are the variables. Each variable is changed in place: the output for the variable
// has the same tensor number (scalar.Place.Tensor) as the input for the variable.
func (u Update) scalarWork(b *lower.Builder, f func(*updateExpr)) (*scalar.Work, error) {
	d := b.Node.DType("T")
	if !scalar.IsFloat(d) && scalar.PartType(d) == tensor.Invalid || !b.InFact(u.Grad).Shape.Known {
		return nil, lower.ErrOnHost
	}
	m := kit.NewScalar(b, []*sym.Expr{b.InLen(u.Grad)})
	read := func(i int, access scalar.Access) scalar.Value {
		m.W.Ins = append(m.W.Ins, scalar.Input{DType: d, Access: access, Name: b.Node.Ins[i].String()})
		m.W.In = append(m.W.In, scalar.Place{Tensor: i})
		return m.E.Load(len(m.W.Ins) - 1)
	}
	e := &updateExpr{RealExpr: &kit.RealExpr{Builder: m.E, D: d, N: b}, b: b}
	for i := range u.Vars {
		e.v = append(e.v, read(i, scalar.Contiguous))
	}
	e.g = read(u.Grad, scalar.Contiguous)
	e.in = func(i int) scalar.Value { return read(i, scalar.Scalar) }
	old := append([]scalar.Value{}, e.v...)
	f(e)
	for i, v := range e.v {
		if v != old[i] {
			m.W.Outs = append(m.W.Outs, scalar.Output{DType: d, Value: v, Name: b.Node.Name})
			m.W.Out = append(m.W.Out, scalar.Place{Tensor: i})
		}
	}
	return m.Done()
}

// decay returns m·β + g(1-β), where β is the parameter beta.
func (e *updateExpr) decay(m, beta, g scalar.Value) scalar.Value {
	return e.Add(e.Mul(m, beta), e.Mul(g, e.OneMinus(beta)))
}

func (e *updateExpr) toward(m, g, rest scalar.Value) scalar.Value {
	return e.Add(m, e.Mul(e.Sub(g, m), rest))
}

// root returns √x of a real or complex number.
func (e *updateExpr) root(x scalar.Value) scalar.Value {
	if scalar.PartType(e.D) == tensor.Invalid {
		return e.Sqrt(x)
	}
	return e.ComplexSqrt(x)
}

// inverseRoot is 1/√x.
func (e *updateExpr) inverseRoot(x scalar.Value) scalar.Value {
	if scalar.PartType(e.D) == tensor.Invalid {
		return e.Rsqrt(x)
	}
	return e.Reciprocal(e.ComplexSqrt(x))
}

// larger returns the larger one of x and y. It returns x if x or y is NaN.
func (e *updateExpr) larger(x, y scalar.Value) scalar.Value { return e.Select(e.Lt(x, y), y, x) }

// smaller returns the smaller one of x and y. It returns x if x or y is NaN.
func (e *updateExpr) smaller(x, y scalar.Value) scalar.Value { return e.Select(e.Gt(x, y), y, x) }

func (e *updateExpr) sign(x scalar.Value) scalar.Value {
	zero := e.K(0)
	r := e.Select(e.Gt(x, zero), e.K(1), e.Select(e.Lt(x, zero), e.K(-1), x))
	return e.Select(e.Eq(x, zero), zero, r)
}

// shrink returns sign(w)·max(|w|-limit, 0).
func (e *updateExpr) shrink(w, limit scalar.Value) scalar.Value {
	return e.Mul(e.sign(w), e.larger(e.Sub(e.Abs(w), limit), e.K(0)))
}

// divide returns a quotient. As in kernels/elem, a subnormal f32 quotient becomes 0.
func (e *updateExpr) divide(x, y scalar.Value) scalar.Value {
	if scalar.PartType(e.D) != tensor.Invalid {
		return e.Div(x, y)
	}
	return e.Flush(e.Div(x, y))
}

func (e *updateExpr) subtract(x scalar.Value) { e.v[0] = e.Sub(e.v[0], x) }

var updateFormulas = map[string]func(e *updateExpr){
	"GradientDescent": func(e *updateExpr) { e.subtract(e.Mul(e.g, e.in(1))) },
	"Momentum": func(e *updateExpr) {
		lr, mu := e.in(2), e.in(4)
		a := e.Add(e.Mul(e.v[1], mu), e.g)
		e.v[1] = a
		if e.b.Node.Bool("use_nesterov") {
			e.subtract(e.Add(e.Mul(e.g, lr), e.Mul(e.Mul(a, mu), lr)))
			return
		}
		e.subtract(e.Mul(a, lr))
	},
	"KerasMomentum": func(e *updateExpr) {
		lr, mu := e.in(2), e.in(4)
		t := e.Mul(e.g, lr)
		a := e.Sub(e.Mul(e.v[1], mu), t)
		e.v[1] = a
		if e.b.Node.Bool("use_nesterov") {
			e.v[0] = e.Add(e.v[0], e.Sub(e.Mul(a, mu), t))
			return
		}
		e.v[0] = e.Add(e.v[0], a)
	},
	"Adam":            func(e *updateExpr) { e.adam(3, false) },
	"AdamWithAmsgrad": func(e *updateExpr) { e.adam(4, true) },
	"AdaMax": func(e *updateExpr) {
		power, lr, beta1, beta2, eps := e.in(3), e.in(4), e.in(5), e.in(6), e.in(7)
		alpha := e.divide(lr, e.OneMinus(power))
		e.v[1] = e.toward(e.v[1], e.g, e.OneMinus(beta1))
		e.v[2] = e.larger(e.Mul(beta2, e.v[2]), e.Abs(e.g))
		e.subtract(e.Mul(e.divide(e.v[1], e.Add(e.v[2], eps)), alpha))
	},
	"Adagrad": func(e *updateExpr) {
		if e.b.Node.Bool("update_slots") {
			e.v[1] = e.Add(e.v[1], e.Square(e.g))
		}
		e.subtract(e.Mul(e.Mul(e.g, e.in(2)), e.inverseRoot(e.v[1])))
	},
	"AdagradV2": func(e *updateExpr) {
		if e.b.Node.Bool("update_slots") {
			e.v[1] = e.Add(e.v[1], e.Square(e.g))
		}
		e.subtract(e.divide(e.Mul(e.g, e.in(2)), e.Add(e.root(e.v[1]), e.in(3))))
	},
	"Adadelta": func(e *updateExpr) {
		lr, rho, eps := e.in(3), e.in(4), e.in(5)
		e.v[1] = e.decay(e.v[1], rho, e.Square(e.g))
		u := e.Mul(e.Mul(e.inverseRoot(e.Add(e.v[1], eps)), e.root(e.Add(e.v[2], eps))), e.g)
		e.subtract(e.Mul(u, lr))
		e.v[2] = e.decay(e.v[2], rho, e.Square(u))
	},
	"RMSProp": func(e *updateExpr) {
		lr, rho, mu, eps := e.in(3), e.in(4), e.in(5), e.in(6)
		e.v[1] = e.toward(e.v[1], e.Square(e.g), e.OneMinus(rho))
		t := e.divide(e.Mul(e.g, lr), e.root(e.Add(e.v[1], eps)))
		e.v[2] = e.Add(e.Mul(e.v[2], mu), t)
		e.subtract(e.v[2])
	},
	"CenteredRMSProp": func(e *updateExpr) { // the variables are var, mg, ms and mom
		lr, rho, mu, eps := e.in(4), e.in(5), e.in(6), e.in(7)
		rest := e.OneMinus(rho)
		e.v[2] = e.toward(e.v[2], e.Square(e.g), rest)
		e.v[1] = e.toward(e.v[1], e.g, rest)
		d := e.Add(e.Sub(e.v[2], e.Square(e.v[1])), eps)
		e.v[3] = e.Add(e.Mul(e.v[3], mu), e.divide(e.Mul(e.g, lr), e.root(d)))
		e.subtract(e.v[3])
	},
	"Ftrl":   func(e *updateExpr) { e.ftrl(e.in(4), e.in(5), e.in(6), -1, e.in(7)) },
	"FtrlV2": func(e *updateExpr) { e.ftrl(e.in(4), e.in(5), e.in(6), e.in(7), e.in(8)) },
	"AddSign": func(e *updateExpr) {
		lr, alpha, decay, beta := e.in(2), e.in(3), e.in(4), e.in(5)
		e.v[1] = e.decay(e.v[1], beta, e.g)
		t := e.Mul(decay, e.Mul(e.sign(e.g), e.sign(e.v[1])))
		e.subtract(e.Mul(e.Mul(lr, e.Add(alpha, t)), e.g))
	},
	"PowerSign": func(e *updateExpr) {
		lr, logbase, decay, beta := e.in(2), e.in(3), e.in(4), e.in(5)
		e.v[1] = e.decay(e.v[1], beta, e.g)
		t := e.Mul(e.Mul(logbase, decay), e.Mul(e.sign(e.g), e.sign(e.v[1])))
		e.subtract(e.Mul(e.Mul(lr, e.Flush(e.Call("exp", t))), e.g))
	},
	"ProximalGradientDescent": func(e *updateExpr) {
		lr, l1, l2 := e.in(1), e.in(2), e.in(3)
		ridge := e.Add(e.K(1), e.Mul(l2, lr))
		w := e.Sub(e.v[0], e.Mul(e.g, lr))
		w = e.Select(e.Gt(l1, e.K(0)), e.shrink(w, e.Mul(lr, l1)), w)
		e.v[0] = e.divide(w, ridge)
	},
	"ProximalAdagrad": func(e *updateExpr) {
		lr, l1, l2 := e.in(2), e.in(3), e.in(4)
		e.v[1] = e.Add(e.v[1], e.Square(e.g))
		r := e.Mul(lr, e.Rsqrt(e.v[1]))
		w := e.Sub(e.v[0], e.Mul(e.g, r))
		w = e.Select(e.Gt(l1, e.K(0)), e.shrink(w, e.Mul(r, l1)), w)
		e.v[0] = e.divide(w, e.Add(e.Mul(r, l2), e.K(1)))
	},
}

// adam computes an update of Adam or, if the parameter most is true, of Adam with AMSGrad. Input
// number i and the following inputs of the node are β1^t, β2^t, lr, β1, β2 and ε.
func (e *updateExpr) adam(i int, most bool) {
	power1, power2, lr, beta1, beta2, eps := e.in(i), e.in(i+1), e.in(i+2), e.in(i+3), e.in(i+4), e.in(i+5)
	alpha := e.divide(e.Mul(lr, e.root(e.OneMinus(power2))), e.OneMinus(power1))
	rest1, rest2 := e.OneMinus(beta1), e.OneMinus(beta2)
	e.v[1] = e.toward(e.v[1], e.g, rest1)
	e.v[2] = e.toward(e.v[2], e.Square(e.g), rest2)
	second := e.v[2]
	t := e.Mul(e.v[1], alpha)
	switch {
	case most:
		e.v[3] = e.larger(e.v[3], e.v[2])
		second = e.v[3]
	case e.b.Node.Bool("use_nesterov"):
		t = e.Mul(e.Add(e.Mul(e.g, rest1), e.Mul(beta1, e.v[1])), alpha)
	}
	e.subtract(e.divide(t, e.Add(e.root(second), eps)))
}

// ftrl computes Ftrl or FtrlV2. shrinkage is the value of FtrlV2's input l2_shrinkage, or -1 for
// Ftrl, which has no such input.
func (e *updateExpr) ftrl(lr, l1, l2, shrinkage, lrPower scalar.Value) {
	byRate := e.b.Node.Bool("multiply_linear_by_lr")
	w, a, l := e.v[0], e.v[1], e.v[2]
	limit, ridge := l1, e.Mul(e.K(2), l2)
	if byRate {
		limit, ridge = e.Mul(l1, lr), e.Mul(ridge, lr)
	}
	power := e.Neg(lrPower)
	squared := e.Square(e.g)
	y := e.Add(a, squared)
	root := e.Eq(lrPower, e.K(-0.5))
	raise := func(x scalar.Value) scalar.Value { return e.Select(root, e.Sqrt(x), e.Call("pow", x, power)) }
	p := raise(y)
	t := e.Sub(p, raise(a))
	if !byRate {
		t = e.divide(t, lr)
	}
	t = e.Mul(t, w)
	u := e.g
	if shrinkage >= 0 {
		u = e.Add(e.g, e.Mul(e.Mul(e.K(2), shrinkage), w))
	}
	q := p
	if byRate {
		u = e.Mul(u, lr)
	} else {
		q = e.divide(q, lr)
	}
	l = e.Add(l, e.Sub(u, t))
	x := e.larger(e.smaller(l, limit), e.Neg(limit))
	w = e.divide(e.Sub(x, l), e.Add(q, ridge))
	out := e.Bin(scalar.And, e.Un(scalar.Not, e.Gt(l, limit)), e.Un(scalar.Not, e.Gt(e.Neg(l), limit)))
	e.v[0], e.v[1], e.v[2] = e.Select(out, e.K(0), w), y, l
}
