// Package typed calls kernels of every element type with the same numbers, in tests.
package typed

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/cmplx"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// E holds the elements of a slice argument. They are converted to the element type of the kernel's
// parameter. For bool, any number but 0 is true. For string, the number's digits are used. Unsigned
// integers wrap around.
type E []complex128

// Buf is an argument for a slice that the kernel writes. Its elements are the initial contents of
// this slice.
type Buf []complex128

// Struct holds the values of the fields of a kernel's struct of parameters, by the names of the
// fields. The values are converted in the same way as arguments of the kernel.
type Struct map[string]any

// F returns the numbers xs as a slice argument.
func F(xs ...float64) E {
	e := make(E, len(xs))
	for i, x := range xs {
		e[i] = complex(x, 0)
	}
	return e
}

// Seq returns an argument of n consecutive integers. The parameter `from` is the first of them.
func Seq(from, n int) E {
	e := make(E, n)
	for i := range e {
		e[i] = complex(float64(from+i), 0)
	}
	return e
}

// Out returns an argument of n elements that the kernel writes. Initially, all elements are 99.
func Out(n int) Buf {
	b := make(Buf, n)
	for i := range b {
		b[i] = 99
	}
	return b
}

var (
	f16  = reflect.TypeFor[tensor.F16]()
	bf16 = reflect.TypeFor[tensor.BF16]()
)

// Name returns a kernel's name.
func Name(f any) string {
	n := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return n[strings.LastIndexByte(n, '.')+1:]
}

// Bits returns the width in bits of an integer type, or 0 for other types. It also reports whether
// the type is signed.
func Bits(t reflect.Type) (bits int, signed bool) {
	switch k := t.Kind(); {
	case t == f16 || t == bf16:
		return 0, true
	case k >= reflect.Int && k <= reflect.Int64:
		return t.Bits(), true
	case k >= reflect.Uint && k <= reflect.Uint64:
		return t.Bits(), false
	}
	return 0, true
}

// Digits returns how many bits the significand of a floating-point type has, or 0 for other
// types.
func Digits(t reflect.Type) int {
	switch {
	case t == f16:
		return 11
	case t == bf16:
		return 8
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Complex64:
		return 24
	case t.Kind() == reflect.Float64, t.Kind() == reflect.Complex128:
		return 53
	}
	return 0
}

// IsComplex reports whether t is a complex type.
func IsComplex(t reflect.Type) bool {
	return t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128
}

// Set stores x in v.
func Set(v reflect.Value, x complex128) {
	t := v.Type()
	switch r := real(x); {
	case t == f16:
		v.SetUint(uint64(tensor.ToF16(float32(r))))
	case t == bf16:
		v.SetUint(uint64(tensor.ToBF16(float32(r))))
	case IsComplex(t):
		v.SetComplex(x)
	case Digits(t) > 0:
		v.SetFloat(r)
	case t.Kind() == reflect.Bool:
		v.SetBool(x != 0)
	case t.Kind() == reflect.String:
		v.SetString(strconv.FormatFloat(r, 'g', -1, 64))
	default:
		i, _ := big.NewFloat(r).Int(nil)
		SetBig(v, i)
	}
}

// SetBig stores the integer i in v. An integer outside the range of the type of v wraps around.
func SetBig(v reflect.Value, i *big.Int) {
	bits, signed := Bits(v.Type())
	one := big.NewInt(1)
	m := new(big.Int).Lsh(one, uint(bits))
	i = new(big.Int).Mod(i, m)
	if !signed {
		v.SetUint(i.Uint64())
		return
	}
	if i.Cmp(new(big.Int).Rsh(m, 1)) >= 0 {
		i.Sub(i, m)
	}
	v.SetInt(i.Int64())
}

