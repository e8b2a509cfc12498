package ptx

import (
	"math"
	"math/bits"
	"unsafe"
)

// Each loop in this file computes all 32 lanes of a warp, including inactive lanes. If some lanes are
// inactive, warp.blended makes the loop write its results to row 0, and then copies the results of
// the active lanes to the destination. A loop whose result is a predicate changes only the bits of
// active lanes.

func (w *warp) row32(i int32) *[32]uint32 { return &w.r32[i] }
func (w *warp) row64(i int32) *[32]uint64 { return &w.r64[i] }

// rowF32 and rowF64 return rows as floats, rowS32 and rowS64 as signed integers.
func (w *warp) rowF32(i int32) *[32]float32 { return (*[32]float32)(unsafe.Pointer(&w.r32[i])) }
func (w *warp) rowF64(i int32) *[32]float64 { return (*[32]float64)(unsafe.Pointer(&w.r64[i])) }
func (w *warp) rowS32(i int32) *[32]int32   { return (*[32]int32)(unsafe.Pointer(&w.r32[i])) }
func (w *warp) rowS64(i int32) *[32]int64   { return (*[32]int64)(unsafe.Pointer(&w.r64[i])) }

// quickInt returns the loop that executes an integer operation, or nil if this file has no loop for
// it.
func quickInt(op string, t typ) func(*warp, *instr) {
	switch t.size() {
	// for 16-bit types, there are loops only for operations that keep the upper 16 bits of a lane
	// zero
	case 2:
		switch op {
		case "and":
			return and32
		case "or":
			return or32
		case "xor":
			return xor32
		}
	case 4:
		switch op {
		case "add":
			return add32
		case "sub":
			return sub32
		case "mul.lo":
			return mul32
		case "mad.lo":
			return mad32
		case "and":
			return and32
		case "or":
			return or32
		case "xor":
			return xor32
		case "not":
			return not32
		case "shl":
			return shl32
		case "shr":
			if t.signed() {
				return sar32
			}
			return shr32
		case "mul.wide":
			if t.signed() {
				return mulWideS32
			}
			return mulWideU32
		case "mad.wide":
			if t.signed() {
				return madWideS32
			}
			return madWideU32
		case "mul.hi":
			if !t.signed() {
				return mulHighU32
			}
		}
	case 8:
		switch op {
		case "add":
			return add64w
		case "sub":
			return sub64w
		case "mul.lo":
			return mul64w
		case "mad.lo":
			return mad64w
		case "and":
			return and64
		case "or":
			return or64
		case "xor":
			return xor64
		case "not":
			return not64
		case "shl":
			return shl64
		case "shr":
			if t.signed() {
				return sar64
			}
			return shr64
		}
	}
	return nil
}

// quickFloat returns the loop that executes a floating-point operation, or nil if this file has no
// loop for it.
func quickFloat(op string, x modifiers) func(*warp, *instr) {
	if x.m != nearest || x.ftz || x.sat || x.relu {
		return nil
	}
	switch x.t {
	case f32:
		switch op {
		case "add":
			return addF32
		case "sub":
			return subF32
		case "mul":
			return mulF32
		case "fma":
			return fmaF32
		}
	case f64:
		switch op {
		case "add":
			return addF64
		case "sub":
			return subF64
		case "mul":
			return mulF64
		case "fma":
			return fmaF64
		}
	}
	return nil
}

func add32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func add64w(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row64(in.b)
	for i := range d {
		d[i] = a[i] + b[i]
	}
}

