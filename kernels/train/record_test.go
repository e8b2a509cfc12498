package train

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// record holds the inputs and results of successive updates by one op, recorded from TensorFlow. A
// tensor is given as the bits of its elements in hexadecimal.
type record struct {
	Op, DType string
	Attrs     map[string]bool
	Shape     []int
	Vars      []string
	Steps     []struct{ Ins, After []string }
}

// parse returns the elements of a recorded tensor.
func parse(t *testing.T, s, dtype string) any {
	t.Helper()
	words := strings.Fields(s)
	bits := func(w string) uint64 {
		v, err := strconv.ParseUint(w, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	switch dtype {
	case "i64":
		x := make([]int64, len(words))
		for i, w := range words {
			x[i] = int64(bits(w))
		}
		return x
	case "f32":
		x := make([]float32, len(words))
		for i, w := range words {
			x[i] = math.Float32frombits(uint32(bits(w)))
		}
		return x
	case "f64":
		x := make([]float64, len(words))
		for i, w := range words {
			x[i] = math.Float64frombits(bits(w))
		}
		return x
	case "f16":
		x := make([]tensor.F16, len(words))
		for i, w := range words {
			x[i] = tensor.F16(bits(w))
		}
		return x
	case "bf16":
		x := make([]tensor.BF16, len(words))
		for i, w := range words {
			x[i] = tensor.BF16(bits(w))
		}
		return x
	case "c64":
		x := make([]complex64, len(words))
		for i, w := range words { // the imaginary part is the upper half
			b := bits(w)
			x[i] = complex(math.Float32frombits(uint32(b)), math.Float32frombits(uint32(b>>32)))
		}
		return x
	case "c128":
		x := make([]complex128, len(words))
		for i, w := range words {
			x[i] = complex(math.Float64frombits(bits(w[16:])), math.Float64frombits(bits(w[:16])))
		}
		return x
	}
	t.Fatalf("type %q", dtype)
	return nil
}

// parts returns the elements of x as real numbers. For a complex element, it returns the real part
// and the imaginary part.
func parts(x any) []float64 {
	var r []float64
	switch x := x.(type) {
	case []float32:
		for _, v := range x {
			r = append(r, float64(v))
		}
	case []float64:
		return x
	case []tensor.F16:
		for _, v := range x {
			r = append(r, float64(v.Float32()))
		}
	case []tensor.BF16:
		for _, v := range x {
			r = append(r, float64(v.Float32()))
		}
	case []complex64:
		for _, v := range x {
			r = append(r, float64(real(v)), float64(imag(v)))
		}
	case []complex128:
		for _, v := range x {
			r = append(r, real(v), imag(v))
		}
	}
	return r
}

// epsilons has, for each type, the distance from 1 to the next larger number.
var epsilons = map[string]float64{"f32": 1.0 / (1 << 23), "f64": 1.0 / (1 << 52), "f16": 1.0 / (1 << 10),
	"bf16": 1.0 / (1 << 7), "c64": 1.0 / (1 << 23), "c128": 1.0 / (1 << 52)}

func newVar(name string, shape []int, data any) *resource.Var {
	return &resource.Var{Name: name, Shape: shape, Set: true, Data: data}
}

// call calls a kernel with handles of the variables, then the other inputs.
func call(fn any, vars []*resource.Var, ins []any, shape []int, p Params) error {
	f := reflect.ValueOf(fn)
	var args []reflect.Value
	for _, v := range vars {
		args = append(args, reflect.ValueOf([]tensor.Handle{{V: v}}))
	}
	for _, x := range ins {
		args = append(args, reflect.ValueOf(x))
	}
	scratch := f.Type().In(len(args) + 1)
	args = append(args, reflect.ValueOf(shape), reflect.MakeSlice(scratch, Scratch, Scratch), reflect.ValueOf(p))
	err, _ := f.Call(args)[0].Interface().(error)
	return err
}

func TestRecorded(t *testing.T) {
	f, err := os.Open("testdata/updates.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var rs []record
	if err := json.NewDecoder(z).Decode(&rs); err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		name := strings.Replace(strings.TrimPrefix(r.Op, "Resource"), "Apply", "", 1)
		fn := kernels[name][r.DType]
		if fn == nil {
			t.Errorf("no kernel for %s of %s", r.Op, r.DType)
			continue
		}
		var vars []*resource.Var
		for i, v := range r.Vars {
			vars = append(vars, newVar(strconv.Itoa(i), r.Shape, parse(t, v, r.DType)))
		}
		for step, s := range r.Steps {
			var ins []any
			shape := r.Shape
			ft := reflect.TypeOf(fn)
			for i, x := range s.Ins {
				d := r.DType
				if ft.In(len(vars)+i) == reflect.TypeFor[[]int64]() {
					d = "i64"
				}
				v := parse(t, x, d)
				if n := reflect.ValueOf(v).Len(); d == "i64" && strings.HasPrefix(name, "Sparse") && !(strings.HasSuffix(name, "DA") && i > 1) {
					shape = append([]int{n}, r.Shape[1:]...)
				}
				ins = append(ins, v)
			}
			p := Params{Nesterov: r.Attrs["use_nesterov"], Slots: r.Attrs["update_slots"], ByRate: r.Attrs["multiply_linear_by_lr"]}
			if err := call(fn, vars, ins, shape, p); err != nil {
				t.Errorf("%s of %s, step %d: %v", r.Op, r.DType, step, err)
				break
			}
			limit := 4.0
			if strings.Contains(name, "Ftrl") {
				limit = 32 // Ftrl subtracts powers of the old and the new accumulator, which loses digits
			}
			for i, v := range vars {
				got, want := parts(v.Data), parts(parse(t, s.After[i], r.DType))
				for k := range want {
					d := math.Abs(got[k]-want[k]) / max(math.Abs(want[k]), 0.1) / epsilons[r.DType]
					if got[k] == want[k] || math.IsNaN(got[k]) && math.IsNaN(want[k]) || d <= limit {
						continue
					}
					t.Errorf("%s of %s %v, step %d, variable %d[%d]: %v, want %v (%v ulp), inputs %v", r.Op, r.DType, r.Attrs, step, i, k, got[k], want[k], d, ins)
				}
			}
		}
	}
}
