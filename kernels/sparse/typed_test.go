package sparse

import (
	"reflect"
	"slices"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// elems converts numbers to a slice of type t.
func elems(t reflect.Type, vs []float64) reflect.Value {
	out := reflect.MakeSlice(t, len(vs), len(vs))
	for i, v := range vs {
		e := out.Index(i)
		switch {
		case t.Elem() == reflect.TypeFor[tensor.F16]():
			e.SetUint(uint64(tensor.ToF16(float32(v))))
		case t.Elem() == reflect.TypeFor[tensor.BF16]():
			e.SetUint(uint64(tensor.ToBF16(float32(v))))
		case e.CanComplex():
			e.SetComplex(complex(v, 0))
		case e.CanFloat():
			e.SetFloat(v)
		case e.CanInt():
			e.SetInt(int64(v))
		default:
			e.SetUint(uint64(v))
		}
	}
	return out
}

// numbers is the inverse of elems.
func numbers(s reflect.Value) []float64 {
	out := make([]float64, s.Len())
	for i := range out {
		e := s.Index(i)
		switch v := e.Interface().(type) {
		case tensor.F16:
			out[i] = float64(v.Float32())
		case tensor.BF16:
			out[i] = float64(v.Float32())
		default:
			switch {
			case e.CanComplex():
				out[i] = real(e.Complex())
			case e.CanFloat():
				out[i] = e.Float()
			case e.CanInt():
				out[i] = float64(e.Int())
			default:
				out[i] = float64(e.Uint())
			}
		}
	}
	return out
}

// run calls a typed kernel. It converts each []float64 in args to the type of the kernel's
// parameter. It returns the first of these slices after the call, and the kernel's results.
func run(fn any, args ...any) ([]float64, []reflect.Value) {
	f := reflect.ValueOf(fn)
	in := make([]reflect.Value, len(args))
	first := -1
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
		if vs, ok := a.([]float64); ok {
			in[i] = elems(f.Type().In(i), vs)
			if first < 0 {
				first = i
			}
		}
	}
	out := f.Call(in)
	return numbers(in[first]), out
}

// fails returns the code of the error that a kernel called by run returns.
func fails(fn any, args ...any) tensor.Code {
	_, out := run(fn, args...)
	err, _ := out[len(out)-1].Interface().(error)
	return tensor.CodeOf(err)
}

func TestAddUnion(t *testing.T) {
	a, b := []int64{0, 0, 0, 2, 1, 1}, []int64{0, 2, 1, 0, 1, 1, 2, 2}
	for i, fn := range []any{AddUnionF32, AddUnionF64, AddUnionI8, AddUnionI16, AddUnionI32, AddUnionI64, AddUnionC64, AddUnionC128} {
		values := []any{AddValuesF32, AddValuesF64, AddValuesI8, AddValuesI16, AddValuesI32, AddValuesI64, AddValuesC64, AddValuesC128}[i]
		fa, fb := make([]int64, 7), make([]int64, 7)
		x, y := []float64{1, 2, 3}, []float64{-2, 4, -6, 5}
		_, out := run(fn, fa, fb, a, b, x, y, []float64{2}, 2)
		n := int(out[0].Int())
		if n != 4 {
			t.Fatalf("%T: %d rows %v %v", fn, n, fa, fb)
		}
		rows := make([]int64, 2*n)
		UnionRows(rows, fa[:n], fb[:n], a, b, 2)
		got, _ := run(values, make([]float64, n), x, y, fa[:n], fb[:n])
		if !reflect.DeepEqual(got, []float64{1, 4, -3, 5}) || !reflect.DeepEqual(rows, []int64{0, 0, 1, 0, 1, 1, 2, 2}) {
			t.Errorf("%T: %v at %v", fn, got, rows)
		}
	}
	if n := Union(make([]int64, 3), make([]int64, 3), nil, nil, 1, 2, 0); n != 2 {
		t.Errorf("scalars: %d rows", n)
	}
	UnionRows(nil, []int64{0, -1}, []int64{0, 1}, nil, nil, 0)
}