func sub32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func sub64w(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row64(in.b)
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func mul32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func mul64w(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row64(in.b)
	for i := range d {
		d[i] = a[i] * b[i]
	}
}

func and32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func and64(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row64(in.b)
	for i := range d {
		d[i] = a[i] & b[i]
	}
}

func or32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func or64(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row64(in.b)
	for i := range d {
		d[i] = a[i] | b[i]
	}
}

func xor32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func xor64(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row64(in.b)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
}

func not32(w *warp, in *instr) {
	d, a := w.row32(in.d), w.row32(in.a)
	for i := range d {
		d[i] = ^a[i]
	}
}

func not64(w *warp, in *instr) {
	d, a := w.row64(in.d), w.row64(in.a)
	for i := range d {
		d[i] = ^a[i]
	}
}

func mad32(w *warp, in *instr) {
	d, a, b, c := w.row32(in.d), w.row32(in.a), w.row32(in.b), w.row32(in.c)
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func mad64w(w *warp, in *instr) {
	d, a, b, c := w.row64(in.d), w.row64(in.a), w.row64(in.b), w.row64(in.c)
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
}

func shl32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shl64(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] << b[i]
	}
}

func shr32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func shr64(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row64(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func sar32(w *warp, in *instr) {
	d, a, b := w.rowS32(in.d), w.rowS32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func sar64(w *warp, in *instr) {
	d, a, b := w.rowS64(in.d), w.rowS64(in.a), w.row32(in.b)
	for i := range d {
		d[i] = a[i] >> b[i]
	}
}

func mulWideS32(w *warp, in *instr) {
	d, a, b := w.rowS64(in.d), w.rowS32(in.a), w.rowS32(in.b)
	for i := range d {
		d[i] = int64(a[i]) * int64(b[i])
	}
}

func mulWideU32(w *warp, in *instr) {
	d, a, b := w.row64(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = uint64(a[i]) * uint64(b[i])
	}
}

func madWideS32(w *warp, in *instr) {
	d, a, b, c := w.rowS64(in.d), w.rowS32(in.a), w.rowS32(in.b), w.rowS64(in.c)
	for i := range d {
		d[i] = int64(a[i])*int64(b[i]) + c[i]
	}
}

func madWideU32(w *warp, in *instr) {
	d, a, b, c := w.row64(in.d), w.row32(in.a), w.row32(in.b), w.row64(in.c)
	for i := range d {
		d[i] = uint64(a[i])*uint64(b[i]) + c[i]
	}
}

func mulHighU32(w *warp, in *instr) {
	d, a, b := w.row32(in.d), w.row32(in.a), w.row32(in.b)
	for i := range d {
		d[i] = uint32(uint64(a[i]) * uint64(b[i]) >> 32)
	}
}

func addF32(w *warp, in *instr) {
	d, a, b := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b)
	for i := range d {
		r := a[i] + b[i]
		if r != r {
			r = math.Float32frombits(nan32)
		}
		d[i] = r
	}
}

func addF64(w *warp, in *instr) {
	d, a, b := w.rowF64(in.d), w.rowF64(in.a), w.rowF64(in.b)
	for i := range d {
		r := a[i] + b[i]
		if r != r {
			r = math.Float64frombits(nan64)
		}
		d[i] = r
	}
}

func subF32(w *warp, in *instr) {
	d, a, b := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b)
	for i := range d {
		r := a[i] - b[i]
		if r != r {
			r = math.Float32frombits(nan32)
		}
		d[i] = r
	}
}

func subF64(w *warp, in *instr) {
	d, a, b := w.rowF64(in.d), w.rowF64(in.a), w.rowF64(in.b)
	for i := range d {
		r := a[i] - b[i]
		if r != r {
			r = math.Float64frombits(nan64)
		}
		d[i] = r
	}
}

func mulF32(w *warp, in *instr) {
	d, a, b := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b)
	for i := range d {
		r := a[i] * b[i]
		if r != r {
			r = math.Float32frombits(nan32)
		}
		d[i] = r
	}
}

func mulF64(w *warp, in *instr) {
	d, a, b := w.rowF64(in.d), w.rowF64(in.a), w.rowF64(in.b)
	for i := range d {
		r := a[i] * b[i]
		if r != r {
			r = math.Float64frombits(nan64)
		}
		d[i] = r
	}
}

func fmaF64(w *warp, in *instr) {
	d, a, b, c := w.rowF64(in.d), w.rowF64(in.a), w.rowF64(in.b), w.rowF64(in.c)
	for i := range d {
		r := math.FMA(a[i], b[i], c[i])
		if r != r {
			r = math.Float64frombits(nan64)
		}
		d[i] = r
	}
}

