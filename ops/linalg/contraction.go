package linalg

import (
	"fmt"
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// contraction is a sum of products of two operands, and is computed as one batched product. If the
// strides allow it, the product reads the operands and writes the result in place. Otherwise
// operands or the result are rearranged.
type contraction struct {
	b     *lower.Builder
	e     *equation
	batch []string // labels that both operands and the result have, in the result's order
	inner []string // labels that both operands have and over which the products are summed
}

// group treats the labels ls as a single dimension, in which the last label varies fastest. It
// returns the stride of this dimension, or nil if the dimension has only one element. It returns
// false if the labels do not form a single dimension.
func (s *labelled) group(ls []string) (*sym.Expr, bool) {
	var first, step *sym.Expr
	for i := len(ls) - 1; i >= 0; i-- {
		size, stride := s.size[ls[i]], s.stride[ls[i]]
		switch {
		case size.Is(1):
			continue
		case first == nil:
			first = stride
		case !stride.Equal(step):
			return nil, false
		}
		step = stride.Mul(size)
	}
	return first, true
}

// matrix describes how to read s as a matrix. The labels in the parameter rows become its rows, and
// the labels in cols become its columns. Neighbouring rows are ld elements apart. If trans is set,
// the matrix is stored transposed, and neighbouring columns are ld elements apart. ok is false if s
// cannot be read in this way.
func (s *labelled) matrix(rows, cols []string) (ld *sym.Expr, trans, ok bool) {
	r, rok := s.group(rows)
	c, cok := s.group(cols)
	if c == nil {
		c = sym.One
	}
	switch {
	case !rok || !cok:
		return nil, false, false
	case c.Is(1) && r == nil:
		return sym.Zero, false, true
	case c.Is(1):
		return r, false, true
	case r == nil || r.Is(1):
		return c, true, true
	}
	return nil, false, false
}

// ordered returns ls in the order of s's labels.
func (s *labelled) ordered(ls []string) []string {
	var r []string
	for _, l := range s.labels {
		if slices.Contains(ls, l) {
			r = append(r, l)
		}
	}
	return r
}

// suffix splits ls into two parts. The second part is as long as possible, and its labels form one
// dimension in both s and t.
func suffix(ls []string, s, t *labelled) (outer, joined []string) {
	i := len(ls)
	for ; i > 0; i-- {
		if _, ok := s.group(ls[i-1:]); !ok {
			break
		}
		if _, ok := t.group(ls[i-1:]); !ok {
			break
		}
	}
	return ls[:i], ls[i:]
}

// contiguous reports whether elements along the fastest label of ls are adjacent in s.
func (s *labelled) contiguous(ls []string) bool {
	ls = s.ordered(ls)
	for i := len(ls) - 1; i >= 0; i-- {
		if !s.size[ls[i]].Is(1) {
			return s.stride[ls[i]].Is(1)
		}
	}
	return true
}

// dense returns a dense form of s with the given labels, in the given order. It sums over the other
// labels of s. It copies s only if necessary.
func (c *contraction) dense(s *labelled, want []string) (*labelled, error) {
	dims := make([]*sym.Expr, len(want))
	for k, l := range want {
		dims[k] = s.size[l]
	}
	v, err := arrange(c.b, s, want, nil)
	if err != nil {
		return nil, err
	}
	r := labelledOf(v, want, dims)
	return &r, nil
}

// lower appends the steps that compute the product of x and y and store it in the third argument.
// The fourth argument holds the labels that only x and the result have. The last argument holds the
// labels that only y and the result have.
func (c *contraction) lower(x, y, to *labelled, free, other []string) error {
	var err error
	// First sum each operand over the labels that neither the result nor the other operand has.
	for _, s := range []struct {
		side **labelled
		own  []string
	}{{&x, free}, {&y, other}} {
		want := (*s.side).ordered(slices.Concat(c.batch, s.own, c.inner))
		if len(want) < len((*s.side).labels) {
			if *s.side, err = c.dense(*s.side, want); err != nil {
				return err
			}
		}
	}
	// The right operand is the one whose labels vary fastest in the result. If this holds for both
	// operands because one of them is a vector, the vector is the left operand.
	swapped := to.contiguous(free) && (!to.contiguous(other) || sizeOf(y, other).Is(1) && !sizeOf(x, free).Is(1))
	if swapped {
		x, y, free, other = y, x, other, free
	}
	whole := len(to.labels) == len(c.e.out) // no label of the result is repeated
	if whole && to.contiguous(other) {
		return c.product(x, y, to, to.ordered(free), to.ordered(other), swapped)
	}
	res := slices.Concat(c.batch, free, other)
	dims := make([]*sym.Expr, len(res))
	for k, l := range res {
		dims[k] = c.e.dims[l]
	}
	t := labelledOf(kit.TempOf(c.b, to.view.Buf.DType, sym.Product(dims)), res, dims)
	if err := c.product(x, y, &t, free, other, swapped); err != nil {
		return err
	}
	return rearrange(c.b, &t, to, c.b.OutLen(0))
}

// product appends the batched product of x and y, and stores the result in the third argument. The
// rows of x are the labels m. The columns of y and of the result are the labels n. Elements of
// neighbouring columns of the result are adjacent in memory.
func (c *contraction) product(x, y, to *labelled, m, n []string, swapped bool) error {
	var err error
	k := x.ordered(c.inner)
	if _, ok := y.group(k); !ok {
		k = y.ordered(c.inner)
	}
	outerM, m := suffix(m, x, to)
	outerN, n := suffix(n, y, to)
	lda, transA, ok := x.matrix(m, k)
	if !ok {
		if x, err = c.dense(x, slices.Concat(c.batch, outerM, m, k)); err != nil {
			return err
		}
		lda, transA, _ = x.matrix(m, k)
	}
	ldb, transB, ok := y.matrix(k, n)
	if !ok {
		if y, err = c.dense(y, slices.Concat(c.batch, outerN, k, n)); err != nil {
			return err
		}
		ldb, transB, _ = y.matrix(k, n)
	}
	p := Product{M: sizeOf(x, m), N: sizeOf(y, n), K: sizeOf(x, k), TransA: transA, TransB: transB}
	d := to.view.Buf.DType
	outer := slices.Concat(outerM, outerN, c.batch)
	if d == tensor.Float32 && len(outer) == 0 && c.plain(x, y, to, m, n, k, &p) {
		rhs := 1
		if swapped {
			rhs = 0
		}
		return multiply(c.b, to.view, x.view, rhs, y.view, p, &kit.Epilogue{})
	}
	ldc, _ := to.group(m)
	if ldc == nil {
		ldc = sym.Zero
	}
	fields := []any{"M", p.M, "N", p.N, "K", p.K, "Lda", lda, "Ldb", ldb, "Ldc", ldc}
	dims := c.dims(x, y, to, outer)
	if len(dims) > 6 {
		return c.b.Errorf(tensor.Unimplemented, "%d batch dimensions that cannot be merged; 6 are supported", len(dims))
	}
	for i, v := range dims {
		fields = append(fields, fmt.Sprint("D", i), v[0], fmt.Sprint("A", i), v[1], fmt.Sprint("B", i), v[2], fmt.Sprint("C", i), v[3])
	}
	q := plan.Lit(gemm.BatchParams{TransA: transA, TransB: transB, Dims: len(dims)}, fields...)
	return products(c.b, to.view, x.view, y.view, d, d, q)
}

// plain reports whether two conditions hold: all matrices of the product are dense, and the right
// matrix, y, is an input of the node.
func (c *contraction) plain(x, y, to *labelled, m, n, k []string, p *Product) bool {
	in := y.view.Buf == c.b.Source(0).Buf || y.view.Buf == c.b.Source(1).Buf
	left, right := slices.Concat(m, k), slices.Concat(k, n)
	if p.TransA {
		left = slices.Concat(k, m)
	}
	if p.TransB {
		right = slices.Concat(n, k)
	}
	return in && x.dense(left) && y.dense(right) && to.dense(slices.Concat(m, n))
}

// dims returns the size of each dimension of the batch, and its strides in x, in y and in the result.
// Adjacent dimensions are merged if their strides match in all three tensors.
func (c *contraction) dims(x, y, to *labelled, outer []string) [][4]*sym.Expr {
	var r [][4]*sym.Expr
	at := func(s *labelled, l string) *sym.Expr {
		if s.stride[l] == nil {
			return sym.Zero
		}
		return BatchStride(s.size[l], c.e.dims[l], s.stride[l])
	}
	for _, l := range outer {
		v := [4]*sym.Expr{c.e.dims[l], at(x, l), at(y, l), at(to, l)}
		if v[0].Is(1) {
			continue
		}
		if i := len(r) - 1; i >= 0 {
			u := r[i]
			if u[1].Equal(v[1].Mul(v[0])) && u[2].Equal(v[2].Mul(v[0])) && u[3].Equal(v[3].Mul(v[0])) {
				r[i] = [4]*sym.Expr{u[0].Mul(v[0]), v[1], v[2], v[3]}
				continue
			}
		}
		r = append(r, v)
	}
	return r
}
