//go:build emitted

package behaviours

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/behaviours/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// show is a test of a behaviour. Each test has its own instance of the model.
type show struct {
	name string
	f    func(t *testing.T, m *model.Model)
}

// told is a hook that stores the rt.Info of the last run.
type told struct{ info *rt.Info }

func (h *told) Begin(_ context.Context, info *rt.Info) rt.Observer {
	h.info = info
	return nil
}

func showAll(t *testing.T, list []show) {
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) { s.f(t, open(t)) })
	}
}

func open(t *testing.T, opts ...rt.Option) *model.Model {
	t.Helper()
	m, err := model.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func scalar[T tensor.Elem](v T) tensor.Of[T] { return tensor.Of[T]{Data: []T{v}} }

func vector[T tensor.Elem](v ...T) tensor.Of[T] { return tensor.Of[T]{Shape: []int{len(v)}, Data: v} }

func matrix[T tensor.Elem](rows, columns int, v ...T) tensor.Of[T] {
	return tensor.Of[T]{Shape: []int{rows, columns}, Data: v}
}

// same fails the test unless err is nil and the tensor got equals the tensor want.
func same[T tensor.Elem](t *testing.T, what string, got tensor.Of[T], err error, want tensor.Of[T]) {
	t.Helper()
	if err != nil || !slices.Equal(got.Shape, want.Shape) || len(got.Data) != len(want.Data) || len(want.Data) > 0 && !reflect.DeepEqual(got.Data, want.Data) {
		t.Errorf("%s: %v of shape %v, %v; want %v of shape %v", what, got.Data, got.Shape, err, want.Data, want.Shape)
	}
}

// refused fails the test unless err has the given code and the text of err contains each string of
// the last parameter.
func refused(t *testing.T, what string, err error, code tensor.Code, say ...string) {
	t.Helper()
	if tensor.CodeOf(err) != code {
		t.Fatalf("%s: %v, want %v", what, err, code)
	}
	for _, s := range say {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%s: %q does not say %q", what, err, s)
		}
	}
}

func hits(t *testing.T, m *model.Model) int64 {
	t.Helper()
	out, err := m.Hits(t.Context(), model.HitsInput{})
	must(t, err)
	return out.Hits.Data[0]
}

var ones, five = matrix[float32](2, 1, 1, 1), matrix[float32](2, 1, 5, -1)

