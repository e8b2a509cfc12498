package variable

import (
	"slices"
	"sync"
	"testing"

	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func vec(dims ...int) Params { return Params{Name: "v", DType: tensor.Float32, Declared: dims} }

func f32(p Params, shape []int, x ...float32) []tensor.Handle {
	return []tensor.Handle{NewF32(p, shape, x)}
}

func unset(p Params) []tensor.Handle { return []tensor.Handle{New(p)} }

// value returns shape and elements of a variable.
func value(t *testing.T, h []tensor.Handle) ([]int, []float32) {
	t.Helper()
	v, err := resource.VarOf(h)
	if err != nil {
		t.Fatal(err)
	}
	d, err := resource.Values[float32](v)
	if err != nil {
		t.Fatal(err)
	}
	return v.Shape, d
}

func ref(p Params) Params { p.Ref = true; return p }

func open(p Params) Params { p.AnyRank, p.Declared = true, nil; return p }

func TestErrors(t *testing.T) {
	six := func() []tensor.Handle { return f32(vec(3, 2), []int{3, 2}, 1, 2, 3, 4, 5, 6) }
	f := tensor.Float32
	dst := make([]float32, 6)
	tests := map[string]struct {
		err  error
		code tensor.Code
	}{
		"read":                 {ReadF32(dst, six(), []int{3, 2}), tensor.OK},
		"read unset":           {ReadF32(dst, unset(vec(3, 2)), []int{3, 2}), tensor.FailedPrecondition},
		"read another type":    {ReadF64(make([]float64, 6), six(), []int{3, 2}), tensor.InvalidArgument},
		"read another shape":   {ReadF32(dst, six(), []int{2, 3}), tensor.InvalidArgument},
		"read nothing":         {ReadF32(dst, make([]tensor.Handle, 1), []int{2, 3}), tensor.NotFound},
		"read no variable":     {ReadF32(dst, []tensor.Handle{{V: 1}}, []int{2, 3}), tensor.InvalidArgument},
		"assign":               {AssignF32(unset(vec(3, -1)), dst, []int{3, 2}, AssignParams{DType: f}), tensor.OK},
		"assign another type":  {AssignF64(six(), make([]float64, 6), []int{3, 2}, AssignParams{DType: tensor.Float64}), tensor.InvalidArgument},
		"assign quantized":     {AssignI8(six(), make([]int8, 6), []int{3, 2}, AssignParams{DType: tensor.QInt8}), tensor.InvalidArgument},
		"assign another shape": {AssignF32(six(), dst[:4], []int{2, 2}, AssignParams{DType: f}), tensor.InvalidArgument},
		"assign undeclared":    {AssignF32(unset(vec(-1, 2)), dst[:3], []int{1, 3}, AssignParams{DType: f}), tensor.InvalidArgument},
		"assign validated":     {AssignF32(f32(open(vec()), []int{1}, 2), dst, []int{3, 2}, AssignParams{DType: f, Validate: true}), tensor.InvalidArgument},
		"assign any":           {AssignF32(f32(open(vec()), []int{1}, 2), dst, []int{3, 2}, AssignParams{DType: f}), tensor.OK},
		"add unset":            {AssignAddF32(unset(vec(3, 2)), dst, []int{3, 2}), tensor.NotFound},
		"add unset reference":  {AssignAddF32(unset(ref(vec(3, 2))), dst, []int{3, 2}), tensor.FailedPrecondition},
		"add another shape":    {AssignAddF32(six(), dst[:1], []int{}), tensor.InvalidArgument},
		"scatter":              {ScatterAddF32I32(six(), dst[:2], []int32{2}, []int{1}, []int{1, 2}, ScatterParams{}), tensor.OK},
		"scatter unset":        {ScatterAddF32I32(unset(vec(3, 2)), dst[:2], []int32{2}, []int{1}, []int{1, 2}, ScatterParams{}), tensor.NotFound},
		"scatter outside":      {ScatterAddF32I64(six(), dst[:2], []int64{3}, []int{1}, []int{1, 2}, ScatterParams{}), tensor.InvalidArgument},
		"scatter misfit":       {ScatterAddF32I32(six(), dst[:3], []int32{2}, []int{1}, []int{1, 3}, ScatterParams{}), tensor.InvalidArgument},
		"scatter nd scalar":    {ScatterAddF32I32(six(), dst[:1], []int32{}, []int{}, []int{}, ScatterParams{Nd: true}), tensor.InvalidArgument},
		"scatter nd too deep":  {ScatterAddF32I32(six(), dst[:1], []int32{0, 0, 0}, []int{3}, []int{}, ScatterParams{Nd: true}), tensor.InvalidArgument},
		"scatter lenient":      {ScatterUpdateF32I32(six(), dst[:2], []int32{-1}, []int{1, 1}, []int{1, 2}, ScatterParams{Nd: true, Lenient: true}), tensor.OK},
		"divide by zero": {ScatterDivI32I32([]tensor.Handle{NewI32(Params{DType: tensor.Int32, AnyRank: true}, []int{1}, []int32{4})}, []int32{0}, []int32{0},
			[]int{1}, []int{1}, ScatterParams{}), tensor.InvalidArgument},
		"gather outside":  {GatherF32I32(dst, six(), []int32{3}, []int{3, 2}, gather.Params{Batch: 1, Outer: 1, Limit: 3, N: 1, Inner: 2}), tensor.InvalidArgument},
		"gather reshaped": {GatherF32I32(dst, six(), []int32{0}, []int{2, 3}, gather.Params{Batch: 1, Outer: 1, Limit: 2, N: 1, Inner: 3}), tensor.InvalidArgument},
		"gather unset":    {GatherNdF32I32(dst, unset(vec(3, 2)), []int32{0}, []int{3, 2}, 1, 1, 2), tensor.NotFound},
		"destroy unset":   {Destroy(unset(vec()), false), tensor.NotFound},
		"destroy lenient": {Destroy(unset(vec()), true), tensor.OK},
		"require":         {Require(unset(vec())), tensor.FailedPrecondition},
		"shape unset":     {HasShape(unset(vec(1)), []int{1}), tensor.NotFound},
		"shape another":   {HasShape(six(), []int{1}), tensor.InvalidArgument},
		"count, a vector": {CountUpToI32(make([]int32, 1), []tensor.Handle{NewI32(Params{DType: tensor.Int32, AnyRank: true}, []int{1}, []int32{4})}, 9), tensor.InvalidArgument},
		"take rank":       {Take(make([]tensor.Handle, 1), six(), f, 1, true), tensor.InvalidArgument},
		"take any rank":   {Take(make([]tensor.Handle, 1), six(), f, -1, true), tensor.OK},
		"read all":        {ReadAllF32(dst, six()), tensor.OK},
		"read too much":   {ReadAllF32(dst[:5], six()), tensor.InvalidArgument},
		"read all, unset": {ReadAllF32(dst, unset(vec(3, 2))), tensor.FailedPrecondition},
		"take type":       {Take(make([]tensor.Handle, 1), six(), tensor.Int32, 2, true), tensor.InvalidArgument},
		"take unset":      {Take(make([]tensor.Handle, 1), unset(vec()), f, 1, false), tensor.NotFound},
		"select outside":  {Select(make([]tensor.Handle, 1), six(), []int32{2}, 0, 2), tensor.InvalidArgument},
		"temporary":       {Temporary(make([]tensor.Handle, 1), vec(2, 3)), tensor.OK},
		"temporary, big":  {Temporary(make([]tensor.Handle, 1), vec(1<<40, 1<<40)), tensor.InvalidArgument},
	}
	for name, tt := range tests {
		if got := tensor.CodeOf(tt.err); got != tt.code {
			t.Errorf("%s: %v (%v), want the code %v", name, tt.err, got, tt.code)
		}
	}
}

func TestScatter(t *testing.T) {
	type op func(v []tensor.Handle, updates []float32, indices []int32, ix, up []int, p ScatterParams) error
	for name, tt := range map[string]struct {
		op   op
		ix   []int32
		ixs  []int
		up   []float32
		ups  []int
		p    ScatterParams
		want []float32
	}{
		"update":        {ScatterUpdateF32I32, []int32{2, 0}, []int{2}, []float32{9, 8, 7, 6}, []int{2, 2}, ScatterParams{}, []float32{7, 6, 3, 4, 9, 8}},
		"update scalar": {ScatterUpdateF32I32, []int32{2, 0}, []int{2}, []float32{9}, nil, ScatterParams{}, []float32{9, 9, 3, 4, 9, 9}},
		"add twice":     {ScatterAddF32I32, []int32{1, 1}, []int{2, 1}, []float32{1, 2, 3, 4}, []int{2, 1, 2}, ScatterParams{}, []float32{1, 2, 7, 10, 5, 6}},
		"sub":           {ScatterSubF32I32, []int32{1}, []int{1}, []float32{1, 2}, []int{1, 2}, ScatterParams{}, []float32{1, 2, 2, 2, 5, 6}},
		"mul":           {ScatterMulF32I32, []int32{1}, nil, []float32{3, 2}, []int{2}, ScatterParams{}, []float32{1, 2, 9, 8, 5, 6}},
		"div":           {ScatterDivF32I32, []int32{1}, nil, []float32{3, 2}, []int{2}, ScatterParams{}, []float32{1, 2, 1, 2, 5, 6}},
		"min":           {ScatterMinF32I32, []int32{1}, nil, []float32{3, 2}, []int{2}, ScatterParams{}, []float32{1, 2, 3, 2, 5, 6}},
		"max":           {ScatterMaxF32I32, []int32{1}, nil, []float32{4, 2}, []int{2}, ScatterParams{}, []float32{1, 2, 4, 4, 5, 6}},
		"nd":            {ScatterAddF32I32, []int32{0, 1, 2, 0}, []int{2, 2}, []float32{10, 20}, []int{2}, ScatterParams{Nd: true}, []float32{1, 12, 3, 4, 25, 6}},
		"none":          {ScatterAddF32I32, nil, []int{0}, nil, []int{0, 2}, ScatterParams{}, []float32{1, 2, 3, 4, 5, 6}},
	} {
		v := f32(vec(3, 2), []int{3, 2}, 1, 2, 3, 4, 5, 6)
		if err := tt.op(v, tt.up, tt.ix, tt.ixs, tt.ups, tt.p); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, got := value(t, v); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestStridedAssign(t *testing.T) {
	for name, tt := range map[string]struct {
		begin, end, step []int32
		x                []float32
		shape            []int
		p                StridedParams
		want             []float32
		code             tensor.Code
	}{
		"rows":        {[]int32{1}, []int32{3}, []int32{1}, []float32{9, 8, 7, 6}, []int{2, 2}, StridedParams{}, []float32{1, 2, 9, 8, 7, 6}, 0},
		"one for all": {[]int32{1}, []int32{3}, []int32{1}, []float32{9}, nil, StridedParams{}, []float32{1, 2, 9, 9, 9, 9}, 0},
		"one row":     {[]int32{0}, []int32{2}, []int32{1}, []float32{9, 8}, []int{1, 2}, StridedParams{}, []float32{9, 8, 9, 8, 5, 6}, 0},
		"backwards":   {[]int32{0, 1}, []int32{0, -3}, []int32{1, -1}, []float32{9, 8}, []int{2}, StridedParams{Begin: 1, End: 1}, []float32{8, 9, 8, 9, 8, 9}, 0},
		"shrink":      {[]int32{-1, 0}, []int32{0, 2}, []int32{1, 1}, []float32{9, 8}, []int{2}, StridedParams{Shrink: 1}, []float32{1, 2, 3, 4, 9, 8}, 0},
		"ellipsis":    {[]int32{0, 1}, []int32{0, 2}, []int32{1, 1}, []float32{9, 8, 7}, []int{3, 1}, StridedParams{Ellipsis: 1}, []float32{1, 9, 3, 8, 5, 7}, 0},
		"new axis":    {[]int32{0, 0}, []int32{0, 1}, []int32{1, 1}, []float32{9, 8}, []int{1, 1, 2}, StridedParams{NewAxis: 1}, []float32{9, 8, 3, 4, 5, 6}, 0},
		"nothing":     {[]int32{2}, []int32{1}, []int32{1}, nil, []int{0, 2}, StridedParams{}, []float32{1, 2, 3, 4, 5, 6}, 0},
		"misfit":      {[]int32{1}, []int32{3}, []int32{1}, []float32{1, 2, 3}, []int{3, 1}, StridedParams{}, nil, tensor.InvalidArgument},
		"too deep":    {[]int32{1, 0, 0}, []int32{3, 1, 1}, []int32{1, 1, 1}, []float32{1}, nil, StridedParams{}, nil, tensor.InvalidArgument},
		"outside":     {[]int32{3}, []int32{4}, []int32{1}, []float32{1}, nil, StridedParams{Shrink: 1}, nil, tensor.InvalidArgument},
		"no step":     {[]int32{0}, []int32{4}, []int32{0}, []float32{1}, nil, StridedParams{}, nil, tensor.InvalidArgument},
		"lengths":     {[]int32{0}, []int32{4, 4}, []int32{0}, []float32{1}, nil, StridedParams{}, nil, tensor.InvalidArgument},
	} {
		v := f32(vec(3, 2), []int{3, 2}, 1, 2, 3, 4, 5, 6)
		err := StridedAssignF32I32(v, tt.x, tt.begin, tt.end, tt.step, tt.shape, tt.p)
		if tensor.CodeOf(err) != tt.code {
			t.Errorf("%s: %v", name, err)
		}
		if _, got := value(t, v); tt.want != nil && !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	v := []tensor.Handle{NewI64(Params{DType: tensor.Int64, AnyRank: true}, []int{}, []int64{4})}
	var got [1]int64
	for want := int64(4); want < 6; want++ {
		if err := CountUpToI64(got[:], v, 6); err != nil || got[0] != want {
			t.Fatalf("%v, %v, want %d", got[0], err, want)
		}
	}
	if err := CountUpToI64(got[:], v, 6); tensor.CodeOf(err) != tensor.OutOfRange {
		t.Errorf("at the limit: %v", err)
	}
}

// TestTake reads sizes and elements of a variable that changes its shape meanwhile.
func TestTake(t *testing.T) {
	v := f32(open(vec()), []int{2}, 1, 2)
	tmp := make([]tensor.Handle, 1)
	if err := Take(tmp, v, tensor.Float32, 1, true); err != nil {
		t.Fatal(err)
	}
	if err := AssignF32(v, []float32{7, 8, 9}, []int{3}, AssignParams{DType: tensor.Float32}); err != nil {
		t.Fatal(err)
	}
	n, err := Dim(tmp, 1, 0)
	if err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	got := make([]float32, n)
	if err := ReadF32(got, tmp, []int{n}); err != nil || !slices.Equal(got, []float32{1, 2}) {
		t.Fatalf("%v, %v", got, err)
	}
	if rank, a, b, _, _, _, _, _, _, err := Sizes(v); rank != 1 || a != 3 || b != 1 || err != nil {
		t.Errorf("%d %d %d, %v", rank, a, b, err)
	}
	all := make([]float32, 3)
	if err := ReadAllF32(all, v); err != nil || !slices.Equal(all, []float32{7, 8, 9}) {
		t.Errorf("%v, %v", all, err)
	}
	var s [1]int32
	if _, err := ShapeI32(s[:], v, 1); err != nil || s[0] != 3 {
		t.Fatalf("%v, %v", s, err)
	}
	three, one, at := []float32{7, 8, 9}, []float32{7}, []int32{1}
	for name, f := range map[string]func(){
		"take":   func() { _ = Take(tmp, v, tensor.Float32, 1, true) },
		"assign": func() { _ = AssignF32(v, []float32{7, 8, 9}, []int{3}, AssignParams{DType: tensor.Float32}) },
		"add":    func() { _ = AssignAddF32(v, three, []int{3}) },
		"scatter": func() {
			_ = ScatterAddF32I32(v, one, at, []int{1}, []int{1}, ScatterParams{})
		},
		"strided": func() {
			_ = StridedAssignF32I32(v, one, at, []int32{2}, []int32{1}, []int{1}, StridedParams{})
		},
	} {
		f()
		if n := testing.AllocsPerRun(10, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestInitialCopied checks that changing a variable does not change the constant that was its first
// value.
func TestInitialCopied(t *testing.T) {
	first := []float32{1, 2}
	v := []tensor.Handle{NewF32(vec(2), []int{2}, first)}
	if err := AssignAddF32(v, []float32{1, 1}, []int{2}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, []float32{1, 2}) {
		t.Errorf("the constant is %v", first)
	}
}

// TestNoUpdateLost checks that no update is lost if several goroutines add to a variable
// concurrently, and that concurrent readers see no partial updates.
func TestNoUpdateLost(t *testing.T) {
	const workers, rounds, n = 16, 200, 64
	v := []tensor.Handle{NewI64(Params{DType: tensor.Int64, Declared: []int{n}}, []int{n}, make([]int64, n))}
	one := make([]int64, n)
	for i := range one {
		one[i] = 1
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			got := make([]int64, n)
			for range rounds {
				if err := AssignAddI64(v, one, []int{n}); err != nil {
					t.Error(err)
				}
				if err := ScatterAddI64I32(v, one[:1], []int32{3}, []int{1}, []int{1}, ScatterParams{}); err != nil {
					t.Error(err)
				}
				if err := ReadI64(got, v, []int{n}); err != nil || got[0] != got[n-1] {
					t.Errorf("%v, %v: a read saw half of an update", got[0], got[n-1])
				}
			}
		})
	}
	wg.Wait()
	got := make([]int64, n)
	if err := ReadI64(got, v, []int{n}); err != nil || got[0] != workers*rounds || got[3] != 2*workers*rounds {
		t.Errorf("%v, %v", got[:4], err)
	}
}

// TestTemporaryTooLarge checks that Temporary rejects a shape that is too large before it allocates
// memory.
func TestTemporaryTooLarge(t *testing.T) {
	for _, c := range []struct {
		shape []int
		code  tensor.Code
	}{{[]int{1 << 40}, tensor.ResourceExhausted}, {[]int{1 << 40, 1 << 40}, tensor.InvalidArgument}} {
		if err := Temporary(make([]tensor.Handle, 1), Params{DType: tensor.Float32, Declared: c.shape}); tensor.CodeOf(err) != c.code {
			t.Errorf("%v: %v, want %v", c.shape, err, c.code)
		}
	}
}