// Get returns the number in v.
func Get(v reflect.Value) complex128 {
	t := v.Type()
	switch {
	case t == f16:
		return complex(float64(tensor.F16(v.Uint()).Float32()), 0)
	case t == bf16:
		return complex(float64(tensor.BF16(v.Uint()).Float32()), 0)
	case IsComplex(t):
		return v.Complex()
	case Digits(t) > 0:
		return complex(v.Float(), 0)
	case t.Kind() == reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case t.Kind() == reflect.String:
		if v.String() == "" {
			return 0
		}
		x, err := strconv.ParseFloat(v.String(), 64)
		if err != nil {
			return cmplx.NaN()
		}
		return complex(x, 0)
	}
	f, _ := new(big.Float).SetInt(GetBig(v)).Float64()
	return complex(f, 0)
}

// GetBig returns the integer in v.
func GetBig(v reflect.Value) *big.Int {
	if _, signed := Bits(v.Type()); signed {
		return big.NewInt(v.Int())
	}
	return new(big.Int).SetUint64(v.Uint())
}

// Slice returns xs as a slice of elements of type t.
func Slice(t reflect.Type, xs []complex128) reflect.Value {
	s := reflect.MakeSlice(t, len(xs), len(xs))
	for i, x := range xs {
		Set(s.Index(i), x)
	}
	return s
}

// Read returns the numbers of a slice.
func Read(s reflect.Value) []complex128 {
	xs := make([]complex128, s.Len())
	for i := range xs {
		xs[i] = Get(s.Index(i))
	}
	return xs
}

// Call calls the kernel f. An argument of the type E or Buf is converted to a slice of the type of
// the kernel's parameter, and a Struct is converted to the kernel's struct of parameters. Other
// arguments are converted as in Go. If the kernel has a budget parameter, Call passes a budget
// without a limit. outs holds the slices made from the Buf arguments, with the contents that the
// kernel wrote. results holds the kernel's results.
func Call(f any, args ...any) (outs []reflect.Value, results []any) {
	return call(nil, f, args...)
}

func call(run *mem.Budget, f any, args ...any) (outs []reflect.Value, results []any) {
	v := reflect.ValueOf(f)
	if v.Type().In(0) == reflect.TypeFor[*mem.Budget]() {
		args = append([]any{run}, args...)
	}
	in := make([]reflect.Value, len(args))
	var of func(t reflect.Type, a any) reflect.Value
	of = func(t reflect.Type, a any) reflect.Value {
		switch a := a.(type) {
		case nil:
			return reflect.Zero(t)
		case E:
			return Slice(t, a)
		case Buf:
			outs = append(outs, Slice(t, a))
			return outs[len(outs)-1]
		case Struct:
			s := reflect.New(t).Elem()
			for _, name := range slices.Sorted(maps.Keys(a)) {
				s.FieldByName(name).Set(of(s.FieldByName(name).Type(), a[name]))
			}
			return s
		}
		return reflect.ValueOf(a).Convert(t)
	}
	for i, a := range args {
		in[i] = of(v.Type().In(i), a)
	}
	for _, r := range v.Call(in) {
		results = append(results, r.Interface())
	}
	return outs, results
}

// Only is a filter: it returns the kernels in fs whose names the function f accepts.
func Only(fs []any, f func(name string) bool) []any {
	var some []any
	for _, k := range fs {
		if f(Name(k)) {
			some = append(some, k)
		}
	}
	return some
}

// Except returns the kernels whose names do not contain part.
func Except(fs []any, part string) []any {
	return Only(fs, func(name string) bool { return !strings.Contains(name, part) })
}

// Wants is the expected outcome of a call: the contents of the Bufs, and the results except errors.
type Wants struct {
	Outs []E
	// Results is the text that fmt.Sprint returns for the kernel's results without errors.
	Results string
}

// Same reports whether two numbers are equal, NaN being equal to NaN.
func Same(a, b complex128) bool {
	eq := func(a, b float64) bool { return a == b || a != a && b != b }
	return eq(real(a), real(b)) && eq(imag(a), imag(b))
}

