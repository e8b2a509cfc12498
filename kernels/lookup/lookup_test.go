package lookup

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func table(p resource.TableParams, shape ...int) []tensor.Handle {
	return []tensor.Handle{resource.NewTable(p, shape)}
}

func wantCode(t *testing.T, err error, c tensor.Code) {
	t.Helper()
	if tensor.CodeOf(err) != c {
		t.Errorf("%v, want %v", err, c)
	}
}

// shapes returns Params with the keys' and values' dimensions.
func shapes(keys, values []int) Params {
	p := Params{KeyRank: len(keys), ValueRank: len(values)}
	copy(p.KeyDims[:], keys)
	copy(p.ValueDims[:], values)
	return p
}

func vec(n int) Params { return shapes([]int{n}, []int{n}) }

func scalar(n int) Params { return shapes([]int{n}, nil) }

func count(t *testing.T, h []tensor.Handle) int {
	t.Helper()
	var n [1]int64
	if err := Size(n[:], h); err != nil {
		t.Fatal(err)
	}
	return int(n[0])
}

func TestHash(t *testing.T) {
	h := table(resource.TableParams{Key: tensor.String, Value: tensor.Int64})
	find := func(def []int64, p Params, keys ...string) ([]int64, error) {
		got := make([]int64, len(keys))
		err := FindStrI64(got, h, keys, def, p)
		return got, err
	}
	_, err := find([]int64{-1}, scalar(1), "a")
	wantCode(t, err, tensor.FailedPrecondition)
	_, err = ExportStrI64(make([]tensor.Handle, 2), h)
	wantCode(t, err, tensor.Aborted)
	wantCode(t, InitializeStrI64(h, nil, nil, vec(0)), tensor.InvalidArgument)
	wantCode(t, InitializeStrI64(h, []string{"a", "b", "a"}, []int64{1, 2, 3}, vec(3)), tensor.FailedPrecondition)
	if n := count(t, h); n != 0 {
		t.Errorf("%d entries before it is initialised", n)
	}
	if err := ImportStrI64(h, []string{"a", "b", "a"}, []int64{1, 2, 1}, vec(3)); err != nil {
		t.Fatal(err)
	}
	if n := count(t, h); n != 2 {
		t.Errorf("%d entries", n)
	}
	if err := InitializeStrI64(h, []string{"a", "c"}, []int64{1, 9}, vec(2)); err != nil { // a second initialization succeeds with the same number of keys
		t.Error(err)
	}
	wantCode(t, InitializeStrI64(h, []string{"a"}, []int64{1}, vec(1)), tensor.FailedPrecondition)
	lenient := vec(1)
	lenient.Lenient = true
	if err := InitializeStrI64(h, []string{"a"}, []int64{1}, lenient); err != nil {
		t.Error(err)
	}
	if got, err := find([]int64{-1}, scalar(3), "b", "c", "a"); err != nil || !slices.Equal(got, []int64{2, -1, 1}) {
		t.Error(got, err)
	}
	if got, err := find([]int64{7, 8}, vec(2), "b", "c"); err != nil || !slices.Equal(got, []int64{2, 7}) { // the missing key "c" gets the first default
		t.Error(got, err)
	}
	_, err = find([]int64{7}, shapes([]int{2}, []int{1}), "b", "c")
	wantCode(t, err, tensor.InvalidArgument)
	wantCode(t, InsertStrI64(h, []string{"d"}, []int64{1}, vec(1)), tensor.Unimplemented)
	wantCode(t, RemoveStr(h, []string{"d"}, scalar(1)), tensor.Unimplemented)
	wantCode(t, FindI64I64(make([]int64, 1), h, []int64{1}, []int64{1}, scalar(1)), tensor.InvalidArgument)
	wantCode(t, FindStrF32(make([]float32, 1), h, []string{"a"}, []float32{1}, scalar(1)), tensor.InvalidArgument)
	wantCode(t, FindStrI64(make([]int64, 1), nil, []string{"a"}, []int64{1}, scalar(1)), tensor.NotFound)
}

