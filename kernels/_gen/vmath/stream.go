package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The functions that this file generates process whole groups of elements. The caller computes the rest
// of a row. All of these functions exist for AVX-512, and most of them exist for AVX2, too.

// group is the number of elements that one iteration processes.
const group = 16

// width is a Go element type and its size.
type width struct {
	goType string
	size   int
}

var (
	tF32  = width{"float32", 4}
	tF64  = width{"float64", 8}
	tI32  = width{"int32", 4}
	tI64  = width{"int64", 8}
	tI8   = width{"int8", 1}
	tU8   = width{"uint8", 1}
	tBool = width{"bool", 1}
)

// stream describes a function. Operand i has elements of type in[i]. The results have the type in the
// field out.
type stream struct {
	name, doc string
	out       width
	in        []width
	one       []bool // whether each operand is a single element
	wideOnly  bool
}

var streams []stream

// write writes the assembly of s. The function body writes one iteration. regs[i] is a vector
// filled with operand i if that is a single element, otherwise nil.
func (s stream) write(body func(m vec, dst func(off int) Mem, src []func(off int) Mem, regs []V)) {
	streams = append(streams, s)
	names := []string{"a", "b", "c"}
	sig := "func(dst *" + s.out.goType
	for i, w := range s.in {
		sig += ", " + names[i] + " *" + w.goType
	}
	each(func(m vec) {
		if s.wideOnly && !m.wide {
			return
		}
		m.begin(s.name, sig+", groups int)")
		dst := arg("dst")
		var src []func(off int) Mem
		var regs []V
		var ps []GPVirtual
		var by []int
		for i, w := range s.in {
			p := arg(names[i])
			var v V
			if s.one[i] {
				v = m.reg()
				if w.size == 8 {
					VBROADCASTSD(Mem{Base: p}, v)
				} else {
					VBROADCASTSS(Mem{Base: p}, v)
				}
			} else {
				ps, by = append(ps, p), append(by, group*w.size)
			}
			regs = append(regs, v)
			src = append(src, func(off int) Mem { return Mem{Base: p, Disp: off} })
		}
		n := arg("groups")
		Label("loop")
		body(m, func(off int) Mem { return Mem{Base: dst, Disp: off} }, src, regs)
		ADDQ(U32(uint32(group*s.out.size)), dst)
		for i, p := range ps {
			ADDQ(U32(uint32(by[i])), p)
		}
		DECQ(n)
		JNZ(LabelRef("loop"))
		end()
	})
}

// forms returns the forms of a binary function: for each, a flag per operand that marks it as a
// single element.
func forms(commutes bool) [][]bool {
	f := [][]bool{{false, false}, {false, true}}
	if !commutes {
		f = append(f, []bool{true, false})
	}
	return f
}

// suffix returns the suffix of a form's name.
func suffix(one []bool) string {
	return map[string]string{"false false": "", "false true": "Scalar", "true false": "From", "true true": "Scalars"}[strings.Trim(fmt.Sprint(one), "[]")]
}

// words writes functions dst = f(a, b) for operands and results of type w.
func words(name, doc string, w width, commutes bool, f func(m vec, a, b V) V) {
	for _, one := range forms(commutes) {
		if w.size == 1 && ones(stream{one: one}) > 0 {
			continue
		}
		s := stream{name: name + suffix(one), doc: doc, out: w, in: []width{w, w}, one: one}
		s.write(func(m vec, dst func(int) Mem, src []func(int) Mem, regs []V) {
			for off := 0; off < group*w.size; off += min(m.bytes(), group*w.size) {
				v := [2]V{}
				for i := range v {
					if v[i] = regs[i]; v[i] == nil {
						v[i] = m.piece(w)
						m.move(src[i](off), v[i])
					}
				}
				m.move(f(m, v[0], v[1]), dst(off))
			}
		})
	}
}

// piece returns a register for the part of a group that one instruction processes.
func (m vec) piece(w width) V {
	if w.size == 1 {
		return XMM()
	}
	return m.reg()
}