// Near reports whether got differs from want by at most ulps units in the last place, for numbers of
// type t.
func Near(t reflect.Type, got, want complex128, ulps float64) bool {
	if Same(got, want) {
		return true
	}
	d := Digits(t)
	if d == 0 || cmplx.IsInf(want) || cmplx.IsNaN(want) || cmplx.IsNaN(got) {
		return false
	}
	return cmplx.Abs(got-want) <= ulps*math.Ldexp(max(cmplx.Abs(want), math.Ldexp(1, -14)), 1-d)
}

// Check calls each kernel and compares its outcome with want, whose numbers are converted to the
// kernel's types.
func Check(t *testing.T, what string, fs []any, want Wants, args ...any) {
	t.Helper()
	Close(t, what, fs, 0, want, args...)
}

// Close is Check with a tolerance in units in the last place.
func Close(t *testing.T, what string, fs []any, ulps float64, want Wants, args ...any) {
	t.Helper()
	if len(fs) == 0 {
		t.Errorf("%s: no kernels", what)
	}
	for _, f := range fs {
		outs, results := Call(f, args...)
		var rest []any
		for _, r := range results {
			if err, ok := r.(error); ok {
				t.Errorf("%s, %s: %v", Name(f), what, err)
			} else if r != nil {
				rest = append(rest, r)
			}
		}
		if got := strings.TrimSpace(fmt.Sprintln(rest...)); want.Results != got {
			t.Errorf("%s, %s: results %q, want %q", Name(f), what, got, want.Results)
		}
		if len(outs) != len(want.Outs) {
			t.Fatalf("%s, %s: %d slices written, %d expected", Name(f), what, len(outs), len(want.Outs))
		}
		for k, o := range outs {
			if want.Outs[k] == nil {
				continue
			}
			got, w := Read(o), Read(Slice(o.Type(), want.Outs[k]))
			for i := range max(len(got), len(w)) {
				if i >= len(w) || i >= len(got) || !Near(o.Type().Elem(), got[i], w[i], ulps) {
					t.Errorf("%s, %s: written %d is %v, want %v", Name(f), what, k, o.Interface(), want.Outs[k])
					break
				}
			}
		}
	}
}

// Fails calls each kernel, which must return an error with the given code.
func Fails(t *testing.T, what string, fs []any, code tensor.Code, args ...any) {
	t.Helper()
	if len(fs) == 0 {
		t.Errorf("%s: no kernels", what)
	}
	for _, f := range fs {
		_, results := Call(f, args...)
		err, _ := results[len(results)-1].(error)
		if err == nil || tensor.CodeOf(err) != code {
			t.Errorf("%s, %s: error %v, want one of code %v", Name(f), what, err, code)
		}
	}
}

// Ends calls each kernel with the budget of a cancelled run. Each kernel must notice this and stop
// before it has done all of its work.
func Ends(t *testing.T, what string, fs []any, args ...any) {
	t.Helper()
	if len(fs) == 0 {
		t.Errorf("%s: no kernels", what)
	}
	given := errors.New("given up")
	var run mem.Budget
	run.Init(math.MaxInt, func() error { return given }, nil)
	run.Reset(0)
	for _, f := range fs {
		func() {
			defer func() {
				if e, ok := recover().(mem.Ended); !ok || e.Reason != given {
					t.Errorf("%s, %s: does not end with its run", Name(f), what)
				}
			}()
			call(&run, f, args...)
		}()
	}
}

// Exhausts calls each kernel with a budget of n bytes. It checks that the kernel fails because it
// needs more than n bytes.
func Exhausts(t *testing.T, what string, fs []any, n int, args ...any) {
	t.Helper()
	if len(fs) == 0 {
		t.Errorf("%s: no kernels", what)
	}
	for _, f := range fs {
		var run mem.Budget
		run.Init(n, nil, nil)
		run.Reset(0)
		func() {
			defer func() {
				if err, _ := recover().(error); tensor.CodeOf(err) != tensor.ResourceExhausted {
					t.Errorf("%s, %s: %v, want too many bytes", Name(f), what, err)
				}
			}()
			call(&run, f, args...)
		}()
	}
}