func TestMutable(t *testing.T) {
	h := table(resource.TableParams{Kind: resource.Mutable, Key: tensor.Int64, Value: tensor.Float32}, 2)
	if err := InsertI64F32(h, []int64{5, 6, 7, 6}, []float32{5, 50, 0, 0, 7, 70, 6, 60}, shapes([]int{4}, []int{4, 2})); err != nil {
		t.Fatal(err)
	}
	wantCode(t, InsertI64F32(h, []int64{5}, []float32{5, 50, 3}, shapes([]int{1}, []int{1, 3})), tensor.InvalidArgument)
	got := make([]float32, 6)
	if err := FindI64F32(got, h, []int64{6, 9, 5}, []float32{-1, -2}, shapes([]int{3}, []int{2})); err != nil || !slices.Equal(got, []float32{6, 60, -1, -2, 5, 50}) {
		t.Error(got, err)
	}
	if err := FindI64F32(got[:4], h, []int64{6, 9}, []float32{1, 2, 3, 4}, shapes([]int{2}, []int{2, 2})); err != nil || !slices.Equal(got[:4], []float32{6, 60, 3, 4}) {
		t.Error(got, err)
	}
	for _, room := range []int{0, 2, 3, 5} {
		wantCode(t, FindI64F32(got[:room], h, []int64{6, 9}, []float32{-1, -2}, shapes([]int{2}, []int{2})), tensor.InvalidArgument)
	}
	if err := RemoveI64(h, []int64{5, 100}, scalar(2)); err != nil {
		t.Error(err)
	}
	parts := make([]tensor.Handle, 2)
	n, err := ExportI64F32(parts, h)
	keys, values := parts[0].V.(*resource.Box), parts[1].V.(*resource.Box)
	if err != nil || n != 2 || !slices.Equal(keys.Data.([]int64), []int64{7, 6}) || !slices.Equal(values.Data.([]float32), []float32{7, 70, 6, 60}) || !slices.Equal(values.Shape, []int{2, 2}) {
		t.Error(n, err, keys, values)
	}
	if err := ImportI64F32(h, []int64{1}, []float32{1, 2}, shapes([]int{1}, []int{1, 2})); err != nil || count(t, h) != 1 {
		t.Error(err, count(t, h))
	}
	if err := ImportI64F32(h, nil, nil, shapes([]int{0}, []int{0, 2})); err != nil || count(t, h) != 0 {
		t.Error(err, count(t, h))
	}
}

func TestDense(t *testing.T) {
	p := resource.TableParams{Kind: resource.Dense, Key: tensor.Int64, Value: tensor.Int32}
	h := table(p)
	wantCode(t, InsertI64I32(h, []int64{1}, []int32{1}, vec(1)), tensor.FailedPrecondition)
	wantCode(t, DenseI64(h, []int64{3}, []int64{3}, nil), tensor.InvalidArgument)
	if err := DenseI64(h, []int64{0}, []int64{-1}, nil); err != nil {
		t.Fatal(err)
	}
	for _, k := range []int64{0, -1} {
		wantCode(t, InsertI64I32(h, []int64{k}, []int32{1}, vec(1)), tensor.InvalidArgument)
		wantCode(t, FindI64I32(make([]int32, 1), h, []int64{k}, []int32{1}, scalar(1)), tensor.InvalidArgument)
		wantCode(t, RemoveI64(h, []int64{k}, scalar(1)), tensor.InvalidArgument)
	}
	if err := ImportI64I32(h, []int64{0, 4, -1, 5}, []int32{1, 2, 3, 4}, shapes([]int{4, 1}, []int{4, 1})); err != nil || count(t, h) != 2 {
		t.Error(err, count(t, h))
	}
	if err := DenseI64(h, []int64{4}, []int64{5}, nil); err != nil { // this call succeeds, but it does not replace the reserved keys 0 and -1
		t.Error(err)
	}
	got := make([]int32, 3)
	if err := FindI64I32(got, h, []int64{5, 6, 7}, []int32{7, 8, 9}, vec(3)); err != nil || !slices.Equal(got, []int32{4, 7, 7}) {
		t.Error(got, err)
	}
}