// move copies a register to memory or back.
func (m vec) move(from, to Op) { VMOVUPS(from, to) }

func op2(f func(ops ...Op), a, b V) V {
	var v V
	switch a.Size() {
	case 64:
		v = ZMM()
	case 32:
		v = YMM()
	default:
		v = XMM()
	}
	f(b, a, v)
	return v
}

func integers() {
	for _, k := range []struct {
		name, doc string
		w         width
		commutes  bool
		f         func(ops ...Op)
	}{
		{"addI32", "a + b", tI32, true, VPADDD}, {"subI32", "a - b", tI32, false, VPSUBD}, {"mulI32", "a·b", tI32, true, VPMULLD},
		{"maxI32", "the larger", tI32, true, VPMAXSD}, {"minI32", "the smaller", tI32, true, VPMINSD},
		{"addI64", "a + b", tI64, true, VPADDQ}, {"subI64", "a - b", tI64, false, VPSUBQ},
		{"addF64", "a + b", tF64, true, VADDPD}, {"subF64", "a - b", tF64, false, VSUBPD}, {"mulF64", "a·b", tF64, true, VMULPD}, {"divF64", "a/b", tF64, false, VDIVPD},
	} {
		words(k.name, k.doc, k.w, k.commutes, func(m vec, a, b V) V { return op2(k.f, a, b) })
	}
	words("mulI64", "a·b", tI64, true, func(m vec, a, b V) V {
		if m.wide {
			return op2(VPMULLQ, a, b)
		}
		// The products of an upper and a lower half affect only the upper half of the result.
		u, v, low := m.reg(), m.reg(), m.reg()
		VPSRLQ(Imm(32), a, u)
		VPMULUDQ(b, u, u)
		VPSRLQ(Imm(32), b, v)
		VPMULUDQ(a, v, v)
		VPADDQ(u, v, v)
		VPSLLQ(Imm(32), v, v)
		VPMULUDQ(a, b, low)
		VPADDQ(low, v, v)
		return v
	})
}

// The comparisons, with the operands that select them in VCMPPS (float) and VPCMPD (integer).
var compares = []struct {
	name, doc string
	float     uint64 // predicate of floats
	integer   uint64
	// scalar says whether there is only a function whose operand b is a single element. If both operands
	// are rows, callers swap them and use less or lessEqual.
	scalar bool
}{
	{"equal", "a == b", 0, 0, false}, {"notEqual", "a != b", 4, 4, false},
	{"less", "a < b", 17, 1, false}, {"lessEqual", "a ≤ b", 18, 2, false},
	{"greater", "a > b", 30, 6, true}, {"greaterEqual", "a ≥ b", 29, 5, true},
}

