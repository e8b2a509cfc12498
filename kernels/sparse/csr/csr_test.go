package csr

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	all "github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func invalid(t *testing.T, what string, err error) {
	t.Helper()
	if tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("%s: %v", what, err)
	}
}

func ok(t *testing.T, what string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// kernels holds the kernels for one element type. For the tests, it also holds a function that
// makes an element, a function that returns the distance between two elements, and the largest
// allowed distance.
type kernels[T field] struct {
	fromSparse func(dst []tensor.Handle, indices []int64, values []T, shape []int64) error
	fromDense  func(dst []tensor.Handle, dense []T, indices []int64, dims []int) error
	toDense    func(dst []T, h []tensor.Handle) error
	toSparse   func(indices []int64, dst []T, shape []int64, h []tensor.Handle) error
	components func(ptr, col []int32, dst []T, h []tensor.Handle, index []int32) error
	product    func(run *mem.Budget, dst []T, h []tensor.Handle, b []T, p Product) error
	transpose  func(dst, h []tensor.Handle, f Form) error
	room       func(run *mem.Budget, a, b []tensor.Handle, fa, fb Form) (int, error)
	sparse     func(run *mem.Budget, dst, a, b []tensor.Handle, fa, fb Form, room int) error
	cholesky   func(run *mem.Budget, dst, h []tensor.Handle, perm []int32, room int) error
	of         func(re, im float64) T
	tolerance  float64
	distance   func(a, b T) float64
}

func TestTypes(t *testing.T) {
	t.Run("f32", func(t *testing.T) {
		check(t, kernels[float32]{FromSparseF32, FromDenseF32, ToDenseF32, ToSparseF32, ComponentsF32, ProductF32, TransposeF32, SparseRoomF32, SparseProductF32, CholeskyF32,
			func(re, _ float64) float32 { return float32(re) }, 1e-4, func(a, b float32) float64 { return math.Abs(float64(a - b)) }})
	})
	t.Run("f64", func(t *testing.T) {
		check(t, kernels[float64]{FromSparseF64, FromDenseF64, ToDenseF64, ToSparseF64, ComponentsF64, ProductF64, TransposeF64, SparseRoomF64, SparseProductF64, CholeskyF64,
			func(re, _ float64) float64 { return re }, 1e-12, func(a, b float64) float64 { return math.Abs(a - b) }})
	})
	t.Run("c64", func(t *testing.T) {
		check(t, kernels[complex64]{FromSparseC64, FromDenseC64, ToDenseC64, ToSparseC64, ComponentsC64, ProductC64, TransposeC64, SparseRoomC64, SparseProductC64, CholeskyC64,
			func(re, im float64) complex64 { return complex(float32(re), float32(im)) }, 1e-4,
			func(a, b complex64) float64 { return math.Hypot(float64(real(a-b)), float64(imag(a-b))) }})
	})
	t.Run("c128", func(t *testing.T) {
		check(t, kernels[complex128]{FromSparseC128, FromDenseC128, ToDenseC128, ToSparseC128, ComponentsC128, ProductC128, TransposeC128, SparseRoomC128, SparseProductC128, CholeskyC128,
			func(re, im float64) complex128 { return complex(re, im) }, 1e-12, func(a, b complex128) float64 { return math.Hypot(real(a-b), imag(a-b)) }})
	})
}

// random returns a batch of random dense matrices. About 60% of the elements are left 0. The result
// indices holds the positions of the remaining elements.
func random[T field](r *rand.Rand, k *kernels[T], batch, rows, cols int) (dense []T, indices []int64) {
	dense = make([]T, batch*rows*cols)
	for i := range dense {
		if r.Float64() < 0.4 {
			dense[i] = k.of(float64(r.IntN(9)-4)/2, float64(r.IntN(9)-4)/2)
			indices = append(indices, int64(i/(rows*cols)), int64(i/cols%rows), int64(i%cols))
		}
	}
	return dense, indices
}

// turn returns a copy of the batch of dense matrices in x. The copies are transposed if f.Transpose
// is set, and conjugated if f.Conj is set.
func turn[T field](x []T, batch, rows, cols int, f Form, conj func(T) T) []T {
	out := make([]T, len(x))
	for i, v := range x {
		if f.Conj {
			v = conj(v)
		}
		if f.Transpose {
			b, r, c := i/(rows*cols), i/cols%rows, i%cols
			out[(b*cols+c)*rows+r] = v
		} else {
			out[i] = v
		}
	}
	return out
}

// times returns the products a·b of two batches of dense matrices.
func times[T field](a, b []T, batch, rows, inner, cols int) []T {
	out := make([]T, batch*rows*cols)
	for i := range out {
		at, r, c := i/(rows*cols), i/cols%rows, i%cols
		for k := range inner {
			out[i] += a[(at*rows+r)*inner+k] * b[(at*inner+k)*cols+c]
		}
	}
	return out
}

var forms = []Form{{}, {Transpose: true}, {Conj: true}, {true, true}}

func check[T field](t *testing.T, k kernels[T]) {
	r := rand.New(rand.NewPCG(1, 2))
	conj := func(v T) T {
		switch c := any(v).(type) {
		case complex64:
			return any(conj64(c)).(T)
		case complex128:
			return any(conj128(c)).(T)
		}
		return v
	}
	near := func(what string, got, want []T) {
		t.Helper()
		for i := range want {
			if d := k.distance(got[i], want[i]); !(d <= k.tolerance) {
				t.Fatalf("%s: element %d is %v, want %v", what, i, got[i], want[i])
			}
		}
	}
	for range 20 {
		batch, rows, cols, wide := 1+r.IntN(3), 1+r.IntN(4), 1+r.IntN(4), 1+r.IntN(4)
		dense, indices := random(r, &k, batch, rows, cols)
		h, same := make([]tensor.Handle, 1), make([]tensor.Handle, 1)
		ok(t, "FromDense", k.fromDense(h, dense, indices, []int{batch, rows, cols}))
		n, err := Count(h, -1)
		ok(t, "Count", err)
		ix, values, shape := make([]int64, 3*n), make([]T, n), make([]int64, 3)
		ok(t, "ToSparse", k.toSparse(ix, values, shape, h))
		if n > 0 {
			equal(t, "indices", ix, indices)
		}
		ok(t, "FromSparse", k.fromSparse(same, ix, values, shape))
		got := make([]T, len(dense))
		ok(t, "ToDense", k.toDense(got, same))
		equal(t, "ToDense", got, dense)
		for _, f := range forms {
			turned := make([]tensor.Handle, 1)
			ok(t, "Transpose", k.transpose(turned, h, f))
			ok(t, "ToDense", k.toDense(got, turned))
			equal(t, "Transpose", got, turn(dense, batch, rows, cols, f, conj))
			room, err := TransposedRoom(h)
			if err != nil || room != batch*(cols+1) {
				t.Error(room, err)
			}
		}
		for _, fa := range forms {
			m, inner := rows, cols
			if fa.Transpose {
				m, inner = cols, rows
			}
			a := turn(dense, batch, rows, cols, fa, conj)
			for _, fb := range forms {
				br, bc := inner, wide
				if fb.Transpose {
					br, bc = wide, inner
				}
				other, at := random(r, &k, batch, br, bc)
				c := times(a, turn(other, batch, br, bc, fb, conj), batch, m, inner, wide)
				for _, out := range forms {
					p := Product{A: fa, B: fb, Out: out, BRows: br, BCols: bc}
					got := make([]T, batch*m*wide)
					ok(t, "Product", k.product(nil, got, h, other, p))
					near("Product", got, turn(c, batch, m, wide, out, conj))
				}
				b, prod := make([]tensor.Handle, 1), make([]tensor.Handle, 1)
				ok(t, "FromDense", k.fromDense(b, other, at, []int{batch, br, bc}))
				n, err := k.room(nil, h, b, fa, fb)
				ok(t, "SparseRoom", err)
				ok(t, "SparseProduct", k.sparse(nil, prod, h, b, fa, fb, n))
				if have, _ := Count(prod, -1); have != n {
					t.Errorf("%d values, room for %d", have, n)
				}
				got := make([]T, batch*m*wide)
				ok(t, "ToDense", k.toDense(got, prod))
				near("SparseProduct", got, c)
			}
		}
		checkCholesky(t, &k, r, batch, rows, conj, near)
	}
	other := []tensor.Handle{{V: &Matrix{RowPtr: []int32{0}, Values: []int8{}}}}
	one := make([]tensor.Handle, 1)
	ok(t, "FromSparse", k.fromSparse(one, nil, nil, []int64{2, 3}))
	invalid(t, "FromSparse", k.fromSparse(one, []int64{0, 3}, make([]T, 1), []int64{2, 3}))
	ok(t, "FromSparse", k.fromSparse(one, nil, nil, []int64{2, 3}))
	invalid(t, "FromDense", k.fromDense(make([]tensor.Handle, 1), make([]T, 6), []int64{-1, 0}, []int{2, 3}))
	for _, h := range [][]tensor.Handle{other, nil, {{}}} {
		invalid(t, "ToDense", k.toDense(nil, h))
		invalid(t, "ToSparse", k.toSparse(nil, nil, nil, h))
		invalid(t, "Components", k.components(nil, nil, nil, h, []int32{0}))
		invalid(t, "Product", k.product(nil, nil, h, nil, Product{}))
		invalid(t, "Transpose", k.transpose(make([]tensor.Handle, 1), h, Form{}))
		_, err := k.room(nil, h, one, Form{}, Form{})
		invalid(t, "SparseRoom", err)
		_, err = k.room(nil, one, h, Form{}, Form{})
		invalid(t, "SparseRoom", err)
		invalid(t, "SparseProduct", k.sparse(nil, make([]tensor.Handle, 1), h, one, Form{}, Form{}, 0))
		invalid(t, "SparseProduct", k.sparse(nil, make([]tensor.Handle, 1), one, h, Form{}, Form{}, 0))
		invalid(t, "Cholesky", k.cholesky(nil, make([]tensor.Handle, 1), h, nil, 0))
	}
	invalid(t, "ToDense", k.toDense(make([]T, 5), one))
	invalid(t, "ToSparse", k.toSparse(make([]int64, 2), make([]T, 1), make([]int64, 2), one))
	invalid(t, "Components", k.components(make([]int32, 2), nil, nil, one, []int32{0}))
	invalid(t, "Components", k.components(make([]int32, 3), nil, nil, one, []int32{1}))
	invalid(t, "Product", k.product(nil, make([]T, 2), one, make([]T, 2), Product{BRows: 2, BCols: 1}))
	_, err := k.room(nil, one, one, Form{}, Form{})
	invalid(t, "SparseRoom", err)
	invalid(t, "SparseProduct", k.sparse(nil, make([]tensor.Handle, 1), one, one, Form{}, Form{}, 0))
}

// checkCholesky checks the Cholesky factors L of random matrices A·Aᴴ + I whose rows and columns
// are in a random order. L·Lᴴ must be near the permuted matrix, and L must be 0 above the diagonal.
// The negative of such a matrix must be rejected.
func checkCholesky[T field](t *testing.T, k *kernels[T], r *rand.Rand, batch, n int, conj func(T) T, near func(string, []T, []T)) {
	x, _ := random(r, k, batch, n, n)
	a := times(x, turn(x, batch, n, n, Form{true, true}, conj), batch, n, n, n)
	var indices []int64
	for i := range a {
		if i/n%n == i%n {
			a[i] += 1
		}
		if k.distance(a[i], 0) > 0 {
			indices = append(indices, int64(i/(n*n)), int64(i/n%n), int64(i%n))
		}
	}
	perm := make([]int32, 0, batch*n)
	for range batch {
		for _, p := range r.Perm(n) {
			perm = append(perm, int32(p))
		}
	}
	permuted := make([]T, len(a))
	for i := range a {
		b, row, col := i/(n*n), i/n%n, i%n
		permuted[i] = a[(b*n+int(perm[b*n+row]))*n+int(perm[b*n+col])]
	}
	h, f := make([]tensor.Handle, 1), make([]tensor.Handle, 1)
	ok(t, "FromDense", k.fromDense(h, a, indices, []int{batch, n, n}))
	room, err := CholeskyRoom(nil, h, perm)
	ok(t, "CholeskyRoom", err)
	ok(t, "Cholesky", k.cholesky(nil, f, h, perm, room))
	l := make([]T, len(a))
	ok(t, "ToDense", k.toDense(l, f))
	near("Cholesky", times(l, turn(l, batch, n, n, Form{true, true}, conj), batch, n, n, n), permuted)
	for i, v := range l {
		if i/n%n < i%n && k.distance(v, 0) > 0 {
			t.Errorf("element %d above the diagonal is %v", i, v)
		}
	}
	for i := range a {
		a[i] = -a[i]
	}
	ok(t, "FromDense", k.fromDense(h, a, indices, []int{batch, n, n}))
	invalid(t, "Cholesky", k.cholesky(nil, f, h, perm, room))
}

func TestComponents(t *testing.T) {
	h := make([]tensor.Handle, 1)
	ok(t, "FromSparse", FromSparseF32(h, []int64{0, 1, 2, 2, 0, 1, 2, 0, 0}, []float32{5, 6, 7}, []int64{3, 2, 3}))
	nnz := make([]int32, 3)
	ok(t, "NNZ", NNZ(nnz, h))
	equal(t, "NNZ", nnz, []int32{1, 0, 2})
	n, err := CountOf(h, []int32{2})
	ok(t, "CountOf", err)
	ptr, col, values := make([]int32, 3), make([]int32, n), make([]float32, n)
	ok(t, "Components", ComponentsF32(ptr, col, values, h, []int32{2}))
	equal(t, "rows", ptr, []int32{0, 2, 2})
	equal(t, "columns", col, []int32{1, 0})
	equal(t, "values", values, []float32{6, 7})
	for _, i := range []int32{-1, 3} {
		_, err := CountOf(h, []int32{i})
		invalid(t, "CountOf", err)
	}
	for k, want := range []int{3, 2, 3} {
		if d, err := Dim(h, k, 3); err != nil || d != want {
			t.Error(d, err)
		}
	}
	_, err = Dim(h, 0, 2)
	invalid(t, "Dim", err)
	ok(t, "IsShape", IsShape(h, []int{3, -1, 3}))
	invalid(t, "IsShape", IsShape(h, []int{3, 3, 3}))
	invalid(t, "IsShape", IsShape(h, []int{3, 3}))
	invalid(t, "NNZ", NNZ(nnz[:2], h))
	invalid(t, "back", FromSparseF32(make([]tensor.Handle, 1), []int64{1, 0, 0, 0, 0, 0}, []float32{5, 6}, []int64{2, 1, 1}))
	none := make([]tensor.Handle, 1)
	ok(t, "FromSparse", FromSparseF32(none, nil, nil, []int64{0, 2, 2}))
	for _, h := range [][]tensor.Handle{nil, {{V: 1}}, none} {
		_, err := Dim(h, 0, 3)
		invalid(t, "Dim", err)
		_, err = Count(h, -1)
		invalid(t, "Count", err)
		_, err = CountOf(h, []int32{0})
		invalid(t, "CountOf", err)
		_, err = TransposedRoom(h)
		invalid(t, "TransposedRoom", err)
		_, err = CholeskyRoom(nil, h, nil)
		invalid(t, "CholeskyRoom", err)
		_, err = OrderRoom(h)
		invalid(t, "OrderRoom", err)
		invalid(t, "Order", Order(nil, nil, nil, h))
		invalid(t, "IsShape", IsShape(h, nil))
		invalid(t, "NNZ", NNZ(nil, h))
	}
	Reserve(nil)
}

func TestRoom(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		n     int
		want  int // -1: refused
	}{
		{[]int64{2, 3}, 1, 3}, {[]int64{4, 2, 3}, 1, 12}, {[]int64{0, 2, 3}, 0, 0},
		{[]int64{2}, 1, -1}, {[]int64{1, 1, 2, 3}, 1, -1}, {[]int64{-2, 3}, 0, -1}, {[]int64{2, -3}, 0, -1}, {[]int64{1 << 40, 3}, 0, -1}, {[]int64{1 << 20, 1 << 20, 3}, 0, -1},
		{[]int64{math.MaxInt32, 0, 1}, 0, -1}, {[]int64{2, 3}, math.MaxInt32 + 1, -1}, {[]int64{2, 1 << 40}, 0, -1}, {[]int64{1 << 62, 1 << 62}, 0, -1},
	} {
		dims := make([]int, len(c.shape))
		for k, d := range c.shape {
			dims[k] = int(d)
		}
		n, err := RoomOf(c.shape, c.n)
		m, err2 := RoomOfDims(dims, c.n)
		if c.want < 0 {
			invalid(t, "RoomOf", err)
			invalid(t, "RoomOfDims", err2)
		} else if n != c.want || m != c.want || err != nil || err2 != nil {
			t.Errorf("%v: %d, %d, %v, %v", c.shape, n, m, err, err2)
		}
	}
}

