package ptx

import (
	"math"
	"math/bits"
)

// logic decodes the instructions for logical operations: and, or, xor, not, cnot.
func (d *decoder) logic(o *opcode) {
	o.want(1)
	o.done()
	t := o.types[0]
	n := 3
	if o.base == "not" || o.base == "cnot" {
		n = 2
	}
	if t == pred {
		run := map[string]func(*warp, *instr){"and": andPredicates, "or": orPredicates, "xor": xorPredicates, "not": notPredicate}[o.base]
		if run == nil {
			d.fail("no %s of predicates", o.base)
		}
		args := d.operands(n)
		in := instr{kind: masked, run: run, d: d.destination(args[0], bit).row, dc: bit, ac: bit, bc: bit}
		in.a = d.source(args[1], pred).row
		if n == 3 {
			in.b = d.source(args[2], pred).row
		}
		d.emit(in)
		return
	}
	var f semantics
	switch o.base {
	case "and":
		f = func(a, b, _, _ uint64) uint64 { return a & b }
	case "or":
		f = func(a, b, _, _ uint64) uint64 { return a | b }
	case "xor":
		f = func(a, b, _, _ uint64) uint64 { return a ^ b }
	case "not":
		f = func(a, _, _, _ uint64) uint64 { return ^a }
	default:
		m := t.mask()
		f = func(a, _, _, _ uint64) uint64 { return flag(a&m == 0) }
	}
	d.compute(quickInt(o.base, t), f, t, t, n)
}

// shift decodes the instructions shl and shr. A shift amount that is greater than the operand's
// width has the same effect as an amount that is equal to the width.
func (d *decoder) shift(o *opcode) {
	o.want(1)
	o.done()
	t := o.types[0]
	size := uint64(8 * t.size())
	var f semantics
	switch {
	case o.base == "shl":
		f = func(a, b, _, _ uint64) uint64 {
			if b = uint64(uint32(b)); b >= size {
				return 0
			}
			return a << b
		}
	case t.signed():
		f = func(a, b, _, _ uint64) uint64 { return uint64(int64(t.extend(a)) >> min(uint64(uint32(b)), 63)) }
	default:
		m := t.mask()
		f = func(a, b, _, _ uint64) uint64 { return (a & m) >> min(uint64(uint32(b)), 64) }
	}
	d.typed(quickInt(o.base, t), f, t, []typ{t, u32})
}

// bitwise decodes instructions that count, find, reverse or extract bits.
func (d *decoder) bitwise(o *opcode) {
	o.want(1)
	t := o.types[0]
	size := 8 * t.size()
	switch o.base {
	case "popc":
		o.done()
		d.typed(nil, func(a, _, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a & t.mask())) }, u32, []typ{t})
	case "clz":
		o.done()
		d.typed(nil, func(a, _, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(a&t.mask()) - 64 + size) }, u32, []typ{t})
	case "brev":
		o.done()
		d.typed(nil, func(a, _, _, _ uint64) uint64 { return bits.Reverse64(a&t.mask()) >> (64 - size) }, t, []typ{t})
	case "bfind":
		amount := o.take("shiftamt")
		o.done()
		d.typed(nil, func(a, _, _, _ uint64) uint64 {
			if t.signed() && a>>(size-1)&1 != 0 {
				a = ^a
			}
			n := bits.Len64(a&t.mask()) - 1
			if n >= 0 && amount {
				n = size - 1 - n
			}
			return uint64(uint32(n))
		}, u32, []typ{t})
	case "bfe":
		o.done()
		d.typed(nil, func(a, b, c, _ uint64) uint64 {
			pos, n := int(b&255), int(c&255)
			var fill uint64
			if t.signed() && n > 0 {
				fill = a >> min(pos+n-1, size-1) & 1
			}
			var r uint64
			for i := range size {
				v := fill
				if i < n && pos+i < size {
					v = a >> (pos + i) & 1
				}
				r |= v << i
			}
			return r
		}, t, []typ{t, u32, u32})
	case "bfi":
		o.done()
		d.typed(nil, func(a, b, c, e uint64) uint64 {
			pos, n := c&255, e&255
			if pos >= uint64(size) {
				return b
			}
			// For n ≥ 64, all bits of m are set, because Go defines the result of the shift as 0.
			m := uint64(1)<<n - 1
			m <<= pos
			return b&^m | a<<pos&m
		}, t, []typ{t, t, u32, u32})
	case "bmsk":
		clamp := o.take("clamp")
		o.one("wrap")
		o.done()
		d.typed(nil, func(a, b, _, _ uint64) uint64 {
			if clamp {
				a, b = min(uint64(uint32(a)), 32), min(uint64(uint32(b)), 32)
			} else {
				a, b = a&31, b&31
			}
			return (1<<b - 1) << a
		}, t, []typ{u32, u32})
	}
}