// fmaF32 computes a·b+c in float64, where the product is exact but the sum s may be rounded. If the
// lower 28 bits of s are not all zero, s is neither a float32 number nor halfway between two adjacent
// float32 numbers. The exact sum then lies on the same side of every such halfway point as s, so both
// round to the same float32 number. In all other cases, and for sums that are subnormal in float32,
// the function fma32 computes the result.
func fmaF32(w *warp, in *instr) {
	d, a, b, c := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b), w.rowF32(in.c)
	for i := range d {
		p := float64(a[i]) * float64(b[i])
		s := float64(p) + float64(c[i])
		if u := math.Float64bits(s); u&0x0fffffff != 0 && u<<1 >= 0x3810000000000000<<1 {
			d[i] = float32(s)
		} else {
			d[i] = fma32(a[i], b[i], c[i])
		}
	}
}

func negF32(w *warp, in *instr) {
	d, a := w.row32(in.d), w.row32(in.a)
	for i := range d {
		d[i] = a[i] ^ 1<<31
	}
}

func absF32(w *warp, in *instr) {
	d, a := w.row32(in.d), w.row32(in.a)
	for i := range d {
		d[i] = a[i] &^ (1 << 31)
	}
}

func maxF32(w *warp, in *instr) {
	d, a, b := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b)
	for i := range d {
		if x, y := a[i], b[i]; x > y {
			d[i] = x
		} else if y > x {
			d[i] = y
		} else {
			d[i] = maxEqualF32(x, y)
		}
	}
}

func minF32(w *warp, in *instr) {
	d, a, b := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b)
	for i := range d {
		if x, y := a[i], b[i]; x < y {
			d[i] = x
		} else if y < x {
			d[i] = y
		} else {
			d[i] = minEqualF32(x, y)
		}
	}
}

// maxEqualF32 and minEqualF32 handle operands for which neither x < y nor x > y holds: zeros, equal
// numbers and NaN.
func maxEqualF32(x, y float32) float32 {
	return asF32(modifiers{t: f32}.extreme(true)(uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), 0, 0))
}

func minEqualF32(x, y float32) float32 {
	return asF32(modifiers{t: f32}.extreme(false)(uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), 0, 0))
}

func move32(w *warp, in *instr) { w.r32[in.d] = w.r32[in.a] }
func move64(w *warp, in *instr) { w.r64[in.d] = w.r64[in.a] }