// TestVectorKeys checks that a key of a dense table may be a vector.
func TestVectorKeys(t *testing.T) {
	h := table(resource.TableParams{Kind: resource.Dense, Key: tensor.String, Value: tensor.Int64})
	if err := DenseStr(h, []string{"", ""}, []string{"x", ""}, []int{2}); err != nil {
		t.Fatal(err)
	}
	if err := InsertStrI64(h, []string{"a", "b", "ab", "", "a", "b"}, []int64{1, 2, 3}, shapes([]int{3, 2}, []int{3})); err != nil {
		t.Fatal(err)
	}
	got := make([]int64, 3)
	if err := FindStrI64(got, h, []string{"ab", "", "", "ab", "a", "b"}, []int64{-1}, shapes([]int{3, 2}, nil)); err != nil || !slices.Equal(got, []int64{2, -1, 3}) {
		t.Error(got, err)
	}
	if err := RemoveStr(h, []string{"a", "b"}, shapes([]int{1, 2}, nil)); err != nil || count(t, h) != 1 {
		t.Error(err)
	}
	if err := FindStrI64(got[:1], h, []string{"ab", ""}, []int64{-1}, shapes([]int{1, 2}, nil)); err != nil || got[0] != 2 {
		t.Error(got, err)
	}
	wantCode(t, InsertStrI64(h, []string{"", ""}, []int64{1}, shapes([]int{1, 2}, []int{1})), tensor.InvalidArgument)
	wantCode(t, InsertStrI64(h, []string{"a", "b"}, []int64{1, 2}, shapes([]int{2}, []int{2})), tensor.InvalidArgument)
}