// lop3 decodes the instruction lop3, which applies an arbitrary function of three bits to each bit
// position.
func (d *decoder) lop3(o *opcode) {
	o.want(1)
	o.done()
	args := d.operands(5)
	if args[4].kind != immediate {
		d.fail("the table is not a number")
	}
	table := args[4].value.bits
	f := func(a, b, c, _ uint64) uint64 {
		var r uint64
		for i := range 8 {
			if table>>i&1 == 0 {
				continue
			}
			x, y, z := a, b, c
			if i&4 == 0 {
				x = ^x
			}
			if i&2 == 0 {
				y = ^y
			}
			if i&1 == 0 {
				z = ^z
			}
			r |= x & y & z
		}
		return r
	}
	d.general(d.destination(args[0], word32), b32, f, d.source(args[1], b32), d.source(args[2], b32), d.source(args[3], b32))
}

// funnel decodes shf.
func (d *decoder) funnel(o *opcode) {
	o.want(1)
	left := o.one("l", "r") == "l"
	wrap := o.one("clamp", "wrap") == "wrap"
	o.done()
	d.typed(nil, func(a, b, c, _ uint64) uint64 {
		n := uint64(uint32(c))
		if wrap {
			n &= 31
		}
		n = min(n, 32)
		v := b<<32 | a&math.MaxUint32
		if left {
			return v << n >> 32
		}
		return v >> n
	}, b32, []typ{b32, b32, u32})
}

// permute decodes prmt.
func (d *decoder) permute(o *opcode) {
	o.want(1)
	mode := o.one("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")
	o.done()
	d.typed(nil, func(a, b, c, _ uint64) uint64 {
		v := b<<32 | a&math.MaxUint32
		s := int(c & 3)
		var r uint64
		for i := range 4 {
			n, msb := 0, false
			switch mode {
			case "f4e":
				n = s + i
			case "b4e":
				n = (s - i) & 7
			case "rc8":
				n = s
			case "ecl":
				n = max(i, s)
			case "ecr":
				n = min(i, s)
			case "rc16":
				n = s&1*2 + i&1
			default:
				k := int(c >> (4 * i))
				n, msb = k&7, k&8 != 0
			}
			x := v >> (8 * n) & 0xff
			if msb {
				x = uint64(uint8(int8(x) >> 7))
			}
			r |= x << (8 * i)
		}
		return r
	}, b32, []typ{b32, b32, b32})
}

// dots decodes the instructions dp4a, dp2a, sad, mul24 and mad24.
func (d *decoder) dots(o *opcode) {
	half := 0
	if o.base == "dp2a" && o.one("lo", "hi") == "hi" {
		half = 2
	}
	part := o.one("lo", "hi")
	o.done()
	switch o.base {
	case "sad":
		o.want(1)
		t := o.types[0]
		d.compute(nil, func(a, b, c, _ uint64) uint64 {
			x, y := t.extend(a), t.extend(b)
			if t.signed() && int64(x) < int64(y) || !t.signed() && x < y {
				x, y = y, x
			}
			return c + x - y
		}, t, t, 4)
		return
	case "mul24", "mad24":
		o.want(1)
		t := o.types[0]
		cut := func(x uint64) int64 {
			if t.signed() {
				return int64(x<<40) >> 40
			}
			return int64(x & 0xffffff)
		}
		n := 3
		if o.base == "mad24" {
			n = 4
		}
		d.compute(nil, func(a, b, c, _ uint64) uint64 {
			p := cut(a) * cut(b)
			if part == "hi" {
				p >>= 16
			}
			if n == 3 {
				c = 0
			}
			return uint64(p) + c
		}, t, t, n)
		return
	}
	o.want(2)
	ta, tb := o.types[0], o.types[1]
	result := u32
	if ta.signed() || tb.signed() {
		result = s32
	}
	byteOf := func(t typ, x uint64, i int) int64 {
		if t.signed() {
			return int64(int8(x >> (8 * i)))
		}
		return int64(uint8(x >> (8 * i)))
	}
	f := func(a, b, c, _ uint64) uint64 {
		s := int64(c)
		for i := range 4 {
			s += byteOf(ta, a, i) * byteOf(tb, b, i)
		}
		return uint64(s)
	}
	if o.base == "dp2a" {
		wordOf := func(x uint64, i int) int64 {
			if ta.signed() {
				return int64(int16(x >> (16 * i)))
			}
			return int64(uint16(x >> (16 * i)))
		}
		f = func(a, b, c, _ uint64) uint64 {
			return uint64(int64(c) + wordOf(a, 0)*byteOf(tb, b, half) + wordOf(a, 1)*byteOf(tb, b, half+1))
		}
	}
	d.typed(nil, f, result, []typ{b32, b32, result})
}
