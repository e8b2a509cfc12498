package train

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// inputs makes the variables and the other inputs of a float32 kernel. The variables get the given
// shape. The gradient of a kernel that updates rows has one row for each index; any other gradient
// has the variables' shape. gshape is the gradient's shape.
func inputs(fn any, name string, shape []int, indices []int64) (vars []*resource.Var, ins []any, gshape []int) {
	n, g := 1, 1
	for _, d := range shape {
		n *= d
	}
	gshape, g = shape, n
	if strings.HasPrefix(name, "Sparse") {
		gshape = append([]int{len(indices)}, shape[1:]...)
		g = len(indices)
		for _, d := range shape[1:] {
			g *= d
		}
	}
	fill := func(n int, k float64) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(math.Sin(float64(i)*1.7+k) + k/8)
		}
		return x
	}
	t := reflect.TypeOf(fn)
	k := 0
	for ; t.In(k) == reflect.TypeFor[[]tensor.Handle](); k++ {
		x := fill(n, float64(k))
		for i := range x {
			if k > 0 {
				x[i] = x[i]*x[i] + 2
				if k == 1 && strings.HasSuffix(name, "CenteredRMSProp") {
					x[i] /= 16 // a mean whose square is below the mean square
				}
			}
		}
		vars = append(vars, newVar("v"+strconv.Itoa(k), shape, x))
	}
	floats := 0
	rest := t.NumIn() - 3
	gradAt := gradients[strings.TrimPrefix(name, "Sparse")]
	for i := k; i < rest; i++ {
		switch {
		case i == gradAt:
			ins = append(ins, fill(g, 5))
		case i == gradAt+1 && strings.HasPrefix(name, "Sparse"):
			ins = append(ins, indices)
		case t.In(i) == reflect.TypeFor[[]int64]():
			ins = append(ins, []int64{2})
		default:
			floats++
			ins = append(ins, []float32{float32(floats) / 16})
		}
		if strings.Contains(name, "Ftrl") && i == rest-1 {
			ins[len(ins)-1] = []float32{-0.5}
		}
	}
	return vars, ins, gshape
}

// gradients maps a kernel's name to the position of the gradient among the inputs.
var gradients = map[string]int{"GradientDescent": 2, "Momentum": 3, "KerasMomentum": 3, "Adam": 9, "AdamWithAmsgrad": 10, "AdaMax": 8,
	"Adagrad": 3, "AdagradV2": 4, "AdagradDA": 3, "Adadelta": 6, "RMSProp": 7, "CenteredRMSProp": 8, "Ftrl": 3, "FtrlV2": 3,
	"AddSign": 6, "PowerSign": 6, "ProximalGradientDescent": 4, "ProximalAdagrad": 5}

