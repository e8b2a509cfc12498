package program

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// setText parses s and stores it as element i. It refuses numbers beyond the range of the element
// type, and fractions for integer types.
func setText(t *tensor.Tensor, i int, s string) error {
	bits := t.DType.Size() * 8
	ok := true
	switch d := t.Data.(type) {
	case []string:
		d[i] = s
	case []bool:
		v, err := strconv.ParseBool(s)
		d[i], ok = v, err == nil
	case []float32:
		var v float64
		v, ok = parseFloat(s, 32)
		d[i] = float32(v)
	case []float64:
		d[i], ok = parseFloat(s, 64)
	case []tensor.F16:
		var v float64
		if v, ok = parseFloat(s, 32); ok {
			d[i] = tensor.ToF16(float32(v))
			ok = math.IsInf(v, 0) || !math.IsInf(float64(d[i].Float32()), 0)
		}
	case []tensor.BF16:
		var v float64
		if v, ok = parseFloat(s, 32); ok {
			d[i] = tensor.ToBF16(float32(v))
			ok = math.IsInf(v, 0) || !math.IsInf(float64(d[i].Float32()), 0)
		}
	case []complex64:
		v, err := strconv.ParseComplex(s, 64)
		d[i], ok = complex64(v), err == nil
	case []complex128:
		v, err := strconv.ParseComplex(s, 128)
		d[i], ok = v, err == nil
	default:
		v := reflect.ValueOf(t.Data).Index(i)
		switch {
		case v.CanInt():
			n, err := strconv.ParseInt(whole(s), 10, bits)
			ok = err == nil
			v.SetInt(n)
		case v.CanUint():
			n, err := strconv.ParseUint(whole(s), 10, bits)
			ok = err == nil
			v.SetUint(n)
		default:
			return tensor.Errorf(tensor.Unimplemented, "elements of type %v cannot be read", t.DType)
		}
	}
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "%q is not a value of type %v", s, t.DType)
	}
	return nil
}

// parseFloat parses a number. It returns false for malformed text and for a number that is out of
// range. If it returns true, the number is infinite only if s spells an infinity.
func parseFloat(s string, bits int) (float64, bool) {
	v, err := strconv.ParseFloat(s, bits)
	return v, err == nil
}

// whole rewrites a whole number without point and exponent. 3.0 and 3e2 are whole numbers, 3.5 and
// 3e-1 are not. Text that is not a whole number is returned unchanged.
func whole(s string) string {
	at := strings.IndexAny(s, ".eE")
	if at < 0 {
		return s
	}
	mantissa, exp := s, 0
	if k := strings.IndexAny(s, "eE"); k >= 0 {
		var err error
		if exp, err = strconv.Atoi(s[k+1:]); err != nil || exp < -maxDigits || exp > maxDigits {
			return s
		}
		mantissa = s[:k]
	}
	head, tail, _ := strings.Cut(mantissa, ".")
	switch {
	case strings.Trim(head, "+-") == "":
		return s
	case exp >= 0:
		tail += strings.Repeat("0", max(0, exp-len(tail)))
		head, tail = head+tail[:exp], tail[exp:]
	case len(head) > -exp:
		head, tail = head[:len(head)+exp], head[len(head)+exp:]+tail
	default:
		return s
	}
	if strings.Trim(tail, "0") != "" {
		return s
	}
	return head
}

// maxDigits bounds the exponent of a whole number; 2⁶⁴ has 20 digits.
const maxDigits = 40