// comparisons writes dst = a op b.
func comparisons() {
	for _, c := range compares {
		for _, w := range []struct {
			width
			suffix string
			float  bool
		}{{tF32, "F32", true}, {tI32, "I32", false}, {tI64, "I64", false}} {
			for _, one := range forms(true) {
				if c.scalar && !one[1] {
					continue
				}
				s := stream{name: c.name + w.suffix + suffix(one), doc: c.doc, out: tBool, in: []width{w.width, w.width}, one: one, wideOnly: w.size == 8}
				s.write(func(m vec, dst func(int) Mem, src []func(int) Mem, regs []V) {
					b := func(off int) Op {
						if one[1] {
							return regs[1]
						}
						return src[1](off)
					}
					if m.wide {
						k := K()
						switch {
						case w.float:
							VCMPPS(Imm(c.float), b(0), m.load(src[0](0)), k)
						case w.size == 4:
							VPCMPD(Imm(c.integer), b(0), m.load(src[0](0)), k)
						default:
							l := K()
							VPCMPQ(Imm(c.integer), b(0), m.load(src[0](0)), l)
							VPCMPQ(Imm(c.integer), b(64), m.load(src[0](64)), k)
							KUNPCKBW(l, k, k)
						}
						x := XMM()
						VMOVDQU8_Z(bits(0x01010101), k, x)
						VMOVDQU(x, dst(0))
						return
					}
					var h [2]V
					for i := range h {
						v := m.reg()
						x := m.load(src[0](32 * i))
						if w.float {
							VCMPPS(Imm(c.float), b(32*i), x, v)
						} else {
							y := m.load(b(32 * i))
							switch c.name {
							case "equal", "notEqual":
								VPCMPEQD(y, x, v)
							case "less", "greaterEqual":
								VPCMPGTD(x, y, v)
							default:
								VPCMPGTD(y, x, v)
							}
						}
						h[i] = v
					}
					// Convert 16 words, whose bits are all ones or all zeros, to 16 bytes of 1 or
					// 0.
					VPACKSSDW(h[1], h[0], h[0])
					VPERMQ(Imm(0xd8), h[0], h[0])
					x := XMM()
					VEXTRACTI128(Imm(1), h[0], x)
					VPACKSSWB(x, h[0].AsX(), x)
					if !w.float && (c.name == "notEqual" || c.name == "lessEqual" || c.name == "greaterEqual") {
						VPANDN(bits(0x01010101), x, x)
					} else {
						VPAND(bits(0x01010101), x, x)
					}
					VMOVDQU(x, dst(0))
				})
			}
		}
	}
	words("and", "a and b", tBool, true, func(m vec, a, b V) V { return op2(func(o ...Op) { VPAND(o[0], o[1], o[2]) }, a, b) })
	words("or", "a or b", tBool, true, func(m vec, a, b V) V { return op2(func(o ...Op) { VPOR(o[0], o[1], o[2]) }, a, b) })
	stream{name: "not", doc: "not a", out: tBool, in: []width{tBool}, one: []bool{false}}.write(func(m vec, dst func(int) Mem, src []func(int) Mem, _ []V) {
		x := XMM()
		VMOVDQU(src[0](0), x)
		VPXOR(bits(0x01010101), x, x)
		VMOVDQU(x, dst(0))
	})
}

// selects writes dst = b where a is true, else c.
func selects() {
	for _, one := range [][]bool{{false, false, false}, {false, false, true}, {false, true, false}, {false, true, true}} {
		s := stream{name: "select" + suffix(one[1:]), doc: "b where a, else c", out: tF32, in: []width{tBool, tF32, tF32}, one: one}
		s.write(func(m vec, dst func(int) Mem, src []func(int) Mem, regs []V) {
			from := func(i, off int) Op {
				if one[i] {
					return regs[i]
				}
				return src[i](off)
			}
			if m.wide {
				k, x := K(), XMM()
				VMOVDQU(src[0](0), x)
				VPTESTMB(x, x, k)
				v := m.load(from(2, 0))
				VMOVUPS(from(1, 0), k, v)
				VMOVUPS(v, dst(0))
				return
			}
			for i := range 2 {
				k, v := m.reg(), m.reg()
				VPMOVZXBD(src[0](8*i), k)
				VPSLLD(Imm(31), k, k)
				VBLENDVPS(k, from(1, 32*i), m.load(from(2, 32*i)), v)
				VMOVUPS(v, dst(32*i))
			}
		})
	}
}

// convert writes a function that converts elements of one type to another. The two types are the second
// and the third argument of convert.
func convert(name string, from, to width, wideOnly bool, f func(m vec, src, dst func(int) Mem)) {
	s := stream{name: name, doc: "a, converted", out: to, in: []width{from}, one: []bool{false}, wideOnly: wideOnly}
	s.write(func(m vec, dst func(int) Mem, src []func(int) Mem, _ []V) { f(m, src[0], dst) })
}