// TestLargeProduct checks that a product with more values than an int32 can count is refused at
// once.
func TestLargeProduct(t *testing.T) {
	const n = 47000
	a, b := make([]tensor.Handle, 1), make([]tensor.Handle, 1)
	col, row, ones := make([]int64, 2*n), make([]int64, 2*n), make([]float32, n)
	for i := range int64(n) {
		col[2*i], row[2*i+1] = i, i
	}
	ok(t, "FromSparse", FromSparseF32(a, col, ones, []int64{n, 1}))
	ok(t, "FromSparse", FromSparseF32(b, row, ones, []int64{1, n}))
	if _, err := SparseRoomF32(nil, a, b, Form{}, Form{}); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Error(err)
	}
	ok(t, "FromSparse", FromSparseF32(b, row[:2*n/2], ones[:n/2], []int64{1, n}))
	if room, err := SparseRoomF32(nil, a, b, Form{}, Form{}); err != nil || room != n*(n/2) {
		t.Error(room, err)
	}
}

func TestCholeskyRefuses(t *testing.T) {
	h := make([]tensor.Handle, 1)
	ok(t, "FromSparse", FromSparseF32(h, []int64{0, 0, 1, 1}, []float32{1, 1}, []int64{2, 2}))
	for _, perm := range [][]int32{{0}, {0, 0}, {0, 2}, {-1, 0}} {
		_, err := CholeskyRoom(nil, h, perm)
		invalid(t, "CholeskyRoom", err)
	}
	ok(t, "FromSparse", FromSparseF32(h, nil, nil, []int64{2, 3}))
	_, err := CholeskyRoom(nil, h, []int32{0, 1})
	invalid(t, "not square", err)
	_, err = OrderRoom(h)
	invalid(t, "not square", err)
	invalid(t, "Order", Order(nil, make([]int32, 3), nil, h))
}