func TestAddAt(t *testing.T) {
	for _, fn := range []any{AddAtF32, AddAtF64, AddAtF16, AddAtBF16, AddAtI8, AddAtI16, AddAtI32, AddAtI64, AddAtU8, AddAtU16, AddAtU32, AddAtU64, AddAtC64, AddAtC128} {
		if got, _ := run(fn, []float64{1, 2, 3}, []float64{5, 6, 7}, []int64{2, 0, 2}); !reflect.DeepEqual(got, []float64{7, 2, 15}) {
			t.Errorf("%T: %v", fn, got)
		}
	}
}

func TestGroups(t *testing.T) {
	indices, shape := []int64{1, 0, 0, 0, 1, 2, 0, 1}, []int64{2, 3}
	order, starts, dims := make([]int64, 4), make([]int64, 5), make([]int64, 2)
	n, err := Groups(nil, order, starts, dims, indices, shape, []int32{-1})
	if err != nil || n != 2 || !reflect.DeepEqual(starts[:3], []int64{0, 2, 4}) || !reflect.DeepEqual(order, []int64{1, 3, 0, 2}) {
		t.Fatal(n, order, starts, err)
	}
	values := []float64{5, 1, 7, 2}
	for _, fn := range []any{SumGroupsF32, SumGroupsF64, SumGroupsF16, SumGroupsBF16, SumGroupsI8, SumGroupsI16, SumGroupsI32, SumGroupsI64, SumGroupsU8, SumGroupsU16, SumGroupsU32, SumGroupsU64, SumGroupsC64, SumGroupsC128} {
		if got, _ := run(fn, make([]float64, 3), values, order, starts[:3], GroupParams{At: []int64{2, 0}}); !reflect.DeepEqual(got, []float64{12, 0, 3}) {
			t.Errorf("%T: %v", fn, got)
		}
	}
	for _, fn := range []any{MaxGroupsF32, MaxGroupsF64, MaxGroupsF16, MaxGroupsBF16, MaxGroupsI8, MaxGroupsI16, MaxGroupsI32, MaxGroupsI64, MaxGroupsU8, MaxGroupsU16, MaxGroupsU32, MaxGroupsU64} {
		if got, _ := run(fn, make([]float64, 2), values, order, starts[:3], GroupParams{}); !reflect.DeepEqual(got, []float64{2, 7}) {
			t.Errorf("%T: %v", fn, got)
		}
	}
	for _, fn := range []any{SoftmaxF32, SoftmaxF64, SoftmaxF16} {
		got, _ := run(fn, make([]float64, 4), []float64{0, 3, 0, 3}, order, starts[:3])
		if !reflect.DeepEqual(got, []float64{.5, .5, .5, .5}) {
			t.Errorf("%T: %v", fn, got)
		}
		// The larger of the two values of a group comes second, so that the running maximum changes.
		got, _ = run(fn, make([]float64, 4), []float64{0, 0, 9, 9}, order, starts[:3])
		if got[1] < .999 || got[1] > 1 || got[0] > .001 {
			t.Errorf("%T: %v", fn, got)
		}
	}
	kept := make([]int64, 4)
	KeptRows(kept, order, starts[:3], indices, 2, []int32{1}, true)
	if !reflect.DeepEqual(kept, []int64{0, 0, 1, 0}) {
		t.Errorf("rows %v", kept)
	}
	KeptRows(kept, order, starts[:3], indices, 2, []int32{1}, false)
	if !reflect.DeepEqual(kept[:2], []int64{0, 1}) {
		t.Errorf("rows %v", kept)
	}
	at := make([]int64, 2)
	if err := KeptPlaces(at, order, starts[:3], indices, shape, []int32{1}, 2); err != nil || at[1] != 1 {
		t.Error(at, err)
	}
	if err := KeptPlaces(at, order, starts[:3], indices, shape, []int32{1}, 1); tensor.CodeOf(err) != tensor.Internal {
		t.Error(err)
	}
	for _, axis := range []int32{2, -3} {
		if _, err := Groups(nil, order, starts, dims, indices, shape, []int32{axis}); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(err)
		}
		if _, err := Kept([]int32{axis}, 2); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(err)
		}
		if err := KeptRank(2, 2, []int32{axis}, true); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(err)
		}
	}
	if _, err := Groups(nil, order, starts, dims, indices, []int64{2, -1}, nil); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestKept(t *testing.T) {
	shape := []int64{4, 5, 6}
	for _, c := range []struct {
		axes []int32
		keep bool
		want []int64
	}{
		{nil, false, []int64{4, 5, 6}}, {[]int32{1, -2}, false, []int64{4, 6}}, {[]int32{-3, 2}, true, []int64{1, 5, 1}}, {[]int32{0, 1, 2}, false, []int64{}},
	} {
		out := make([]int64, len(c.want))
		if KeptShape(out, shape, c.axes, c.keep); !reflect.DeepEqual(out, c.want) {
			t.Errorf("%v: %v, want %v", c.axes, out, c.want)
		}
		for k, v := range c.want {
			if d, err := KeptDim(k, shape, c.axes, c.keep); err != nil || d != int(v) {
				t.Errorf("%v: dimension %d is %d, %v", c.axes, k, d, err)
			}
		}
		if _, err := KeptDim(len(c.want), shape, c.axes, c.keep); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(err)
		}
		if err := KeptRank(len(c.want), 3, c.axes, c.keep); err != nil {
			t.Error(err)
		}
		if err := KeptRank(len(c.want)+1, 3, c.axes, c.keep); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Error(err)
		}
	}
	if _, err := KeptDim(0, []int64{-1}, nil, false); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestProduct(t *testing.T) {
	indices, values := []int64{0, 1, 1, 0, 1, 2}, []float64{2, 3, 4} // [[0 2 0] [3 0 4]]
	for _, fn := range []any{ProductF32, ProductF64, ProductI32, ProductC64, ProductC128, ProductHalfF16, ProductHalfBF16} {
		for _, c := range []struct {
			p    Product
			b    []float64
			want []float64
		}{
			{Product{Rows: 2, Inner: 3, Cols: 2}, []float64{1, 2, 3, 4, 5, 6}, []float64{6, 8, 23, 30}},
			{Product{Rows: 2, Inner: 3, Cols: 2, AdjointB: true}, []float64{1, 3, 5, 2, 4, 6}, []float64{6, 8, 23, 30}},
			{Product{Rows: 3, Inner: 2, Cols: 1, AdjointA: true}, []float64{1, 2}, []float64{6, 2, 8}},
			{Product{Rows: 2, Inner: 0, Cols: 1}, []float64{}, []float64{0, 0}},
		} {
			args := []any{(*mem.Budget)(nil), make([]float64, len(c.want)), values, c.b, indices, c.p}
			if reflect.TypeOf(fn).NumIn() == 7 {
				args = []any{(*mem.Budget)(nil), make([]float64, len(c.want)), values, c.b, make([]float32, len(c.want)), indices, c.p}
			}
			if got, out := run(fn, args...); !out[0].IsNil() || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%T %+v: %v %v", fn, c.p, got, out[0])
			}
			for _, bad := range [][]int64{{0, -1}, {0, 3}, {2, 0}, {-1, 0}} {
				if c.p.Inner != 3 {
					continue
				}
				args[len(args)-2], args[2] = bad, []float64{1}
				if code := fails(fn, args...); code != tensor.InvalidArgument {
					t.Errorf("%T at %v: %v", fn, bad, code)
				}
			}
		}
	}
	if c := conj64(1 + 2i); c != 1-2i {
		t.Error(c)
	}
	got := make([]complex128, 1)
	if err := ProductC128(nil, got, []complex128{2i}, []complex128{1 + 1i}, []int64{0, 0}, Product{Rows: 1, Inner: 1, Cols: 1, AdjointA: true, AdjointB: true}); err != nil || got[0] != -2-2i {
		t.Error(got, err)
	}
}

// TestProductEnds checks that products of many values with wide rows stop when the run ends.
func TestProductEnds(t *testing.T) {
	const n, cols = 1 << 11, 1 << 10
	for _, adjoint := range []bool{false, true} {
		args := []any{typed.Out(cols), typed.Seq(0, n), typed.Seq(0, cols), make([]int64, 2*n), Product{Rows: 1, Inner: 1, Cols: cols, AdjointB: adjoint}}
		typed.Ends(t, "product", []any{ProductF32, ProductF64, ProductI32, ProductC64, ProductC128}, args...)
		args = slices.Insert(args, 3, any(make([]float32, cols)))
		typed.Ends(t, "product", []any{ProductHalfF16, ProductHalfBF16}, args...)
	}
}