// TestLengths compares an update of n elements with n updates of one.
func TestLengths(t *testing.T) {
	for name, byType := range kernels {
		if strings.HasPrefix(name, "Sparse") {
			continue
		}
		fn := byType["f32"]
		for _, n := range []int{0, 1, 2, 7, 8, 15, 16, 17, 63, 100, 511, 512, 513, 1024, 1537} {
			vars, ins, shape := inputs(fn, name, []int{n}, nil)
			one, each, _ := inputs(fn, name, []int{n}, nil)
			p := Params{Slots: true}
			if err := call(fn, vars, ins, shape, p); err != nil {
				t.Fatal(name, err)
			}
			g := gradients[name] - len(vars)
			grad := each[g].([]float32)
			for i := range n {
				var single []*resource.Var
				for k, v := range one {
					single = append(single, newVar(strconv.Itoa(k), []int{}, v.Data.([]float32)[i:][:1]))
				}
				each[g] = grad[i:][:1]
				if err := call(fn, single, each, []int{}, p); err != nil {
					t.Fatal(name, err)
				}
			}
			for k := range vars {
				got, want := parts(vars[k].Data), parts(one[k].Data)
				for i := range want {
					if d := math.Abs(got[i] - want[i]); d > 4*math.Abs(want[i])/(1<<23) {
						t.Fatalf("%s of %d elements, variable %d[%d]: %v, want %v", name, n, k, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestRows compares an update of rows, some of them repeated, with separate updates of each row.
func TestRows(t *testing.T) {
	indices := []int64{3, 0, 3, 3, 1}
	for name, byType := range kernels {
		if !strings.HasPrefix(name, "Sparse") {
			continue
		}
		fn := byType["f32"]
		for _, inner := range []int{1, 3, 515} {
			shape := []int{4, inner}
			vars, ins, gshape := inputs(fn, name, shape, indices)
			one, each, _ := inputs(fn, name, shape, indices)
			p := Params{Slots: true, Nesterov: true}
			if err := call(fn, vars, ins, gshape, p); err != nil {
				t.Fatal(name, err)
			}
			g := gradients[strings.TrimPrefix(name, "Sparse")] - len(vars)
			grad := each[g].([]float32)
			for i := range indices {
				each[g], each[g+1] = grad[i*inner:][:inner], indices[i:][:1]
				if err := call(fn, one, each, []int{1, inner}, p); err != nil {
					t.Fatal(name, err)
				}
			}
			for k := range vars {
				if !reflect.DeepEqual(vars[k].Data, one[k].Data) {
					t.Errorf("%s of rows of %d: variable %d is %v, want %v", name, inner, k, vars[k].Data, one[k].Data)
				}
				if x, _, _ := inputs(fn, name, shape, indices); !reflect.DeepEqual(x[k].Data.([]float32)[2*inner:3*inner], vars[k].Data.([]float32)[2*inner:3*inner]) {
					t.Errorf("%s changes a row of variable %d that no index names", name, k)
				}
			}
		}
	}
}

func TestRefused(t *testing.T) {
	ones := func(n int) []float32 { return make([]float32, n) }
	v := func(shape ...int) *resource.Var {
		n := 1
		for _, d := range shape {
			n *= d
		}
		return newVar("w", shape, ones(n))
	}
	lr := []float32{1}
	empty := &resource.Var{Name: "w"}
	double := newVar("w", []int{2}, make([]float64, 2))
	ftrl := func(numbers ...float32) []any {
		ins := []any{ones(2), []int64{0}}
		for _, x := range numbers {
			ins = append(ins, []float32{x})
		}
		return ins
	}
	v3 := []*resource.Var{v(1, 2), v(1, 2), v(1, 2)}
	for _, c := range []struct {
		what  string
		fn    any
		vars  []*resource.Var
		ins   []any
		shape []int
		code  tensor.Code
	}{
		{"a variable without a value", AdagradF32, []*resource.Var{v(2), empty}, []any{lr, ones(2)}, []int{2}, tensor.FailedPrecondition},
		{"a variable of another type", AdagradF32, []*resource.Var{v(2), double}, []any{lr, ones(2)}, []int{2}, tensor.InvalidArgument},
		{"variables of two shapes", AdagradF32, []*resource.Var{v(2), v(3)}, []any{lr, ones(2)}, []int{2}, tensor.InvalidArgument},
		{"a gradient of another length", AdagradF32, []*resource.Var{v(2), v(2)}, []any{lr, ones(3)}, []int{3}, tensor.InvalidArgument},
		{"a gradient of another rank", AdagradF32, []*resource.Var{v(2), v(2)}, []any{lr, ones(2)}, []int{2, 1}, tensor.InvalidArgument},
		{"an index beyond the rows", SparseAdagradF32, []*resource.Var{v(2, 2), v(2, 2)}, []any{lr, ones(2), []int64{2}}, []int{1, 2}, tensor.InvalidArgument},
		{"a negative index", SparseMomentumF32, []*resource.Var{v(2, 2), v(2, 2)}, []any{lr, ones(2), []int64{-1}, lr}, []int{1, 2}, tensor.InvalidArgument},
		{"more indices than rows", SparseAdagradF32, []*resource.Var{v(2, 2), v(2, 2)}, []any{lr, ones(2), []int64{0, 1}}, []int{1, 2}, tensor.InvalidArgument},
		{"rows of another length", SparseAdagradF32, []*resource.Var{v(2, 2), v(2, 2)}, []any{lr, ones(3), []int64{0}}, []int{1, 3}, tensor.InvalidArgument},
		{"rows of a scalar", SparseAdagradF32, []*resource.Var{v(), v()}, []any{lr, ones(1), []int64{0}}, []int{1}, tensor.InvalidArgument},
		{"empty rows", SparseAdagradF32, []*resource.Var{v(2, 0), v(2, 0)}, []any{lr, ones(0), []int64{0}}, []int{1, 0}, tensor.InvalidArgument},
		{"empty rows of momentum", SparseMomentumF32, []*resource.Var{v(2, 0), v(2, 0)}, []any{lr, ones(0), []int64{0}, lr}, []int{1, 0}, tensor.OK},
		{"a rate of 0", ProximalAdagradF32, []*resource.Var{v(2), v(2)}, []any{ones(1), lr, lr, ones(2)}, []int{2}, tensor.InvalidArgument},
		{"a rate of 0 in rows", SparseFtrlF32, v3, ftrl(0, 1, 1, -0.5), []int{1, 2}, tensor.InvalidArgument},
		{"a negative l1 in rows", SparseFtrlF32, v3, ftrl(1, -1, 1, -0.5), []int{1, 2}, tensor.InvalidArgument},
		{"a positive power in rows", SparseFtrlF32, v3, ftrl(1, 1, 1, 0.5), []int{1, 2}, tensor.InvalidArgument},
		{"a negative shrinkage in rows", SparseFtrlV2F32, v3, ftrl(1, 1, 1, -1, -0.5), []int{1, 2}, tensor.InvalidArgument},
	} {
		err := call(c.fn, c.vars, c.ins, c.shape, Params{Slots: true})
		if (err == nil) != (c.code == tensor.OK) || err != nil && tensor.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %v", c.what, err, c.code)
		}
		for _, v := range c.vars {
			if !v.TryLock() {
				t.Fatalf("%s: a variable is left locked", c.what)
			}
			v.Unlock()
		}
	}
	if err := GradientDescentF32([]tensor.Handle{{}}, lr, ones(2), []int{2}, ones(Scratch), Params{}); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no variable: %v", err)
	}
}

// TestLocks checks that updates with the variables in different orders, and with one variable given
// twice, do not deadlock, and that no update is lost.
func TestLocks(t *testing.T) {
	var hs [3][]tensor.Handle
	var vs [3]*resource.Var
	for i := range hs {
		vs[i] = newVar(strconv.Itoa(i), []int{1}, []float32{0})
		hs[i] = []tensor.Handle{{V: vs[i]}}
	}
	const n = 500
	var wg sync.WaitGroup
	for i := range hs {
		wg.Go(func() {
			one, zero, scratch := []float32{1}, []float32{0}, make([]float32, Scratch)
			for range n {
				a, b := hs[i], hs[(i+1)%3]
				if err := MomentumF32(a, b, zero, one, one, []int{1}, scratch, Params{}); err != nil {
					t.Error(err)
				}
				if err := MomentumF32(a, a, zero, one, one, []int{1}, scratch, Params{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i, v := range vs {
		if x := v.Data.([]float32)[0]; x != 2*n {
			t.Errorf("variable %d was updated %v times, want %d", i, x, 2*n)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	vars, ins, shape := inputs(AdamF32, "Adam", []int{2000}, nil)
	var hs [3][]tensor.Handle
	for i, v := range vars {
		hs[i] = []tensor.Handle{{V: v}}
	}
	f := func(i int) []float32 { return ins[i].([]float32) }
	scratch := make([]float32, Scratch)
	if n := testing.AllocsPerRun(10, func() {
		if err := AdamF32(hs[0], hs[1], hs[2], f(0), f(1), f(2), f(3), f(4), f(5), f(6), shape, scratch, Params{}); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("an update allocates %v times", n)
	}
}

func BenchmarkAdam(b *testing.B) {
	vars, ins, shape := inputs(AdamF32, "Adam", []int{1 << 16}, nil)
	b.SetBytes(4 << 18)
	for range b.N {
		if err := call(AdamF32, vars, ins, shape, Params{}); err != nil {
			b.Fatal(err)
		}
	}
}