// grid returns the indices of the nonzero elements of the adjacency matrix of a grid of w×w points,
// including the diagonal. Each pair m of the variadic parameter adds edges, which connect point m[0]
// with every point whose number is a multiple of m[1].
func grid(w int, more ...[2]int) []int64 {
	n := w * w
	near := make([][]bool, n)
	for i := range near {
		near[i] = make([]bool, n)
		near[i][i] = true
	}
	link := func(i, j int) { near[i][j], near[j][i] = true, true }
	for i := range n {
		if i%w > 0 {
			link(i, i-1)
		}
		if i >= w {
			link(i, i-w)
		}
	}
	for _, m := range more {
		for j := range n {
			if j%m[1] == 0 {
				link(m[0], j)
			}
		}
	}
	var indices []int64
	for i := range n {
		for j := range n {
			if near[i][j] {
				indices = append(indices, int64(i), int64(j))
			}
		}
	}
	return indices
}

// TestOrder checks that orderings are permutations. In cases with fewer == true, the Cholesky factor
// must also have at most three quarters of the values that it has in the original order. Other tests
// run cases recorded from TensorFlow and compare the orderings with TensorFlow's.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name    string
		n       int
		indices []int64
		fewer   bool
	}{
		{"grid", 144, grid(12), true},
		{"dense rows", 144, grid(12, [2]int{50, 1}, [2]int{90, 1}), false},
		{"long rows", 144, grid(12, [2]int{5, 3}, [2]int{71, 4}, [2]int{133, 5}), true},
		{"alone", 3, []int64{0, 0, 1, 1, 2, 2}, false},
		{"no diagonal", 3, []int64{0, 0, 1, 0, 2, 2}, false},
		{"nothing", 4, nil, false},
		{"empty", 0, nil, false},
	} {
		h := make([]tensor.Handle, 1)
		ok(t, c.name, FromSparseF32(h, c.indices, make([]float32, len(c.indices)/2), []int64{int64(c.n), int64(c.n)}))
		n, err := OrderRoom(h)
		ok(t, c.name, err)
		perm, room := make([]int32, c.n), make([]int32, n)
		for i := range room {
			room[i] = 99 // another run's leftovers
		}
		ok(t, c.name, Order(nil, perm, room, h))
		sorted := slices.Sorted(slices.Values(perm))
		for i, p := range sorted {
			if p != int32(i) {
				t.Fatalf("%s: %v is no permutation", c.name, perm)
			}
		}
		if !c.fewer {
			continue
		}
		after, err := CholeskyRoom(nil, h, perm)
		ok(t, c.name, err)
		before, err := CholeskyRoom(nil, h, sorted)
		ok(t, c.name, err)
		if after*4 > before*3 {
			t.Errorf("%s: the factor has %d values, %d as it was", c.name, after, before)
		}
	}
}

// TestEnds checks that the kernels for products and Cholesky factors stop early when the run has
// ended.
func TestEnds(t *testing.T) {
	const n = 200
	at, dense, perm := make([]int64, 0, 2*n*n), make([]float32, n*n), make([]int32, n)
	for i := range n * n {
		at = append(at, int64(i/n), int64(i%n))
		dense[i] = 1
	}
	for i := range n {
		dense[i*n+i], perm[i] = n, int32(i)
	}
	h, out := make([]tensor.Handle, 1), make([]tensor.Handle, 1)
	ok(t, "FromDense", FromDenseF32(h, dense, at, []int{n, n}))
	all.Ends(t, "product with a dense matrix", []any{ProductF32}, make([]float32, n*n), h, dense, Product{BRows: n, BCols: n})
	all.Ends(t, "size of a product", []any{SparseRoomF32}, h, h, Form{}, Form{})
	all.Ends(t, "product", []any{SparseProductF32}, out, h, h, Form{}, Form{}, n*n)
	all.Ends(t, "factor", []any{CholeskyF32}, out, h, perm, n*n)
}