func select32(w *warp, in *instr) {
	d, a, b, c := w.row32(in.d), w.row32(in.a), w.row32(in.b), w.p[in.c]
	for i := range d {
		v := b[i]
		if c>>i&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
}

func select64(w *warp, in *instr) {
	d, a, b, c := w.row64(in.d), w.row64(in.a), w.row64(in.b), w.p[in.c]
	for i := range d {
		v := b[i]
		if c>>i&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
}

func b2i(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// compareAll compares the rows a and b lane by lane, and writes the predicates to row in.d. The
// relation rel is one for which Go has an operator.
func compareAll[T uint32 | int32 | uint64 | int64 | float32 | float64](w *warp, in *instr, a, b *[32]T, rel relation) {
	var r uint32
	switch rel {
	case relEqual:
		for i := range a {
			r |= b2i(a[i] == b[i]) << i
		}
	case relNot:
		for i := range a {
			r |= b2i(a[i] != b[i]) << i
		}
	case relLess:
		for i := range a {
			r |= b2i(a[i] < b[i]) << i
		}
	case relLessEqual:
		for i := range a {
			r |= b2i(a[i] <= b[i]) << i
		}
	case relGreater:
		for i := range a {
			r |= b2i(a[i] > b[i]) << i
		}
	default:
		for i := range a {
			r |= b2i(a[i] >= b[i]) << i
		}
	}
	w.predicate(in.d, r)
}

type relation uint8

const (
	relEqual relation = iota
	relNot
	relLess
	relLessEqual
	relGreater
	relGreaterEqual
)

// quickCompare returns the loop of a comparison, or nil.
func quickCompare(rel string, t typ) func(*warp, *instr) {
	if t.float() {
		if not, ok := map[string]string{"ltu": "ge", "leu": "gt", "gtu": "le", "geu": "lt", "neu": "eq"}[rel]; ok {
			run := quickCompare(not, t)
			if run == nil {
				return nil
			}
			return func(w *warp, in *instr) {
				run(w, in)
				w.p[in.d] ^= w.mask
			}
		}
	}
	if t == f32 && (rel == "nan" || rel == "num") {
		return unorderedF32(rel == "nan")
	}
	r, ok := map[string]relation{"eq": relEqual, "ne": relNot, "lt": relLess, "le": relLessEqual, "gt": relGreater, "ge": relGreaterEqual}[rel]
	if !ok || t.float() && r == relNot {
		return nil
	}
	switch t {
	case s16:
		if r > relNot {
			return nil // rows hold 16-bit numbers zero-extended, which is wrong for signed order
		}
		fallthrough
	case u32, b32, u16, b16:
		return func(w *warp, in *instr) { compareAll(w, in, w.row32(in.a), w.row32(in.b), r) }
	case s32:
		return func(w *warp, in *instr) { compareAll(w, in, w.rowS32(in.a), w.rowS32(in.b), r) }
	case u64, b64:
		return func(w *warp, in *instr) { compareAll(w, in, w.row64(in.a), w.row64(in.b), r) }
	case s64:
		return func(w *warp, in *instr) { compareAll(w, in, w.rowS64(in.a), w.rowS64(in.b), r) }
	case f32:
		return func(w *warp, in *instr) { compareAll(w, in, w.rowF32(in.a), w.rowF32(in.b), r) }
	case f64:
		return func(w *warp, in *instr) { compareAll(w, in, w.rowF64(in.a), w.rowF64(in.b), r) }
	}
	return nil
}

// unorderedF32 returns a loop that tests float32 operands for NaN. If the parameter nan is true, the
// resulting predicate says whether at least one of the two operands is NaN. Otherwise it says whether
// neither of them is NaN.
func unorderedF32(nan bool) func(*warp, *instr) {
	return func(w *warp, in *instr) {
		a, b := w.rowF32(in.a), w.rowF32(in.b)
		var r uint32
		for i := range a {
			r |= b2i((a[i] != a[i] || b[i] != b[i]) == nan) << i
		}
		w.predicate(in.d, r)
	}
}

// quickExtreme returns the loop of min or max of integers.
func quickExtreme(largest bool, t typ) func(*warp, *instr) {
	switch t {
	case s32:
		return func(w *warp, in *instr) { extremeAll(w.rowS32(in.d), w.rowS32(in.a), w.rowS32(in.b), largest) }
	case u32:
		return func(w *warp, in *instr) { extremeAll(w.row32(in.d), w.row32(in.a), w.row32(in.b), largest) }
	case s64:
		return func(w *warp, in *instr) { extremeAll(w.rowS64(in.d), w.rowS64(in.a), w.rowS64(in.b), largest) }
	case u64:
		return func(w *warp, in *instr) { extremeAll(w.row64(in.d), w.row64(in.a), w.row64(in.b), largest) }
	}
	return nil
}

func extremeAll[T int32 | uint32 | int64 | uint64](d, a, b *[32]T, largest bool) {
	if largest {
		for i := range d {
			d[i] = max(a[i], b[i])
		}
		return
	}
	for i := range d {
		d[i] = min(a[i], b[i])
	}
}

func divF32(w *warp, in *instr) {
	d, a, b := w.rowF32(in.d), w.rowF32(in.a), w.rowF32(in.b)
	for i := range d {
		r := a[i] / b[i]
		if r != r {
			r = math.Float32frombits(nan32)
		}
		d[i] = r
	}
}

// quickConvert returns the loop that executes a conversion between two types, or nil if this file has
// no loop for it. The parameter whole is the modifier for rounding to an integer, such as rni, or "".
func quickConvert(to, from typ, whole string, m rounding) func(*warp, *instr) {
	if m != nearest || whole != "" {
		return nil
	}
	switch {
	case to.integer() && from.integer() && to.size() == 8 && from.size() == 4:
		if from.signed() {
			return widenS32
		}
		return widenU32
	case to.integer() && from.integer() && to.size() == 4 && from.size() == 8:
		return narrow64
	case to.integer() && from == u16 && to.size() == 4:
		return move32
	case to == f32 && from == s32:
		return floatS32
	case to == f32 && from == u32:
		return floatU32
	case to == f64 && from == f32:
		return widenF32
	case to == f32 && from == f64:
		return narrowF64
	}
	return nil
}

func widenS32(w *warp, in *instr) {
	d, a := w.rowS64(in.d), w.rowS32(in.a)
	for i := range d {
		d[i] = int64(a[i])
	}
}

func widenU32(w *warp, in *instr) {
	d, a := w.row64(in.d), w.row32(in.a)
	for i := range d {
		d[i] = uint64(a[i])
	}
}

func narrow64(w *warp, in *instr) {
	d, a := w.row32(in.d), w.row64(in.a)
	for i := range d {
		d[i] = uint32(a[i])
	}
}

func floatS32(w *warp, in *instr) {
	d, a := w.rowF32(in.d), w.rowS32(in.a)
	for i := range d {
		d[i] = float32(a[i])
	}
}

func floatU32(w *warp, in *instr) {
	d, a := w.rowF32(in.d), w.row32(in.a)
	for i := range d {
		d[i] = float32(a[i])
	}
}

func widenF32(w *warp, in *instr) {
	d, a := w.rowF64(in.d), w.rowF32(in.a)
	for i := range d {
		r := float64(a[i])
		if r != r {
			r = math.Float64frombits(nan64)
		}
		d[i] = r
	}
}

func narrowF64(w *warp, in *instr) {
	d, a := w.rowF32(in.d), w.rowF64(in.a)
	for i := range d {
		r := float32(a[i])
		if r != r {
			r = math.Float32frombits(nan32)
		}
		d[i] = r
	}
}

// wide returns an operand's values as 64-bit numbers. If the operand has class word64, the result is
// its row. Otherwise wide copies the values to t and returns t.
func (w *warp) wide(c class, row int32, t *[32]uint64) *[32]uint64 {
	switch c {
	case word64:
		return &w.r64[row]
	case word32:
		for i, v := range &w.r32[row] {
			t[i] = uint64(v)
		}
	default:
		p := w.p[row]
		for i := range t {
			t[i] = uint64(p >> i & 1)
		}
	}
	return t
}

// laneByLane executes an instruction for which this file has no loop: it calls the instruction's
// function f for each lane.
func laneByLane(w *warp, in *instr) {
	var t [4][32]uint64
	a, b, c, e := &t[0], &t[0], &t[0], &t[0]
	switch in.count {
	case 4:
		e = w.wide(in.ec, in.e, &t[3])
		fallthrough
	case 3:
		c = w.wide(in.cc, in.c, &t[2])
		fallthrough
	case 2:
		b = w.wide(in.bc, in.b, &t[1])
		fallthrough
	case 1:
		a = w.wide(in.ac, in.a, &t[0])
	}
	f, keep := in.f, in.keep
	if in.sign == noType && w.mask == allLanes && in.dc != bit {
		if in.dc == word32 {
			d := &w.r32[in.d]
			for i := range d {
				d[i] = uint32(f(a[i], b[i], c[i], e[i]) & keep)
			}
			return
		}
		d := &w.r64[in.d]
		if d != a && d != b && d != c && d != e {
			for i := range d {
				d[i] = f(a[i], b[i], c[i], e[i]) & keep
			}
			return
		}
	}
	for m := w.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		w.result(in, i, f(a[i], b[i], c[i], e[i]))
	}
}