// TestRun checks behaviours of consecutive runs.
func TestRun(t *testing.T) {
	showAll(t, []show{
		{"run_with_target", func(t *testing.T, m *model.Model) {
			out, err := m.Target(t.Context(), model.TargetInput{X: ones})
			same(t, "y", out.Y, err, five)
			if n := reflect.TypeOf(out).NumField(); n != 1 || hits(t, m) != 1 {
				t.Errorf("%d results, the target has run %d times", n, hits(t, m))
			}
		}},
		{"run_again", func(t *testing.T, m *model.Model) {
			for range 3 {
				out, err := m.YThenZ(t.Context(), model.YThenZInput{X: ones})
				same(t, "y", out.Y, err, five)
			}
		}},
		{"callable_equals_run", func(t *testing.T, m *model.Model) {
			feed := map[string]*tensor.Tensor{"x": {DType: tensor.Float32, Shape: tensor.Shape{2, 1}, Data: []float32{1, 1}}}
			got, err := m.Run(t.Context(), "target", feed)
			must(t, err)
			out, err := m.Target(t.Context(), model.TargetInput{X: ones})
			must(t, err)
			if len(got) != 1 || !reflect.DeepEqual(got["y:0"].Data, any(out.Y.Data)) || !slices.Equal(got["y:0"].Shape, out.Y.Shape) || hits(t, m) != 2 {
				t.Errorf("Run gives %v, the method %v", got, out)
			}
		}},
		{"fetch_same_twice", func(t *testing.T, m *model.Model) {
			out, err := m.Twice(t.Context(), model.TwiceInput{X: ones})
			same(t, "first", out.A, err, five)
			same(t, "between", out.Z, err, matrix[float32](2, 1, -5, 1))
			same(t, "second", out.B, err, five)
			out.A.Data[0] = 9
			same(t, "second, the first changed", out.B, nil, five)
		}},
		{"fetch_order", func(t *testing.T, m *model.Model) {
			for _, s := range m.Signatures() {
				var keys []string
				for _, f := range s.Fetches {
					keys = append(keys, f.Key)
				}
				if want := map[string]string{"y_then_z": "y z", "z_then_y": "z y", "twice": "a z b"}[s.Name]; want != "" && strings.Join(keys, " ") != want {
					t.Errorf("%s gives %v", s.Name, keys)
				}
			}
			a, err := m.YThenZ(t.Context(), model.YThenZInput{X: ones})
			must(t, err)
			b, err := m.ZThenY(t.Context(), model.ZThenYInput{X: ones})
			same(t, "y", b.Y, err, a.Y)
			same(t, "z", b.Z, err, a.Z)
			if f := reflect.TypeOf(a).Field(0).Name + reflect.TypeOf(b).Field(0).Name; f != "YZ" {
				t.Errorf("the first fields are %s", f)
			}
		}},
		{"fetch_fed_tensor", func(t *testing.T, m *model.Model) {
			odd := matrix(2, 1, math.Float32frombits(0x7fc00123), float32(math.Copysign(0, -1)))
			out, err := m.Fed(t.Context(), model.FedInput{X: odd})
			if err != nil || math.Float32bits(out.X.Data[0]) != 0x7fc00123 || !math.Signbit(float64(out.X.Data[1])) {
				t.Errorf("%v, %v", out, err)
			}
		}},
		{"fetch_operation", func(t *testing.T, m *model.Model) {
			out, err := m.Op(t.Context(), model.OpInput{})
			if n := reflect.TypeOf(out).NumField(); err != nil || n != 0 || hits(t, m) != 1 {
				t.Errorf("%v, %d results, %d runs", err, n, hits(t, m))
			}
		}},
		{"fetch_nested", func(t *testing.T, m *model.Model) {
			var names []string
			for f := range reflect.TypeFor[model.DuplicatesOutput]().Fields() {
				names = append(names, f.Name)
			}
			if !slices.Equal(names, []string{"Squared", "Difference", "Joined", "Reused"}) {
				t.Errorf("fields %v", names)
			}
		}},
		{"fetch_by_name", func(t *testing.T, m *model.Model) {
			for _, name := range []string{"x", "x:0"} {
				got, err := m.Run(t.Context(), "y_then_z", map[string]*tensor.Tensor{name: {DType: tensor.Float32, Shape: tensor.Shape{2, 1}, Data: []float32{1, 1}}})
				if err != nil || !reflect.DeepEqual(got["y:0"].Data, any(five.Data)) {
					t.Errorf("%s: %v, %v", name, got, err)
				}
			}
		}},
		{"fetch_sparse", func(t *testing.T, m *model.Model) {
			out, err := m.Slices(t.Context(), model.SlicesInput{Table: matrix[float32](4, 2, 1, 2, 3, 4, 5, 6, 7, 8), At: vector[int32](3, 0, 3)})
			same(t, "indices", out.Indices, err, vector[int32](3, 0, 3))
			same(t, "values", out.Values, err, matrix[float32](3, 2, 14, 16, 2, 4, 14, 16))
		}},
		{"feed_sparse", func(t *testing.T, m *model.Model) {
			for n := range 3 {
				in := model.SparseInput{Indices: matrix[int64](n, 2), Values: vector[float32](), Shape: vector[int64](4, 5)}
				in.Values.Shape = []int{n}
				for i := range n {
					in.Indices.Data, in.Values.Data = append(in.Indices.Data, int64(i), 2), append(in.Values.Data, float32(i+2))
				}
				out, err := m.Sparse(t.Context(), in)
				same(t, "indices", out.Indices, err, in.Indices)
				same(t, "shape", out.Shape, err, in.Shape)
				want := tensor.Of[float32]{Shape: []int{n}, Data: []float32{4, 9}[:n]}
				same(t, "values", out.Values, err, want)
			}
			out, err := m.KnownShape(t.Context(), model.KnownShapeInput{Indices: matrix[int64](1, 2, 3, 4), Values: vector[float32](7)})
			same(t, "values", out.Values, err, vector[float32](7))
			same(t, "a shape that is not fed", out.Shape, err, vector[int64](4, 5))
		}},
		{"fetch_scalar", func(t *testing.T, m *model.Model) {
			in := model.ScalarsInput{Half: scalar(tensor.F16(0x3c01)), Bfloat16: scalar(tensor.BF16(0x4049)), Float32: scalar(float32(1.5)), Float64: scalar(math.Pi),
				Int8: scalar(int8(-128)), Int16: scalar(int16(-32768)), Int32: scalar(int32(math.MinInt32)), Int64: scalar(int64(math.MinInt64)),
				Uint8: scalar(uint8(255)), Uint16: scalar(uint16(65535)), Uint32: scalar(uint32(math.MaxUint32)), Uint64: scalar(uint64(math.MaxUint64)),
				Bool: scalar(true), Complex64: scalar(complex64(1 - 2i)), Complex128: scalar(3 + 4i), String: scalar("a\x00b"),
				Qint8: scalar(int8(-1)), Quint8: scalar(uint8(200)), Qint16: scalar(int16(-2)), Quint16: scalar(uint16(60000)), Qint32: scalar(int32(-3))}
			out, err := m.Scalars(t.Context(), in)
			must(t, err)
			equalFields(t, in, out, nil)
		}},
		{"feed_all_dtypes", func(t *testing.T, m *model.Model) {
			for _, shape := range [][]int{{2, 3}, {1, 1}, {0, 3}, {2, 0}, {0, 0}, {3, 2}} {
				var in model.MatricesInput
				fill(reflect.ValueOf(&in).Elem(), shape)
				out, err := m.Matrices(t.Context(), in)
				must(t, err)
				equalFields(t, in, out, shape)
			}
		}},
		{"feed_strings", func(t *testing.T, m *model.Model) {
			in := vector("", "\x00", "a\x00b\x00", "é€😀", "\xff\xfe", strings.Repeat("\x00", 1000))
			out, err := m.Strings(t.Context(), model.StringsInput{Words: in})
			var twice []string
			var n []int32
			for _, s := range in.Data {
				twice, n = append(twice, s+s), append(n, int32(len(s)))
			}
			same(t, "joined", out.Joined, err, vector(twice...))
			same(t, "length", out.Length, err, vector(n...))
			table := matrix(2, 3, in.Data...)
			both, err := m.Matrices(t.Context(), withString(table))
			same(t, "a matrix", both.String, err, table)
		}},
		{"feed_wrong_type", func(t *testing.T, m *model.Model) {
			for what, v := range map[string]*tensor.Tensor{
				"a type":         {DType: tensor.Int32, Shape: tensor.Shape{2, 1}, Data: []int32{1, 1}},
				"data of a type": {DType: tensor.Float32, Shape: tensor.Shape{2, 1}, Data: []int32{1, 1}},
				"nothing":        nil,
			} {
				_, err := m.Run(t.Context(), "target", map[string]*tensor.Tensor{"x": v})
				refused(t, what, err, tensor.InvalidArgument, "x")
			}
			good := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2, 1}, Data: []float32{1, 1}}
			_, err := m.Run(t.Context(), "target", map[string]*tensor.Tensor{"x": good, "nobody": good})
			refused(t, "a key", err, tensor.InvalidArgument, "nobody")
			if hits(t, m) != 0 {
				t.Error("something has run")
			}
		}},
		{"feed_shape_mismatch", func(t *testing.T, m *model.Model) {
			for _, x := range []tensor.Of[float32]{matrix[float32](3, 1, 1, 2, 3), vector[float32](1, 1), scalar[float32](1)} {
				_, err := m.Target(t.Context(), model.TargetInput{X: x})
				refused(t, "a shape", err, tensor.InvalidArgument, "x", tensor.Shape(x.Shape).String(), "[2,1]")
			}
			_, err := m.Target(t.Context(), model.TargetInput{X: matrix[float32](2, 1, 1)})
			refused(t, "too few elements", err, tensor.InvalidArgument, "x")
			if hits(t, m) != 0 {
				t.Error("something has run")
			}
		}},
		{"feed_unknown_dims", func(t *testing.T, m *model.Model) {
			for _, n := range []int{3, 1, 0, 7, 3} {
				in, want := tensor.Of[float32]{Shape: []int{n, 2}}, tensor.Of[float32]{Shape: []int{n, 2}}
				for i := range 2 * n {
					in.Data, want.Data = append(in.Data, float32(i)), append(want.Data, float32(2*i))
				}
				out, err := m.Double(t.Context(), model.DoubleInput{Rows: in})
				same(t, fmt.Sprint(n), out.Doubled, err, want)
			}
			_, err := m.Double(t.Context(), model.DoubleInput{Rows: matrix[float32](1, 3, 1, 2, 3)})
			refused(t, "what does not fit", err, tensor.InvalidArgument, "rows", "[1,3]", ",2]")
		}},
		{"run_time_shape_error", func(t *testing.T, m *model.Model) {
			_, err := m.Reshape(t.Context(), model.ReshapeInput{Flat: vector[float32](1, 2, 3, 4)})
			refused(t, "4 values into [3,7]", err, tensor.InvalidArgument, `node "three_by_seven" (Reshape)`, "[3,7]")
			out, err := m.Reshape(t.Context(), model.ReshapeInput{Flat: tensor.Of[float32]{Shape: []int{21}, Data: make([]float32, 21)}})
			same(t, "21 values", out.Out, err, matrix(3, 7, make([]float32, 21)...))
		}},
		{"shared_graph_sessions", func(t *testing.T, m *model.Model) {
			other := open(t)
			for range 3 {
				_, err := m.Op(t.Context(), model.OpInput{})
				must(t, err)
			}
			if a, b := hits(t, m), hits(t, other); a != 3 || b != 0 {
				t.Errorf("%d and %d", a, b)
			}
		}},
		{"state_across_runs", func(t *testing.T, m *model.Model) {
			for i := range int64(100) {
				_, err := m.Target(t.Context(), model.TargetInput{X: ones})
				must(t, err)
				if n := hits(t, m); n != i+1 {
					t.Fatalf("%d after %d runs", n, i+1)
				}
			}
		}},
		{"uninitialised_variable", func(t *testing.T, m *model.Model) {
			_, err := m.RawRef(t.Context(), model.RawRefInput{})
			refused(t, "a reference", err, tensor.FailedPrecondition, "raw_ref")
			_, err = m.RawResource(t.Context(), model.RawResourceInput{})
			refused(t, "a resource", err, tensor.FailedPrecondition, "raw_resource")
			_, err = m.SetRawRef(t.Context(), model.SetRawRefInput{})
			must(t, err)
			_, err = m.SetRawResource(t.Context(), model.SetRawResourceInput{})
			must(t, err)
			a, err := m.RawRef(t.Context(), model.RawRefInput{})
			same(t, "a reference", a.Value, err, vector[float32](1, 2))
			b, err := m.RawResource(t.Context(), model.RawResourceInput{})
			same(t, "a resource", b.Value, err, vector[float32](3, 4))
		}},
		{"duplicated_inputs", func(t *testing.T, m *model.Model) {
			in := vector[float32](1, 2, 3, 5)
			out, err := m.Duplicates(t.Context(), model.DuplicatesInput{V: in})
			same(t, "both inputs", out.Squared, err, vector[float32](1, 4, 9, 25))
			same(t, "two outputs", out.Difference, err, vector[float32](2, 3))
			same(t, "one output twice", out.Joined, err, vector[float32](-1, -2, -1, -2, -3, -5))
			same(t, "read again", out.Reused, err, vector[float32](-1, -2, -3, -5))
			same(t, "the feed", in, nil, vector[float32](1, 2, 3, 5))
		}},
		{"required_stateful_output", func(t *testing.T, m *model.Model) {
			for i := range int64(3) {
				_, err := m.Put(t.Context(), model.PutInput{Value: scalar(i)})
				must(t, err)
			}
			_, err := m.DropOne(t.Context(), model.DropOneInput{})
			must(t, err)
			out, err := m.Take(t.Context(), model.TakeInput{})
			same(t, "the next", out.Value, err, scalar(int64(1)))
			left, err := m.Waiting(t.Context(), model.WaitingInput{})
			same(t, "what is left", left.Size, err, scalar(int32(1)))
		}},
		{"no_input_tensors", func(t *testing.T, m *model.Model) {
			for range 5 {
				out, err := m.Order(t.Context(), model.OrderInput{Gate: scalar(false)})
				same(t, "a constant and what two have counted before it", out.Sum, err, scalar(int64(7)))
			}
		}},
		{"op_error_stops", func(t *testing.T, m *model.Model) {
			_, err := m.Fail(t.Context(), model.FailInput{Index: scalar(int32(3))})
			refused(t, "an index", err, tensor.InvalidArgument, "pick")
			out, err := m.Counted(t.Context(), model.CountedInput{})
			same(t, "before it", out.Before, err, scalar(int64(1)))
			same(t, "after it", out.After, err, scalar(int64(0)))
			good, err := m.Fail(t.Context(), model.FailInput{Index: scalar(int32(2))})
			same(t, "the next run", good.Picked, err, scalar(float32(9)))
			out, err = m.Counted(t.Context(), model.CountedInput{})
			same(t, "after it", out.After, err, scalar(int64(1)))
		}},
		{"error_names_node", func(t *testing.T, m *model.Model) {
			_, err := m.Fail(t.Context(), model.FailInput{Index: scalar(int32(-1))})
			e, ok := err.(*tensor.Error)
			if !ok || e.Code != tensor.InvalidArgument || e.Node != "pick" || e.Op != "GatherV2" || e.Msg == "" || strings.Contains(e.Msg, "pick") {
				t.Errorf("%#v", err)
			}
			_, err = m.RawRef(t.Context(), model.RawRefInput{})
			refused(t, "another code", err, tensor.FailedPrecondition, "node ")
		}},
		{"finalize", func(t *testing.T, m *model.Model) {
			_, err := m.Run(t.Context(), "double_again", nil)
			refused(t, "what was not compiled", err, tensor.NotFound, "double_again", `there are: "target"`)
			_, err = m.Bind("double_again", nil)
			refused(t, "what was not compiled", err, tensor.NotFound)
			out, err := m.Target(t.Context(), model.TargetInput{X: ones})
			same(t, "what was", out.Y, err, five)
		}},
		{"error_original_op", func(t *testing.T, m *model.Model) {
			_, err := m.Called(t.Context(), model.CalledInput{Index: scalar(int32(2))})
			refused(t, "a node of a function", err, tensor.InvalidArgument, `node "inner" (GatherV2)`)
			hook := &told{}
			_, err = m.Called(rt.WithRun(t.Context(), rt.Observe(hook)), model.CalledInput{Index: scalar(int32(2))})
			refused(t, "a node of a function", err, tensor.InvalidArgument)
			if full := hook.info.FullName("inner"); !strings.HasSuffix(full, "/inner") {
				t.Errorf("the hook has %s for inner", full)
			}
		}},
	})
}