func conversions() {
	// pieces runs f for each full vector of a group whose elements have size bytes.
	pieces := func(m vec, size int, f func(i int, v V)) {
		for i := range group * size / m.bytes() {
			f(i, m.reg())
		}
	}
	convert("i32ToF32", tI32, tF32, false, func(m vec, src, dst func(int) Mem) {
		pieces(m, 4, func(i int, v V) { VCVTDQ2PS(src(i*m.bytes()), v); VMOVUPS(v, dst(i*m.bytes())) })
	})
	convert("f32ToI32", tF32, tI32, false, func(m vec, src, dst func(int) Mem) {
		pieces(m, 4, func(i int, v V) { VCVTTPS2DQ(src(i*m.bytes()), v); VMOVUPS(v, dst(i*m.bytes())) })
	})
	for _, k := range []struct {
		name  string
		from  width
		to    width
		widen func(...Op)
		float bool
	}{
		{"u8ToF32", tU8, tF32, VPMOVZXBD, true}, {"i8ToF32", tI8, tF32, VPMOVSXBD, true}, {"boolToF32", tBool, tF32, VPMOVZXBD, true},
		{"u8ToI32", tU8, tI32, VPMOVZXBD, false}, {"boolToI32", tBool, tI32, VPMOVZXBD, false},
	} {
		convert(k.name, k.from, k.to, false, func(m vec, src, dst func(int) Mem) {
			pieces(m, 4, func(i int, v V) {
				k.widen(src(i*m.lanes()), v)
				if k.float {
					VCVTDQ2PS(v, v)
				}
				VMOVUPS(v, dst(i*m.bytes()))
			})
		})
	}
	convert("f32ToU8", tF32, tU8, true, func(m vec, src, dst func(int) Mem) {
		v := m.reg()
		VCVTTPS2DQ(src(0), v)
		VPMOVDB(v, dst(0))
	})
	convert("f32ToF64", tF32, tF64, false, func(m vec, src, dst func(int) Mem) {
		pieces(m, 8, func(i int, v V) { VCVTPS2PD(src(i*m.bytes()/2), v); VMOVUPS(v, dst(i*m.bytes())) })
	})
	convert("f64ToF32", tF64, tF32, false, func(m vec, src, dst func(int) Mem) {
		for i := range group * 8 / m.bytes() {
			h := m.half()
			if m.wide {
				VCVTPD2PS(src(i*m.bytes()), h)
			} else {
				VCVTPD2PSY(src(i*m.bytes()), h)
			}
			VMOVUPS(h, dst(i*m.bytes()/2))
		}
	})
	convert("i32ToI64", tI32, tI64, false, func(m vec, src, dst func(int) Mem) {
		pieces(m, 8, func(i int, v V) { VPMOVSXDQ(src(i*m.bytes()/2), v); VMOVUPS(v, dst(i*m.bytes())) })
	})
	for _, k := range []struct {
		name     string
		from, to width
		f        func(src Mem, dst Mem)
	}{
		{"i64ToI32", tI64, tI32, func(src, dst Mem) { v := ZMM(); VMOVUPS(src, v); VPMOVQD(v, dst) }},
		{"i64ToF32", tI64, tF32, func(src, dst Mem) { v := YMM(); VCVTQQ2PS(src, v); VMOVUPS(v, dst) }},
		{"f32ToI64", tF32, tI64, func(src, dst Mem) { v := ZMM(); VCVTTPS2QQ(src, v); VMOVUPS(v, dst) }},
	} {
		convert(k.name, k.from, k.to, true, func(m vec, src, dst func(int) Mem) {
			for i := range 2 {
				k.f(src(i*8*k.from.size), dst(i*8*k.to.size))
			}
		})
	}
}

// clip writes dst = src clamped. A NaN element stays NaN, and a NaN bound is ignored.
func clip() {
	each(func(m vec) {
		m.begin("clip", "func(dst *float32, src *float32, n int, lo float32, hi float32)")
		dst, src, n := arg("dst"), arg("src"), arg("n")
		lo, hi := m.broadcast("lo"), m.broadcast("hi")
		m.loop(n, 4, []GPVirtual{dst, src}, func(c access) {
			c.put(m.max(lo, m.min(hi, c.get(c.at(1)))), c.at(0))
		})
		end()
	})
}

