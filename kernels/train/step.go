// Package train holds the updates of variables in training: gradient descent and
// related methods, for gradients of a whole variable or of some rows.
//
// A kernel's first arguments are the op's inputs in their order, variables as handles and numbers as
// slices of one element. The gradient's shape, a scratch slice of Scratch elements, and Params
// follow. A kernel holds the locks of all its variables from the first read to the last write. It
// returns FailedPrecondition for a variable without a value, and InvalidArgument for shapes that
// differ and for rows that do not exist.
//
// The formulas round after each operation, in TensorFlow's order. In the following table, w is an
// element of the updated variable and g is its gradient. The other letters are the op's remaining
// variables, hyperparameters and intermediate results. An update computes:
//
//	GradientDescent          w -= g·lr
//	Momentum                 a = a·µ + g; w -= a·lr; Nesterov: w -= g·lr + a·µ·lr
//	KerasMomentum            a = a·µ - g·lr; w += a; Nesterov: w += a·µ - g·lr
//	Adam                     m += (g-m)(1-β1); v += (g²-v)(1-β2); w -= m·α / (√v+ε), α = lr·√(1-β2^t) / (1-β1^t);
//	                         Nesterov: (g(1-β1) + β1·m)·α in place of m·α
//	AdamWithAmsgrad          as Adam with v̂ = max(v̂, v) in place of v
//	AdaMax                   m += (g-m)(1-β1); v = max(β2·v, |g|); w -= lr/(1-β1^t) · m/(v+ε)
//	Adagrad                  a += g²; w -= g·lr / √a
//	AdagradV2                a += g²; w -= g·lr / (√a+ε)
//	AdagradDA                s += g; q += g²; w = -lr·shrink(s, l1·t) / (l2·t·lr + √q)
//	Adadelta                 a = a·ρ + g²(1-ρ); u = √(d+ε) / √(a+ε) · g; w -= u·lr; d = d·ρ + u²(1-ρ)
//	RMSProp                  s += (g²-s)(1-ρ); m = m·µ + g·lr / √(s+ε); w -= m
//	CenteredRMSProp          as RMSProp with √(s-c²+ε) in place of √(s+ε); c += (g-c)(1-ρ)
//	Ftrl                     l += g - (n^-p - a^-p)/lr · w, n = a + g²; w = shrink(-l, l1) / (n^-p/lr + 2·l2); a = n
//	AddSign                  m = m·β + g(1-β); w -= lr·(α + decay·sign(g)·sign(m))·g
//	PowerSign                m = m·β + g(1-β); w -= lr·exp(logbase·decay·sign(g)·sign(m))·g
//	ProximalGradientDescent  w = shrink(w - g·lr, l1·lr) / (1 + l2·lr)
//	ProximalAdagrad          a += g²; w as in ProximalGradientDescent with lr/√a in place of lr
//
// where shrink(x, l) = sign(x)·max(|x|-l, 0).
package train

//go:generate go run -C ../_gen ./train -root ../..

import (
	"slices"
	"unsafe"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Params holds the attributes of an update.
type Params struct {
	Nesterov bool // use_nesterov
	Slots    bool // attribute update_slots: whether accumulators are updated
	ByRate   bool // attribute multiply_linear_by_lr: whether Ftrl stores its linear term times the learning rate
}

// maxVars is the largest number of variables of an update.
const maxVars = 4

// step is the state of an update: the locked variables, and the position in their
// elements.
type step[T any] struct {
	vars   [maxVars]*resource.Var // the variables, in the order of the op's inputs
	names  int
	locked [maxVars]*resource.Var // the distinct variables, in the order of their addresses
	n      int
	x      [maxVars][]T

	grad    []T
	sparse  bool
	full    bool // whether rows without elements are an error
	indices []int64
	inner   int // number of elements of a row
	row     int // rows done
	off     int // number of elements of the current row that have been updated
}

// begin locks the variables hs and checks their shapes against the gradient's. The caller must
// call end, even if begin fails.
func (s *step[T]) begin(grad []T, shape []int, indices []int64, sparse bool, hs ...[]tensor.Handle) error {
	for i, h := range hs {
		v, err := resource.VarOf(h)
		if err != nil {
			return err
		}
		s.vars[i] = v
		s.names++
	}
	s.lock()
	for i := range hs {
		x, err := resource.Change[T](s.vars[i])
		if err != nil {
			return err
		}
		s.x[i] = x
	}
	v := s.vars[0]
	for _, o := range s.vars[1:s.names] {
		if !slices.Equal(o.Shape, v.Shape) {
			return tensor.Errorf(tensor.InvalidArgument, "the variables %q of shape %v and %q of shape %v must have one shape",
				v.Name, v.Shape, o.Name, o.Shape)
		}
	}
	s.grad, s.indices, s.sparse = grad, indices, sparse
	if !sparse {
		if !slices.Equal(v.Shape, shape) {
			return tensor.Errorf(tensor.InvalidArgument, "the gradient has the shape %v, the variable %q the shape %v", shape, v.Name, v.Shape)
		}
		s.inner = len(grad)
		return nil
	}
	if len(v.Shape) == 0 || len(shape) != len(v.Shape) || !slices.Equal(v.Shape[1:], shape[1:]) {
		return tensor.Errorf(tensor.InvalidArgument, "the gradient has the shape %v, which is not rows of the variable %q of shape %v", shape, v.Name, v.Shape)
	}
	if shape[0] != len(indices) {
		return tensor.Errorf(tensor.InvalidArgument, "the gradient has %d rows for %d indices", shape[0], len(indices))
	}
	s.inner = 1
	for _, d := range shape[1:] {
		s.inner *= d
	}
	if s.full && s.inner == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the rows of the variable %q of shape %v have no elements", v.Name, v.Shape)
	}
	for i, x := range indices {
		if x < 0 || x >= int64(v.Shape[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is not in [0, %d), the rows of the variable %q", i, x, v.Shape[0], v.Name)
		}
	}
	return nil
}

// lock locks every variable once. All updates lock in the order of addresses, so that
// updates that share variables cannot deadlock.
func (s *step[T]) lock() {
	for _, v := range s.vars[:s.names] {
		k := 0
		for k < s.n && address(s.locked[k]) < address(v) {
			k++
		}
		if k < s.n && s.locked[k] == v {
			continue
		}
		copy(s.locked[k+1:s.n+1], s.locked[k:s.n])
		s.locked[k] = v
		s.n++
	}
	for _, v := range s.locked[:s.n] {
		v.Lock()
	}
}

func address(v *resource.Var) uintptr { return uintptr(unsafe.Pointer(v)) }

// end unlocks the variables.
func (s *step[T]) end() {
	for _, v := range s.locked[:s.n] {
		v.Unlock()
	}
}

// next advances to the next piece of at most chunk elements and returns the elements
// of the variables and of the gradient. It reports false at the end. Rows come in the
// order of the indices, since a row may occur several times.
func (s *step[T]) next() (x [maxVars][]T, g []T, ok bool) {
	rows := 1
	if s.sparse {
		rows = len(s.indices)
	}
	if s.inner == 0 || s.row >= rows {
		return x, nil, false
	}
	at := 0
	if s.sparse {
		at = int(s.indices[s.row]) * s.inner
	}
	n := min(chunk, s.inner-s.off)
	for i := range s.names {
		x[i] = s.x[i][at+s.off:][:n]
	}
	g = s.grad[s.row*s.inner+s.off:][:n]
	if s.off += n; s.off == s.inner {
		s.row, s.off = s.row+1, 0
	}
	return x, g, true
}