// TestOptionalPasses: the answers do not depend on the optional passes.
func TestOptionalPasses(t *testing.T) {
	showAll(t, []show{{"optimizer_options", optimizerOptions}})
}

// withString returns the feeds of a signature that has a feed of each type. The feed of type string
// is s, and the other feeds have the same shape as s.
func withString(s tensor.Of[string]) (in model.MatricesInput) {
	fill(reflect.ValueOf(&in).Elem(), s.Shape)
	in.String = s
	return in
}

// fill sets the fields of v, a struct of tensors, to tensors with different elements.
func fill(v reflect.Value, shape []int) {
	n := 1
	for _, d := range shape {
		n *= d
	}
	for i := range v.NumField() {
		f := v.Field(i)
		data := reflect.MakeSlice(f.FieldByName("Data").Type(), n, n)
		for k := range n {
			e := data.Index(k)
			switch x := 1 + i + 7*k; {
			case e.CanInt():
				e.SetInt(int64(-x))
			case e.CanUint():
				e.SetUint(uint64(x))
			case e.CanFloat():
				e.SetFloat(float64(x) / 3)
			case e.CanComplex():
				e.SetComplex(complex(float64(x), -1))
			case e.Kind() == reflect.Bool:
				e.SetBool(x%2 == 0)
			default:
				e.SetString(fmt.Sprintf("%d\x00", x))
			}
		}
		f.FieldByName("Data").Set(data)
		f.FieldByName("Shape").Set(reflect.ValueOf(slices.Clone(shape)))
	}
}

// equalFields compares two structs of tensors. It fails the test unless corresponding tensors are
// the same to the bit and have the given shape.
func equalFields(t *testing.T, in, out any, shape []int) {
	t.Helper()
	a, b := reflect.ValueOf(in), reflect.ValueOf(out)
	if a.NumField() != b.NumField() || a.NumField() != 21 {
		t.Fatalf("%d and %d fields", a.NumField(), b.NumField())
	}
	for i := range a.NumField() {
		x, y := a.Field(i), b.Field(i)
		if a.Type().Field(i).Name != b.Type().Field(i).Name || x.Type() != y.Type() {
			t.Errorf("field %s %v has become %s %v", a.Type().Field(i).Name, x.Type(), b.Type().Field(i).Name, y.Type())
		}
		p, q := x.FieldByName("Data"), y.FieldByName("Data")
		if p.Len() != q.Len() || p.Len() > 0 && !reflect.DeepEqual(p.Interface(), q.Interface()) || !slices.Equal(y.FieldByName("Shape").Interface().([]int), shape) {
			t.Errorf("%s: %v of shape %v, want %v of shape %v", a.Type().Field(i).Name, q, y.FieldByName("Shape"), p, shape)
		}
	}
}