// TestFindAllocates checks that finding keys allocates nothing.
func TestFindAllocates(t *testing.T) {
	h := table(resource.TableParams{Key: tensor.String, Value: tensor.Int64})
	keys, values := make([]string, 100), make([]int64, 100)
	for i := range keys {
		keys[i], values[i] = fmt.Sprint("key", i), int64(i)
	}
	if err := InitializeStrI64(h, keys, values, vec(100)); err != nil {
		t.Fatal(err)
	}
	dst, def := make([]int64, 100), []int64{-1}
	if n := testing.AllocsPerRun(20, func() {
		if err := FindStrI64(dst, h, keys, def, scalar(100)); err != nil {
			t.Error(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// TestRace checks that a reader sees a whole vector or none while other goroutines write.
func TestRace(t *testing.T) {
	h := table(resource.TableParams{Kind: resource.Mutable, Key: tensor.Int32, Value: tensor.Int64}, 2)
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			for i := range int64(300) {
				v := i*3 + int64(w)
				err := InsertI32I64(h, []int32{1, 2}, []int64{v, v, v, v}, shapes([]int{2}, []int{2, 2}))
				if i%7 == 0 {
					err = errors.Join(err, RemoveI32(h, []int32{2}, scalar(1)))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			dst := make([]int64, 4)
			for range 300 {
				if err := FindI32I64(dst, h, []int32{1, 2}, []int64{-1, -1}, shapes([]int{2}, []int{2})); err != nil || dst[0] != dst[1] || dst[2] != dst[3] {
					t.Error(dst, err)
				}
			}
		})
	}
	all.Wait()
	if n := count(t, h); n != 1 && n != 2 {
		t.Error(n)
	}
}

// TestDenseBuckets checks that a dense table is exported in TensorFlow 2.21's layout.
func TestDenseBuckets(t *testing.T) {
	exported := func(h []tensor.Handle, export func(dst, h []tensor.Handle) (int, error)) (keys, values *resource.Box) {
		t.Helper()
		parts := make([]tensor.Handle, 2)
		n, err := export(parts, h)
		if err != nil {
			t.Fatal(err)
		}
		keys, values = parts[0].V.(*resource.Box), parts[1].V.(*resource.Box)
		if keys.Shape[0] != n || values.Shape[0] != n {
			t.Errorf("%d rows of %v and %v", n, keys.Shape, values.Shape)
		}
		return keys, values
	}
	ints := table(resource.TableParams{Kind: resource.Dense, Key: tensor.Int64, Value: tensor.Float32, FirstBuckets: 8, MaxLoad: 0.8})
	if err := DenseI64(ints, []int64{-1}, []int64{-2}, nil); err != nil {
		t.Fatal(err)
	}
	if err := InsertI64F32(ints, []int64{3, 11, 19, 4}, []float32{1, 2, 3, 4}, vec(4)); err != nil {
		t.Fatal(err)
	}
	keys, values := exported(ints, ExportI64F32)
	if !slices.Equal(keys.Data.([]int64), []int64{-1, -1, -1, 3, 11, 4, 19, -1}) || !slices.Equal(values.Data.([]float32), []float32{0, 0, 0, 1, 2, 4, 3, 0}) || !slices.Equal(keys.Shape, []int{8, 1}) || !slices.Equal(values.Shape, []int{8, 1}) {
		t.Error(keys, values)
	}
	if err := InsertI64F32(ints, []int64{27, 5, 6, 7}, []float32{5, 6, 7, 8}, vec(4)); err != nil {
		t.Fatal(err)
	}
	if keys, _ = exported(ints, ExportI64F32); keys.Shape[0] != 16 {
		t.Errorf("%d buckets for 8 entries", keys.Shape[0])
	}

	texts := table(resource.TableParams{Kind: resource.Dense, Key: tensor.String, Value: tensor.Int64, FirstBuckets: 16, MaxLoad: 0.8})
	if err := DenseStr(texts, []string{""}, []string{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := InsertStrI64(texts, []string{"a", "bc", "hello wo", "hello world 1234567", "ü", "zz"}, []int64{1, 2, 3, 4, 5, 6}, vec(6)); err != nil {
		t.Fatal(err)
	}
	keys, values = exported(texts, ExportStrI64)
	if !slices.Equal(keys.Data.([]string), []string{"ü", "", "", "", "", "", "", "hello world 1234567", "", "", "zz", "", "a", "hello wo", "bc", ""}) || !slices.Equal(values.Data.([]int64), []int64{5, 0, 0, 0, 0, 0, 0, 4, 0, 0, 6, 0, 1, 3, 2, 0}) {
		t.Errorf("%q %v", keys.Data, values.Data)
	}

	vectors := table(resource.TableParams{Kind: resource.Dense, Key: tensor.Int64, Value: tensor.Float32, FirstBuckets: 8, MaxLoad: 0.8}, 3)
	if err := DenseI64(vectors, []int64{0, 0}, []int64{-1, -1}, []int{2}); err != nil {
		t.Fatal(err)
	}
	if err := InsertI64F32(vectors, []int64{1, 2, 3, 4, 2, 1}, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}, shapes([]int{3, 2}, []int{3, 3})); err != nil {
		t.Fatal(err)
	}
	keys, values = exported(vectors, ExportI64F32)
	if !slices.Equal(keys.Data.([]int64), []int64{0, 0, 0, 0, 0, 0, 1, 2, 2, 1, 0, 0, 0, 0, 3, 4}) || !slices.Equal(values.Shape, []int{8, 3}) {
		t.Error(keys, values)
	}

	// Imports of keys and values with these shapes fail in TensorFlow, too.
	for _, p := range []Params{vec(8), vec(3), vec(0), shapes([]int{8, 1}, []int{8}), shapes([]int{4, 2}, []int{4, 1}), shapes(nil, nil)} {
		wantCode(t, ImportI64F32(ints, make([]int64, 8), make([]float32, 8), p), tensor.InvalidArgument)
	}
	if n := count(t, ints); n != 8 {
		t.Errorf("%d entries after imports that were refused", n)
	}
	if err := ImportI64F32(ints, nil, nil, shapes([]int{0, 1}, []int{0, 1})); err != nil || count(t, ints) != 0 {
		t.Error(err, count(t, ints))
	}
}
