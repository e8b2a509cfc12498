package cast

import (
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

//go:generate go run -C ../_gen ./wrappers -dir ../cast

// toward0 returns x rounded to a float32 toward 0.
func toward0(x float64) float64 {
	y := float32(x)
	if math.Abs(float64(y)) > math.Abs(x) {
		y = math.Nextafter32(y, 0)
	}
	return float64(y)
}

// expect sets v to x, converted as the package's comment describes. Conversions to integers use big.Int.
func expect(v, x reflect.Value, chop bool) {
	bits, _ := typed.Bits(v.Type())
	xbits, _ := typed.Bits(x.Type())
	r := real(typed.Get(x))
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(r != 0)
	case bits > 0 && xbits > 0:
		typed.SetBig(v, typed.GetBig(x))
	case bits > 0:
		whole := new(big.Int)
		if !math.IsNaN(r) && !math.IsInf(r, 0) {
			big.NewFloat(r).Int(whole)
		}
		via := 32 // the bits of the signed integer to which the number is truncated
		if bits == 64 || v.Kind() == reflect.Uint32 {
			via = 64
		}
		least := new(big.Int).Lsh(big.NewInt(-1), uint(via-1))
		top := new(big.Int).Neg(least)
		if math.IsNaN(r) || math.IsInf(r, 0) || whole.Cmp(least) < 0 || whole.Cmp(top) >= 0 && v.Kind() != reflect.Uint64 || whole.BitLen() > 64 {
			whole = least
		}
		typed.SetBig(v, whole)
	case typed.IsComplex(v.Type()):
		z := complex(r, 0)
		if typed.IsComplex(x.Type()) {
			z = x.Complex()
		}
		if chop {
			z = complex(toward0(real(z)), toward0(imag(z)))
		}
		typed.Set(v, z)
	default:
		typed.Set(v, complex(r, 0))
		if got := real(typed.Get(v)); chop && math.Abs(got) > math.Abs(r) && !math.IsInf(got, 0) {
			if v.Kind() == reflect.Uint16 {
				v.SetUint(v.Uint() - 1)
			} else {
				v.SetFloat(toward0(r))
			}
		}
	}
}

// TestTypes converts between all pairs of types: small numbers, numbers that wrap around or are out
// of range, NaN and infinities, in slices longer than the pieces in which 16-bit floats are
// converted.
func TestTypes(t *testing.T) {
	numbers := []complex128{0, 1, -1, 2, 7, 100, -100, 2.5, -3.75, 0.125, 200, 2049, -2051, 70000, -70000, 1 << 30, -(1 << 31), 1 << 31, 1 << 33, -(1 << 34), 1 << 62, -(1 << 63),
		1e20, -1e20, complex(math.NaN(), 0), complex(math.Inf(1), 0), complex(math.Inf(-1), 0)}
	for from, fs := range wrappers {
		for _, fn := range fs {
			f := reflect.TypeOf(fn)
			src, dst := f.In(1).Elem(), f.In(0).Elem()
			xs := reflect.MakeSlice(f.In(1), 0, 0)
			for _, x := range numbers {
				if bits, _ := typed.Bits(src); bits > 0 && x != complex(math.Trunc(math.Max(-1<<63, math.Min(1<<63, real(x)))), 0) {
					continue
				}
				v := reflect.New(src).Elem()
				typed.Set(v, x)
				xs = reflect.Append(xs, v)
			}
			if typed.IsComplex(src) {
				v := reflect.New(src).Elem()
				for _, z := range []complex128{2 + 3i, 1i} {
					typed.Set(v, z)
					xs = reflect.Append(xs, v)
				}
			}
			for xs.Len() < 600 {
				xs = reflect.AppendSlice(xs, xs)
			}
			got := reflect.MakeSlice(f.In(0), xs.Len(), xs.Len())
			reflect.ValueOf(fn).Call([]reflect.Value{got, xs})
			want := reflect.New(dst).Elem()
			for i := range xs.Len() {
				if expect(want, xs.Index(i), strings.HasSuffix(typed.Name(fn), "Chop")); !typed.Same(typed.Get(got.Index(i)), typed.Get(want)) {
					t.Errorf("%s%s of %v is %v, want %v", from, dst, xs.Index(i), typed.Get(got.Index(i)), typed.Get(want))
					break
				}
			}
			reflect.ValueOf(fn).Call([]reflect.Value{got.Slice(0, 0), xs.Slice(0, 0)})
		}
	}
}