// writeStreams writes one Go function for each base name. All streams with this base name compute the
// same, but differ in which operands are a single element. The Go function calls the stream that fits
// its operands.
func writeStreams(asm, other *bytes.Buffer) {
	var order []string
	byName := map[string][]stream{}
	for _, s := range streams {
		base := s.name
		for _, x := range []string{"Scalars", "Scalar", "From"} {
			base = strings.TrimSuffix(base, x)
		}
		if byName[base] == nil {
			order = append(order, base)
		}
		byName[base] = append(byName[base], s)
	}
	names := []string{"a", "b", "c"}
	for _, base := range order {
		ss := byName[base]
		slices.SortStableFunc(ss, func(x, y stream) int { return ones(y) - ones(x) })
		s := ss[0]
		sig, args := "dst []"+s.out.goType, ""
		for i, w := range s.in {
			sig += ", " + names[i] + " []" + w.goType
			args += ", &" + names[i] + "[0]"
		}
		doc := fmt.Sprintf("// %s sets dst = %s but for the last elements: it returns how many it set.", title(base), s.doc)
		repeats := make([]bool, len(s.in))
		for _, t := range ss {
			for i, one := range t.one {
				repeats[i] = repeats[i] || one
			}
		}
		for i, r := range repeats {
			if r {
				doc += " " + names[i] + " may be one element that repeats."
			}
		}
		fmt.Fprintf(other, "%s\nfunc %s(%s) int { return 0 }\n\n", doc, title(base), sig)
		need := "AVX2"
		if s.wideOnly {
			need = "AVX512"
		}
		fmt.Fprintf(asm, "%s\nfunc %s(%s) int {\n\tif !cpu.Use%s() {\n\t\treturn 0\n\t}\n\tdone := 0\n\tfor len(dst) >= %d {\n\t\tn := min(len(dst), many) / %d\n\t\tm := n * %d\n\t\tswitch {\n", doc, title(base), sig, need, group, group, group)
		for _, t := range ss {
			cond, check := "", ""
			for i, one := range t.one {
				if one {
					cond += " && len(" + names[i] + ") == 1"
				} else {
					check += fmt.Sprintf("\t\t\t_ = %s[m-1]\n", names[i])
				}
			}
			wide := strings.TrimPrefix(cond+" && cpu.UseAVX512()", " && ")
			cond = strings.TrimPrefix(cond, " && ")
			if cond == "" {
				cond = "true"
			}
			if s.wideOnly {
				fmt.Fprintf(asm, "\t\tcase %s:\n%s\t\t\t%s512(&dst[0]%s, n)\n", cond, check, t.name, args)
				continue
			}
			fmt.Fprintf(asm, "\t\tcase %s:\n%s\t\t\t%s512(&dst[0]%s, n)\n\t\tcase %s:\n%s\t\t\t%s256(&dst[0]%s, n)\n", wide, check, t.name, args, cond, check, t.name, args)
		}
		fmt.Fprint(asm, "\t\tdefault:\n\t\t\treturn done\n\t\t}\n\t\tdone += m\n\t\tdst = dst[m:]\n")
		for i := range s.in {
			if repeats[i] {
				fmt.Fprintf(asm, "\t\tif len(%[1]s) > 1 {\n\t\t\t%[1]s = %[1]s[m:]\n\t\t}\n", names[i])
			} else {
				fmt.Fprintf(asm, "\t\t%[1]s = %[1]s[m:]\n", names[i])
			}
		}
		fmt.Fprintf(asm, "\t}\n\treturn done\n}\n\n")
	}
}

// ones returns how many operands of s are a single element.
func ones(s stream) int {
	n := 0
	for _, one := range s.one {
		if one {
			n++
		}
	}
	return n
}
