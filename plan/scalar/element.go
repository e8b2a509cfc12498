package scalar

import (
	"math"
	"reflect"
)

// ElementBits returns the bits of an element, in the form in which a Const holds them: the bits of
// the real part and of the imaginary part. The element v must be a bool or a number.
func ElementBits(v reflect.Value) (bits [2]uint64) {
	switch v.Kind() {
	case reflect.Bool:
		bits[0] = truth(v.Bool())
	case reflect.Float32:
		x, _ := v.Interface().(float32) // v.Float would change NaNs
		bits[0] = uint64(math.Float32bits(x))
	case reflect.Float64:
		bits[0] = math.Float64bits(v.Float())
	case reflect.Complex64:
		c := complex64(v.Complex())
		bits = [2]uint64{uint64(math.Float32bits(real(c))), uint64(math.Float32bits(imag(c)))}
	case reflect.Complex128:
		c := v.Complex()
		bits = [2]uint64{math.Float64bits(real(c)), math.Float64bits(imag(c))}
	default:
		if v.CanInt() {
			bits[0] = uint64(v.Int()) & (1<<(8*v.Type().Size()-1)<<1 - 1)
		} else {
			bits[0] = v.Uint()
		}
	}
	return bits
}

// SetElement sets the bits of the element v. The element's type must be one that Exact programs may
// use.
func SetElement(v reflect.Value, bits uint64) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(bits != 0)
	case reflect.Float32: // sets the bits through a pointer, because SetFloat would change NaNs
		*v.Addr().Interface().(*float32) = math.Float32frombits(uint32(bits))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(bits))
	default:
		if v.CanInt() {
			v.SetInt(Signed(bits, v.Type().Bits()))
		} else {
			v.SetUint(bits)
		}
	}
}
