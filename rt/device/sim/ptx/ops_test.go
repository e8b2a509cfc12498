package ptx

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// form is an instruction with test values. In text, %d, %a, %b, %c and %e stand for registers.
// Their types are listed in this order in the field types; %d receives the result. %p and %q are
// predicates.
type form struct {
	text  string
	types string
	// each element is one test case: the expected result, and then the operands
	cases [][]any
}

// hex contains the bits of a test value. The value may have any PTX type.
type hex uint64

func bitsOf(t typ, v any) uint64 {
	switch v := v.(type) {
	case int:
		if t.float() {
			return bitsOf(t, float64(v))
		}
		return uint64(v) & t.mask()
	case hex:
		return uint64(v)
	case bool:
		return flag(v)
	case float64:
		switch t {
		case f32:
			return ofF32(float32(v))
		case f16:
			return toF16(v, nearest)
		case bf16:
			return toBF16(v, nearest)
		}
		return ofF64(v)
	}
	panic(fmt.Sprintf("%T", v))
}

const names = "dabce"

// program returns the text of a kernel. Each of its threads executes the instruction of f with the
// operands of one test case. The parameter lanes has a bit for each lane of a warp; lanes whose bit
// is not set do not execute the instruction.
func program(f form, ts []typ, lanes uint32) string {
	var b strings.Builder
	b.WriteString(".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry test(.param .u64 out, .param .u64 in, .param .u64 n)\n{\n")
	for i, t := range ts {
		if t == pred {
			fmt.Fprintf(&b, "\t.reg .pred %%%c;\n", names[i])
			continue
		}
		fmt.Fprintf(&b, "\t.reg .b%d %%%c;\n", max(16, 8*t.size()), names[i])
	}
	b.WriteString("\t.reg .pred %p, %q, %g, %over;\n\t.reg .b16 %h<4>;\n\t.reg .b32 %r<10>;\n\t.reg .b64 %x<10>;\n")
	b.WriteString("\tmov.u32 %r1, %tid.x;\n\tcvt.u64.u32 %x1, %r1;\n\tld.param.u64 %x2, [n];\n\tsetp.ge.u64 %over, %x1, %x2;\n\t@%over bra end;\n")
	fmt.Fprintf(&b, "\tmul.lo.u64 %%x3, %%x1, %d;\n\tld.param.u64 %%x4, [in];\n\tadd.u64 %%x4, %%x4, %%x3;\n\tld.param.u64 %%x5, [out];\n\tmad.lo.u64 %%x5, %%x1, 8, %%x5;\n", 8*len(ts))
	// load the operands into their registers, and the constant sentinel into the destination register
	for i, t := range ts {
		if t == pred {
			fmt.Fprintf(&b, "\tld.global.u32 %%r2, [%%x4+%d];\n\tsetp.ne.u32 %%%c, %%r2, 0;\n", 8*i, names[i])
			continue
		}
		fmt.Fprintf(&b, "\tld.global.b%d %%%c, [%%x4+%d];\n", 8*t.size(), names[i], 8*i)
	}
	guard := ""
	if lanes != allLanes {
		fmt.Fprintf(&b, "\tmov.u32 %%r3, %%laneid;\n\tshr.u32 %%r4, %d, %%r3;\n\tand.b32 %%r4, %%r4, 1;\n\tsetp.ne.u32 %%g, %%r4, 0;\n", lanes)
		guard = "@%g "
	}
	for _, s := range strings.Split(f.text, ";") {
		fmt.Fprintf(&b, "\t%s%s;\n", guard, strings.TrimSpace(s))
	}
	t := ts[0]
	switch {
	case t == pred:
		b.WriteString("\tselp.u64 %x6, 1, 0, %d;\n\tst.global.u64 [%x5], %x6;\n")
	case t.size() == 8:
		b.WriteString("\tst.global.b64 [%x5], %d;\n")
	default:
		fmt.Fprintf(&b, "\tmov.u64 %%x6, 0;\n\tst.global.u64 [%%x5], %%x6;\n\tst.global.b%d [%%x5], %%d;\n", 8*t.size())
	}
	b.WriteString("end:\n\tret;\n}\n")
	return b.String()
}

// sentinel is the value of the result's register before the instruction.
const sentinel = 0x5a5a5a5a5a5a5a5a

func (f form) check(t *testing.T) {
	t.Helper()
	var ts []typ
	for _, n := range strings.Fields(f.types) {
		ty, ok := types[n]
		if !ok {
			t.Fatalf("%s: no type %s", f.text, n)
		}
		ts = append(ts, ty)
	}
	for _, lanes := range []uint32{allLanes, 0x9249_2492, 0x6db6_db6d} {
		text := program(f, ts, lanes)
		if dir := os.Getenv("PTX_DUMP"); dir != "" && lanes != allLanes { // keep the text, so that NVIDIA's assembler can check it
			name := strings.NewReplacer(" ", "_", "/", "_", "%", "", ",", "", ";", "_", "|", "", "{", "", "}", "", "!", "not", "[", "", "]", "").Replace(f.text)
			if err := os.WriteFile(dir+"/"+name+".ptx", []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", f.text, err)
			return
		}
		// the number of threads: one whole warp of 32 lanes, and 8 lanes of a second warp
		n := 40
		in, out := make([]uint64, n*len(ts)), make([]uint64, n)
		for i := range n {
			c := f.cases[i%len(f.cases)]
			in[i*len(ts)] = sentinel
			for j := 1; j < len(ts); j++ {
				in[i*len(ts)+j] = bitsOf(ts[j], c[j])
			}
		}
		var mem Flat
		if err := m.Launch("test", [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, []uint64{mem.Add(raw(out)), mem.Add(raw(in)), uint64(n)}, &mem, nil); err != nil {
			t.Errorf("%s: %v", f.text, err)
			return
		}
		for i, got := range out {
			c := f.cases[i%len(f.cases)]
			want := bitsOf(ts[0], c[0])
			if lanes>>(i%32)&1 == 0 {
				want = sentinel & ts[0].mask()
				if ts[0] == pred {
					// before the instruction, the predicate is true, because the sentinel is not zero
					want = 1
				}
			}
			if got != want {
				t.Errorf("%s of %v: %#x, want %#x (lane %d of %#x)", f.text, c[1:], got, want, i, lanes)
				break
			}
		}
	}
}

var inf, nan, negZero = math.Inf(1), math.NaN(), math.Copysign(0, -1)

const tiny32 = 1e-40 // subnormal

func TestIntegers(t *testing.T) {
	for _, f := range []form{
		{"add.s32 %d, %a, %b", "s32 s32 s32", [][]any{{3, 1, 2}, {math.MinInt32, math.MaxInt32, 1}}},
		{"add.u16 %d, %a, %b", "u16 u16 u16", [][]any{{3, 1, 2}, {0, 65535, 1}}},
		{"add.u64 %d, %a, 5", "u64 u64", [][]any{{6, 1}, {4, -1}}},
		{"add.sat.s32 %d, %a, %b", "s32 s32 s32", [][]any{{math.MaxInt32, math.MaxInt32, 1}, {math.MinInt32, math.MinInt32, -1}, {3, 1, 2}}},
		{"sub.sat.s32 %d, %a, %b", "s32 s32 s32", [][]any{{math.MaxInt32, math.MaxInt32, -1}, {math.MinInt32, math.MinInt32, 1}}},
		{"mad.hi.sat.s32 %d, %a, %b, %c", "s32 s32 s32 s32", [][]any{{math.MaxInt32, math.MinInt32, math.MinInt32, math.MaxInt32}}},
		{"sub.s64 %d, %a, %b", "s64 s64 s64", [][]any{{-1, 1, 2}}},
		{"sub.u32 %d, %a, -3", "u32 u32", [][]any{{4, 1}}},
		{"mul.lo.s32 %d, %a, %b", "s32 s32 s32", [][]any{{-6, 2, -3}, {0, 65536, 65536}}},
		{"mul.lo.s16 %d, %a, %b", "s16 s16 s16", [][]any{{-6, 2, -3}}},
		{"mul.lo.u64 %d, %a, %b", "u64 u64 u64", [][]any{{6, 2, 3}}},
		{"mul.hi.s32 %d, %a, %b", "s32 s32 s32", [][]any{{-1, 2, -3}, {1, 65536, 65536}}},
		{"mul.hi.u32 %d, %a, %b", "u32 u32 u32", [][]any{{1, 2, -3}, {1, 65536, 65536}}},
		{"mul.hi.s64 %d, %a, %b", "s64 s64 s64", [][]any{{-1, 2, -3}, {0, -2, -3}, {-1, -2, 3}}},
		{"mul.hi.u64 %d, %a, %b", "u64 u64 u64", [][]any{{1, 2, -3}}},
		{"mul.hi.s16 %d, %a, %b", "s16 s16 s16", [][]any{{-1, 2, -3}, {1, 256, 256}}},
		{"mul.wide.s16 %d, %a, %b", "s32 s16 s16", [][]any{{-6, 2, -3}}},
		{"mul.wide.u16 %d, %a, %b", "u32 u16 u16", [][]any{{131066, 2, -3}}},
		{"mul.wide.s32 %d, %a, %b", "s64 s32 s32", [][]any{{-6, 2, -3}}},
		{"mul.wide.u32 %d, %a, %b", "u64 u32 u32", [][]any{{0x1fffffffa, 2, -3}}},
		{"mad.lo.s32 %d, %a, %b, %c", "s32 s32 s32 s32", [][]any{{-5, 2, -3, 1}}},
		{"mad.lo.s64 %d, %a, %b, %c", "s64 s64 s64 s64", [][]any{{-5, 2, -3, 1}}},
		{"mad.hi.u32 %d, %a, %b, %c", "u32 u32 u32 u32", [][]any{{2, 65536, 65536, 1}}},
		{"mad.wide.s32 %d, %a, %b, %c", "s64 s32 s32 s64", [][]any{{-5, 2, -3, 1}}},
		{"mad.wide.u32 %d, %a, %b, %c", "u64 u32 u32 u64", [][]any{{7, 2, 3, 1}}},
		{"mul24.lo.s32 %d, %a, %b", "s32 s32 s32", [][]any{{-6, 0x7f000002, -3}}},
		{"mul24.hi.u32 %d, %a, %b", "u32 u32 u32", [][]any{{0x10000, 0x10000, 0x10000}}},
		{"mad24.lo.u32 %d, %a, %b, %c", "u32 u32 u32 u32", [][]any{{7, 2, 3, 1}}},
		{"sad.s32 %d, %a, %b, %c", "s32 s32 s32 s32", [][]any{{6, 2, -3, 1}, {6, -3, 2, 1}}},
		{"sad.u32 %d, %a, %b, %c", "u32 u32 u32 u32", [][]any{{6, 8, 3, 1}, {6, 3, 8, 1}}},
		{"div.s32 %d, %a, %b", "s32 s32 s32", [][]any{{-2, -7, 3}, {-1, 5, 0}, {math.MinInt32, math.MinInt32, -1}}},
		{"div.u32 %d, %a, %b", "u32 u32 u32", [][]any{{2, 7, 3}, {-1, 5, 0}}},
		{"rem.s32 %d, %a, %b", "s32 s32 s32", [][]any{{-1, -7, 3}, {5, 5, 0}, {0, math.MinInt32, -1}}},
		{"rem.u64 %d, %a, %b", "u64 u64 u64", [][]any{{1, 7, 3}}},
		{"div.s64 %d, %a, %b", "s64 s64 s64", [][]any{{-2, -7, 3}, {math.MinInt64, math.MinInt64, -1}}},
		{"abs.s32 %d, %a", "s32 s32", [][]any{{7, -7}, {7, 7}, {math.MinInt32, math.MinInt32}}},
		{"neg.s16 %d, %a", "s16 s16", [][]any{{7, -7}, {-7, 7}}},
		{"min.s32 %d, %a, %b", "s32 s32 s32", [][]any{{-7, -7, 3}}},
		{"min.u32 %d, %a, %b", "u32 u32 u32", [][]any{{3, -7, 3}}},
		{"max.s64 %d, %a, %b", "s64 s64 s64", [][]any{{3, -7, 3}}},
		{"max.u64 %d, %a, %b", "u64 u64 u64", [][]any{{-7, -7, 3}}},
		{"max.s32.relu %d, %a, %b", "s32 s32 s32", [][]any{{0, -7, -3}, {4, -7, 4}}},
		{"and.b32 %d, %a, %b", "b32 b32 b32", [][]any{{0x10, 0x30, 0x11}}},
		{"or.b64 %d, %a, %b", "b64 b64 b64", [][]any{{0x31, 0x30, 0x11}}},
		{"xor.b16 %d, %a, %b", "b16 b16 b16", [][]any{{0x21, 0x30, 0x11}}},
		{"not.b32 %d, %a", "b32 b32", [][]any{{-2, 1}}},
		{"not.b64 %d, %a", "b64 b64", [][]any{{-2, 1}}},
		{"cnot.b32 %d, %a", "b32 b32", [][]any{{1, 0}, {0, 5}}},
		{"shl.b32 %d, %a, %b", "b32 b32 u32", [][]any{{4, 1, 2}, {0, 1, 32}, {0, 1, 300}}},
		{"shl.b16 %d, %a, %b", "b16 b16 u32", [][]any{{4, 1, 2}, {0, 1, 16}}},
		{"shl.b64 %d, %a, %b", "b64 b64 u32", [][]any{{4, 1, 2}, {0, 1, 64}}},
		{"shr.u32 %d, %a, %b", "u32 u32 u32", [][]any{{0x3fffffff, -1, 2}, {0, -1, 32}}},
		{"shr.s32 %d, %a, %b", "s32 s32 u32", [][]any{{-1, -4, 2}, {-1, -1, 100}, {0, 1, 100}}},
		{"shr.s16 %d, %a, %b", "s16 s16 u32", [][]any{{-1, -4, 2}, {-1, -1, 100}}},
		{"shr.u16 %d, %a, %b", "u16 u16 u32", [][]any{{0x3fff, -4, 2}, {0, -1, 16}}},
		{"shr.s64 %d, %a, %b", "s64 s64 u32", [][]any{{-1, -4, 2}, {-1, -1, 64}}},
		{"shr.b64 %d, %a, %b", "b64 b64 u32", [][]any{{1, 4, 2}, {0, -1, 64}}},
		{"popc.b32 %d, %a", "u32 b32", [][]any{{32, -1}, {2, 5}}},
		{"popc.b64 %d, %a", "u32 b64", [][]any{{64, -1}, {2, 5}}},
		{"clz.b32 %d, %a", "u32 b32", [][]any{{0, -1}, {32, 0}, {31, 1}}},
		{"clz.b64 %d, %a", "u32 b64", [][]any{{0, -1}, {64, 0}, {63, 1}}},
		{"brev.b32 %d, %a", "b32 b32", [][]any{{hex(1 << 31), 1}, {1, hex(1 << 31)}}},
		{"brev.b64 %d, %a", "b64 b64", [][]any{{hex(1 << 63), 1}}},
		{"bfind.u32 %d, %a", "u32 u32", [][]any{{31, -1}, {-1, 0}, {2, 5}}},
		{"bfind.s32 %d, %a", "u32 s32", [][]any{{-1, -1}, {-1, 0}, {1, -4}, {2, 5}}},
		{"bfind.shiftamt.u32 %d, %a", "u32 u32", [][]any{{0, -1}, {-1, 0}, {29, 5}}},
		{"bfind.u64 %d, %a", "u32 u64", [][]any{{63, -1}, {2, 5}}},
		{"bfe.u32 %d, %a, %b, %c", "u32 u32 u32 u32", [][]any{{0x34, 0x12345678, 16, 8}, {0, 0x12345678, 16, 0}, {0x1, 0x12345678, 28, 10}}},
		{"bfe.s32 %d, %a, %b, %c", "s32 s32 u32 u32", [][]any{{-1, 0xff00, 8, 8}, {0x34, 0x12345678, 16, 8}, {-1, -1, 40, 4}, {0, -1, 4, 0}}},
		{"bfe.u64 %d, %a, %b, %c", "u64 u64 u32 u32", [][]any{{0x34, hex(0x1234567800000000), 48, 8}}},
		{"bfe.s64 %d, %a, %b, %c", "s64 s64 u32 u32", [][]any{{-2, hex(0xfe00000000000000), 56, 20}}},
		{"bfi.b32 %d, %a, %b, %c, %e", "b32 b32 b32 u32 u32", [][]any{{hex(0xffffabff), 0xab, -1, 8, 8}, {7, 5, 7, 40, 8}, {7, 5, 7, 4, 0}, {hex(0x50000007), 5, 7, 28, 40}}},
		{"bfi.b64 %d, %a, %b, %c, %e", "b64 b64 b64 u32 u32", [][]any{{hex(0xffffffffffffabff), 0xab, -1, 8, 8}, {5, 5, 7, 0, 64}}},
		{"lop3.b32 %d, %a, %b, %c, 0x96", "b32 b32 b32 b32", [][]any{{0xf0 ^ 0xcc ^ 0xaa, 0xf0, 0xcc, 0xaa}}},
		{"lop3.b32 %d, %a, %b, %c, 0xe8", "b32 b32 b32 b32", [][]any{{0xe8, 0xf0, 0xcc, 0xaa}}},
		{"shf.l.wrap.b32 %d, %a, %b, %c", "b32 b32 b32 u32", [][]any{{hex(0x23456789), hex(0x90000000), 0x12345678, 4}, {0x12345678, 0, 0x12345678, 32}}},
		{"shf.l.clamp.b32 %d, %a, %b, %c", "b32 b32 b32 u32", [][]any{{5, 5, 7, 40}}},
		{"shf.r.clamp.b32 %d, %a, %b, %c", "b32 b32 b32 u32", [][]any{{7, 5, 7, 40}, {hex(0x80000001), 2, 3, 1}}},
		{"shf.r.wrap.b32 %d, %a, %b, %c", "b32 b32 b32 u32", [][]any{{5, 5, 7, 32}}},
		{"prmt.b32 %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{hex(0x77665544), 0x33221100, 0x77665544, 0x7654}, {hex(0x00ff3311), hex(0xff221100), 0x77663344, 0x8b51}}},
		{"prmt.b32.f4e %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x44332211, 0x33221100, 0x77665544, 1}}},
		{"prmt.b32.b4e %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x66770011, 0x33221100, 0x77665544, 1}}},
		{"prmt.b32.rc8 %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x11111111, 0x33221100, 0x77665544, 1}}},
		{"prmt.b32.ecl %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x33222222, 0x33221100, 0x77665544, 2}}},
		{"prmt.b32.ecr %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x11111100, 0x33221100, 0x77665544, 1}}},
		{"prmt.b32.rc16 %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x33223322, 0x33221100, 0x77665544, 1}}},
		{"bmsk.clamp.b32 %d, %a, %b", "b32 u32 u32", [][]any{{0xff0, 4, 8}, {0, 40, 8}, {hex(0xfffffff0), 4, 100}}},
		{"bmsk.wrap.b32 %d, %a, %b", "b32 u32 u32", [][]any{{0xff0, 36, 40}}},
		{"dp4a.s32.s32 %d, %a, %b, %c", "s32 b32 b32 s32", [][]any{{2*2 + 1*3 - 1*4 + 1*1 - 1, hex(0x01ff0102), 0x01040302, -1}}},
		{"dp4a.u32.u32 %d, %a, %b, %c", "u32 b32 b32 u32", [][]any{{4*255*255 + 1, -1, -1, 1}}},
		{"dp4a.s32.u32 %d, %a, %b, %c", "s32 b32 b32 s32", [][]any{{-4*255 + 1, -1, -1, 1}}},
		{"dp2a.lo.s32.s32 %d, %a, %b, %c", "s32 b32 b32 s32", [][]any{{2*3 - 4 + 1, hex(0xffff0002), 0x0403, 1}}},
		{"dp2a.hi.u32.u32 %d, %a, %b, %c", "u32 b32 b32 u32", [][]any{{2*3 + 1*4 + 1, 0x00010002, 0x04030000, 1}}},
		{"add.cc.u32 %r5, %a, %b; addc.u32 %d, 0, 0", "u32 u32 u32", [][]any{{1, -1, 1}, {0, 1, 1}}},
		{"add.cc.u32 %r5, %a, %b; addc.cc.u32 %r6, %a, %b; addc.u32 %d, %a, 0", "u32 u32 u32", [][]any{{0, -1, 1}, {1, 1, 1}}},
		{"sub.cc.u32 %r5, %a, %b; subc.u32 %d, %a, %b", "u32 u32 u32", [][]any{{-2, 1, 2}, {1, 2, 1}}},
		{"sub.cc.u64 %x7, %a, %b; subc.cc.u64 %d, %a, %b", "u64 u64 u64", [][]any{{-2, 1, 2}, {1, 2, 1}}},
		{"mad.lo.cc.u32 %r5, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0", "u32 u32 u32 u32", [][]any{{2, 65536, 65536 + 65535, hex(0x10000)}, {1, 65536, 65536, 1}}},
		{"mad.lo.cc.u64 %x7, %a, %b, %c; madc.hi.cc.u64 %d, %a, %b, 0", "u64 u64 u64 u64", [][]any{{1, 1, 1, -1}}},
		{"selp.b32 %d, %a, %b, %c", "b32 b32 b32 pred", [][]any{{1, 1, 2, true}, {2, 1, 2, false}}},
		{"selp.f64 %d, %a, %b, %c", "f64 f64 f64 pred", [][]any{{1, 1, 2, true}, {2, 1, 2, false}}},
		{"selp.u16 %d, %a, %b, !%c", "u16 u16 u16 pred", [][]any{{2, 1, 2, true}, {1, 1, 2, false}}},
		{"slct.u32.s32 %d, %a, %b, %c", "u32 u32 u32 s32", [][]any{{1, 1, 2, 0}, {2, 1, 2, -1}}},
		{"slct.b64.f32 %d, %a, %b, %c", "b64 b64 b64 f32", [][]any{{1, 1, 2, 0}, {2, 1, 2, -1}, {2, 1, 2, nan}, {1, 1, 2, negZero}}},
		{"slct.ftz.u32.f32 %d, %a, %b, %c", "u32 u32 u32 f32", [][]any{{1, 1, 2, -tiny32}}},
		{"mov.b64 %d, {%a, %b}", "b64 b32 b32", [][]any{{hex(0x200000001), 1, 2}}},
		{"mov.b32 %d, {%a, %b}", "b32 b16 b16", [][]any{{0x20001, 1, 2}}},
		{"mov.b64 %d, {%a, %b, %c, %e}", "b64 b16 b16 b16 b16", [][]any{{hex(0x4000300020001), 1, 2, 3, 4}}},
		{"mov.b64 {%r5, %d}, %a", "b32 b64", [][]any{{2, hex(0x200000001)}}},
		{"mov.b64 {%d, _}, %a", "b32 b64", [][]any{{1, hex(0x200000001)}}},
		{"mov.b32 {%h1, %d}, %a", "b16 b32", [][]any{{2, 0x20001}}},
		{"mov.u16 %d, %a", "u16 u16", [][]any{{7, 7}}},
		{"mov.u32 %d, WARP_SZ", "u32 u32", [][]any{{32, 7}}},
	} {
		f.check(t)
	}
}

func TestPredicates(t *testing.T) {
	for _, f := range []form{
		{"setp.eq.s32 %d, %a, %b", "pred s32 s32", [][]any{{true, 1, 1}, {false, 1, 2}}},
		{"setp.ne.u32 %d, %a, %b", "pred u32 u32", [][]any{{false, 1, 1}, {true, 1, 2}}},
		{"setp.lt.s64 %d, %a, %b", "pred s64 s64", [][]any{{true, -1, 1}, {false, 1, 1}}},
		{"setp.le.s32 %d, %a, %b", "pred s32 s32", [][]any{{true, 1, 1}, {false, 2, 1}}},
		{"setp.gt.u64 %d, %a, %b", "pred u64 u64", [][]any{{true, -1, 1}}},
		{"setp.ge.s16 %d, %a, %b", "pred s16 s16", [][]any{{false, -1, 1}, {true, 1, 1}}},
		{"setp.lo.u32 %d, %a, %b", "pred u32 u32", [][]any{{false, -1, 1}, {true, 0, 1}}},
		{"setp.ls.u32 %d, %a, %b", "pred u32 u32", [][]any{{true, 1, 1}}},
		{"setp.hi.u16 %d, %a, %b", "pred u16 u16", [][]any{{true, -1, 1}}},
		{"setp.hs.u64 %d, %a, %b", "pred u64 u64", [][]any{{true, -1, 1}}},
		{"setp.lt.f32 %d, %a, %b", "pred f32 f32", [][]any{{true, -1, 1}, {false, nan, 1}, {false, 0, negZero}}},
		{"setp.ge.f32 %d, %a, %b", "pred f32 f32", [][]any{{false, -1, 1}, {false, nan, 1}, {true, 0, negZero}}},
		{"setp.eq.f64 %d, %a, %b", "pred f64 f64", [][]any{{true, 1, 1}, {false, nan, nan}}},
		{"setp.ne.f64 %d, %a, %b", "pred f64 f64", [][]any{{false, 1, 1}, {false, nan, nan}, {true, 1, 2}}},
		{"setp.neu.f32 %d, %a, %b", "pred f32 f32", [][]any{{false, 1, 1}, {true, nan, nan}, {true, 1, 2}}},
		{"setp.equ.f32 %d, %a, %b", "pred f32 f32", [][]any{{true, 1, 1}, {true, nan, 1}, {false, 1, 2}}},
		{"setp.ltu.f32 %d, %a, %b", "pred f32 f32", [][]any{{true, 0, 1}, {true, nan, 1}, {false, 1, 1}}},
		{"setp.leu.f64 %d, %a, %b", "pred f64 f64", [][]any{{true, 1, 1}, {true, nan, 1}, {false, 2, 1}}},
		{"setp.gtu.f32 %d, %a, %b", "pred f32 f32", [][]any{{true, 2, 1}, {true, nan, 1}, {false, 1, 1}}},
		{"setp.geu.f32 %d, %a, %b", "pred f32 f32", [][]any{{true, 1, 1}, {true, nan, 1}, {false, 0, 1}}},
		{"setp.num.f32 %d, %a, %b", "pred f32 f32", [][]any{{true, 1, 1}, {false, nan, 1}}},
		{"setp.nan.f64 %d, %a, %b", "pred f64 f64", [][]any{{false, 1, 1}, {true, 1, nan}}},
		{"setp.gt.ftz.f32 %d, %a, %b", "pred f32 f32", [][]any{{false, tiny32, 0}, {true, 1, 0}}},
		{"setp.gt.f16 %d, %a, %b", "pred f16 f16", [][]any{{true, 1, 0.5}, {false, nan, 0}}},
		{"setp.lt.bf16 %d, %a, %b", "pred bf16 bf16", [][]any{{false, 1, 0.5}}},
		{"setp.lt.and.s32 %d, %a, %b, %c", "pred s32 s32 pred", [][]any{{true, 1, 2, true}, {false, 1, 2, false}}},
		{"setp.lt.or.s32 %d, %a, %b, !%c", "pred s32 s32 pred", [][]any{{true, 1, 2, true}, {true, 3, 2, false}, {false, 3, 2, true}}},
		{"setp.lt.xor.s32 %d|%q, %a, %b, %c", "pred s32 s32 pred", [][]any{{false, 1, 2, true}, {true, 1, 2, false}}},
		{"setp.lt.s32 %p|%d, %a, %b", "pred s32 s32", [][]any{{false, 1, 2}, {true, 3, 2}}},
		{"setp.lt.f16x2 %p|%d, %a, %b", "pred b32 b32", [][]any{{true, 0x3c000000, 0x40000000}, {false, 0x3c000000, 0}}},
		{"setp.lt.bf16x2 %d|%p, %a, %b", "pred b32 b32", [][]any{{true, 0x00003f80, 0x00004000}}},
		{"set.lt.u32.s32 %d, %a, %b", "u32 s32 s32", [][]any{{-1, -1, 1}, {0, 1, 1}}},
		{"set.gt.f32.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 2, 1}, {0, 1, 1}}},
		{"set.gt.and.ftz.s32.f32 %d, %a, %b, %c", "s32 f32 f32 pred", [][]any{{-1, 2, 1, true}, {0, 2, 1, false}, {0, tiny32, 0, true}}},
		{"set.eq.f16.f16 %d, %a, %b", "f16 f16 f16", [][]any{{1, 2, 2}, {0, 1, 2}}},
		{"set.eq.f16x2.f16x2 %d, %a, %b", "b32 b32 b32", [][]any{{0x3c000000, 0x40003c00, 0x40000000}}},
		{"set.ne.bf16x2.bf16x2 %d, %a, %b", "b32 b32 b32", [][]any{{0x00003f80, 0x40003f80, 0x40000000}}},
		{"and.pred %d, %a, %b", "pred pred pred", [][]any{{true, true, true}, {false, true, false}}},
		{"or.pred %d, %a, !%b", "pred pred pred", [][]any{{true, false, false}, {false, false, true}}},
		{"xor.pred %d, %a, %b", "pred pred pred", [][]any{{true, false, true}, {false, true, true}}},
		{"not.pred %d, %a", "pred pred", [][]any{{true, false}, {false, true}}},
		{"mov.pred %d, %a", "pred pred", [][]any{{true, true}, {false, false}}},
		{"mov.pred %d, 0", "pred", [][]any{{false}}},
		{"testp.finite.f32 %d, %a", "pred f32", [][]any{{true, 1}, {false, inf}, {false, nan}}},
		{"testp.infinite.f32 %d, %a", "pred f32", [][]any{{false, 1}, {true, -inf}, {false, nan}}},
		{"testp.number.f64 %d, %a", "pred f64", [][]any{{true, 1}, {true, inf}, {false, nan}}},
		{"testp.notanumber.f64 %d, %a", "pred f64", [][]any{{false, 1}, {false, inf}, {true, nan}}},
		{"testp.normal.f32 %d, %a", "pred f32", [][]any{{true, 1}, {false, tiny32}, {false, 0}, {false, inf}}},
		{"testp.subnormal.f64 %d, %a", "pred f64", [][]any{{false, 1}, {true, 1e-310}, {false, 0}}},
		{"isspacep.global %d, %a", "pred u64", [][]any{{true, 0x1000}, {false, hex(sharedWindow)}}},
		{"isspacep.shared %d, %a", "pred u64", [][]any{{false, 0x1000}, {true, hex(sharedWindow)}}},
	} {
		f.check(t)
	}
}

func TestFloats(t *testing.T) {
	third := third32()
	f32up := func(x float32) float64 { return float64(math.Nextafter32(x, float32(inf))) }
	for _, f := range []form{
		{"add.f32 %d, %a, %b", "f32 f32 f32", [][]any{{3, 1, 2}, {nan, inf, -inf}, {0, 1, -1}, {hex(nan32), hex(0xff800001), 1}}},
		{"add.rn.f32 %d, %a, 0f3F800000", "f32 f32", [][]any{{3, 2}}},
		{"add.rz.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 1, 1e-9}, {-1, -1, -1e-9}, {math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}}},
		{"add.rm.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 1, 1e-9}, {-f32up(1), -1, -1e-9}, {negZero, 1, -1}, {negZero, 0, negZero}, {0, 0, 0}}},
		{"add.rp.f32 %d, %a, %b", "f32 f32 f32", [][]any{{f32up(1), 1, 1e-9}, {-1, -1, -1e-9}, {0, 1, -1}}},
		{"add.ftz.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 1, 2e-9}, {0, tiny32, tiny32}, {negZero, -tiny32, -tiny32}}},
		{"add.sat.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 1, 2}, {0, 1, -2}, {0.5, 0.25, 0.25}, {0, nan, 1}}},
		{"sub.f32 %d, %a, %b", "f32 f32 f32", [][]any{{-1, 1, 2}, {nan, inf, inf}}},
		{"sub.rm.f32 %d, %a, %b", "f32 f32 f32", [][]any{{negZero, 1, 1}}},
		{"mul.f32 %d, %a, %b", "f32 f32 f32", [][]any{{2, 1, 2}, {nan, inf, 0}}},
		{"mul.rp.f32 %d, %a, %b", "f32 f32 f32", [][]any{{hex(1), 1e-30, 1e-30}, {inf, 1e30, 1e30}}},
		{"mul.rz.f32 %d, %a, %b", "f32 f32 f32", [][]any{{0, 1e-30, 1e-30}, {math.MaxFloat32, 1e30, 1e30}}},
		{"mul.rm.f32 %d, %a, %b", "f32 f32 f32", [][]any{{math.MaxFloat32, 1e30, 1e30}, {-inf, 1e30, -1e30}}},
		{"fma.rn.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{7, 2, 3, 1}, {nan, inf, 0, 1}, {-0x1p-46, 1 + 0x1p-23, 1 - 0x1p-23, -1}}},
		{"fma.rz.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{1, 1e-20, 1e-20, 1}, {7, 2, 3, 1}}},
		{"fma.rp.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{f32up(1), 1e-20, 1e-20, 1}}},
		{"fma.rm.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{1 - 0x1p-24, -1e-20, 1e-20, 1}, {negZero, 1, 1, -1}}},
		{"fma.rn.ftz.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{0, 1, 0, tiny32}}},
		{"fma.rn.ftz.sat.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{1, 2, 3, 4}}},
		{"mad.rn.f32 %d, %a, %b, %c", "f32 f32 f32 f32", [][]any{{7, 2, 3, 1}}},
		{"add.f64 %d, %a, %b", "f64 f64 f64", [][]any{{3, 1, 2}, {nan, inf, -inf}}},
		{"add.rz.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1, 1, 1e-20}, {1 - 0x1p-53, 1, -1e-20}, {math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}}},
		{"add.rm.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1, 1, 1e-20}, {negZero, 1, -1}, {inf, inf, 1}}},
		{"sub.rp.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1 + 0x1p-52, 1, -1e-20}, {1, 1, 1e-20}}},
		{"mul.f64 %d, %a, %b", "f64 f64 f64", [][]any{{6, 3, 2}}},
		{"mul.rp.f64 %d, %a, %b", "f64 f64 f64", [][]any{{hex(1), 1e-200, 1e-200}, {inf, 1e200, 1e200}, {0, 0, 5}}},
		{"mul.rz.f64 %d, %a, %b", "f64 f64 f64", [][]any{{0, 1e-200, 1e-200}, {-math.MaxFloat64, -1e200, 1e200}}},
		{"sub.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1, 3, 2}}},
		{"fma.rn.f64 %d, %a, %b, %c", "f64 f64 f64 f64", [][]any{{7, 2, 3, 1}, {nan, inf, 0, 1}}},
		{"fma.rm.f64 %d, %a, %b, %c", "f64 f64 f64 f64", [][]any{{1, 1e-20, 1e-20, 1}, {1 - 0x1p-53, -1e-20, 1e-20, 1}, {negZero, 1, 1, -1}, {0, 1, 0, 0}}},
		{"fma.rp.f64 %d, %a, %b, %c", "f64 f64 f64 f64", [][]any{{1 + 0x1p-52, 1e-20, 1e-20, 1}}},
		{"div.rn.f32 %d, %a, %b", "f32 f32 f32", [][]any{{third, 1, 3}, {inf, 1, 0}, {nan, 0, 0}}},
		{"div.rz.f32 %d, %a, %b", "f32 f32 f32", [][]any{{float64(math.Nextafter32(float32(third), 0)), 1, 3}, {0.5, 1, 2}}},
		{"div.rp.f32 %d, %a, %b", "f32 f32 f32", [][]any{{third, 1, 3}, {-float64(math.Nextafter32(float32(third), 0)), 1, -3}}},
		{"div.full.f32 %d, %a, %b", "f32 f32 f32", [][]any{{0.5, 1, 2}}},
		{"div.approx.ftz.f32 %d, %a, %b", "f32 f32 f32", [][]any{{0.5, 1, 2}, {0, tiny32, 1}}},
		{"div.rn.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1.0 / 3.0, 1, 3}}},
		{"div.rp.f64 %d, %a, %b", "f64 f64 f64", [][]any{{math.Nextafter(1.0/3.0, 1), 1, 3}, {0.5, 1, 2}, {-1.0 / 3.0, -1, 3}}},
		{"div.rm.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1.0 / 3.0, 1, 3}, {inf, 1, 0}}},
		{"sqrt.rn.f32 %d, %a", "f32 f32", [][]any{{3, 9}, {nan, -1}, {negZero, negZero}, {inf, inf}}},
		{"sqrt.rz.f32 %d, %a", "f32 f32", [][]any{{float64(float32(math.Sqrt2)), 2}, {3, 9}}},
		{"sqrt.rp.f32 %d, %a", "f32 f32", [][]any{{f32up(float32(math.Sqrt2)), 2}, {3, 9}}},
		{"sqrt.approx.ftz.f32 %d, %a", "f32 f32", [][]any{{3, 9}, {0, tiny32}}},
		{"sqrt.rn.f64 %d, %a", "f64 f64", [][]any{{3, 9}, {math.Sqrt2, 2}}},
		{"sqrt.rp.f64 %d, %a", "f64 f64", [][]any{{3, 9}, {math.Sqrt2, 2}, {math.Nextafter(math.Sqrt(3), 2), 3}, {0, 0}}},
		{"sqrt.rm.f64 %d, %a", "f64 f64", [][]any{{3, 9}, {math.Nextafter(math.Sqrt2, 0), 2}}},
		{"rcp.rn.f32 %d, %a", "f32 f32", [][]any{{0.5, 2}, {inf, 0}, {0, inf}}},
		{"rcp.approx.ftz.f32 %d, %a", "f32 f32", [][]any{{0.5, 2}, {inf, tiny32}}},
		{"rcp.rn.f64 %d, %a", "f64 f64", [][]any{{0.5, 2}}},
		{"rcp.rz.f64 %d, %a", "f64 f64", [][]any{{1.0 / 3.0, 3}}},
		{"rcp.approx.ftz.f64 %d, %a", "f64 f64", [][]any{{0.5, 2}, {inf, 1e-310}, {hex(nan64), nan}, {hex(0x3fd5555500000000), 3}}},
		{"rsqrt.approx.f32 %d, %a", "f32 f32", [][]any{{0.5, 4}, {inf, 0}}},
		{"rsqrt.approx.ftz.f64 %d, %a", "f64 f64", [][]any{{0.5, 4}}},
		{"ex2.approx.f32 %d, %a", "f32 f32", [][]any{{8, 3}, {0x1p-140, -140}, {0, -inf}}},
		{"ex2.approx.ftz.f32 %d, %a", "f32 f32", [][]any{{8, 3}, {0, -140}}},
		{"ex2.approx.f16 %d, %a", "f16 f16", [][]any{{8, 3}}},
		{"ex2.approx.ftz.bf16 %d, %a", "bf16 bf16", [][]any{{8, 3}}},
		{"lg2.approx.f32 %d, %a", "f32 f32", [][]any{{3, 8}, {-inf, 0}, {nan, -1}}},
		{"sin.approx.f32 %d, %a", "f32 f32", [][]any{{math.Sin(1), 1}, {0, 0}}},
		{"cos.approx.ftz.f32 %d, %a", "f32 f32", [][]any{{math.Cos(1), 1}, {1, 0}}},
		{"tanh.approx.f32 %d, %a", "f32 f32", [][]any{{math.Tanh(1), 1}, {1, inf}}},
		{"tanh.approx.f16 %d, %a", "f16 f16", [][]any{{0, 0}, {1, inf}}},
		{"tanh.approx.f16x2 %d, %a", "b32 b32", [][]any{{0x3c000000, 0x7c000000}}},
		{"min.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 1, 2}, {2, nan, 2}, {2, 2, nan}, {hex(nan32), nan, nan}, {negZero, 0, negZero}, {negZero, negZero, 0}}},
		{"max.f32 %d, %a, %b", "f32 f32 f32", [][]any{{2, 1, 2}, {2, nan, 2}, {0, 0, negZero}, {0, negZero, 0}, {-1, -1, -2}}},
		{"min.NaN.f32 %d, %a, %b", "f32 f32 f32", [][]any{{1, 1, 2}, {hex(nan32), nan, 2}}},
		{"max.xorsign.abs.f32 %d, %a, %b", "f32 f32 f32", [][]any{{-2, 1, -2}, {2, -1, -2}}},
		{"max.ftz.f32 %d, %a, %b", "f32 f32 f32", [][]any{{0, tiny32, -1}}},
		{"min.f64 %d, %a, %b", "f64 f64 f64", [][]any{{1, 1, 2}, {2, nan, 2}, {hex(nan64), nan, nan}}},
		{"max.f16 %d, %a, %b", "f16 f16 f16", [][]any{{2, 1, 2}, {2, nan, 2}}},
		{"max.NaN.bf16 %d, %a, %b", "bf16 bf16 bf16", [][]any{{2, 1, 2}, {hex(nan16), nan, 2}}},
		{"min.f16x2 %d, %a, %b", "b32 b32 b32", [][]any{{0x3c003c00, 0x3c004000, 0x40003c00}}},
		{"abs.f32 %d, %a", "f32 f32", [][]any{{1, -1}, {inf, -inf}}},
		{"neg.f32 %d, %a", "f32 f32", [][]any{{1, -1}, {negZero, 0}}},
		{"neg.ftz.f32 %d, %a", "f32 f32", [][]any{{1, -1}, {negZero, tiny32}}},
		{"abs.f64 %d, %a", "f64 f64", [][]any{{1, -1}}},
		{"neg.f64 %d, %a", "f64 f64", [][]any{{1, -1}}},
		{"abs.bf16 %d, %a", "bf16 bf16", [][]any{{1, -1}}},
		{"neg.f16x2 %d, %a", "b32 b32", [][]any{{hex(0xbc003c00), hex(0x3c00bc00)}}},
		{"copysign.f32 %d, %a, %b", "f32 f32 f32", [][]any{{-2, -1, 2}, {2, 1, -2}}},
		{"copysign.f64 %d, %a, %b", "f64 f64 f64", [][]any{{-2, -1, 2}}},
	} {
		f.check(t)
	}
}

func TestHalves(t *testing.T) {
	for _, f := range []form{
		{"add.f16 %d, %a, %b", "f16 f16 f16", [][]any{{3, 1, 2}, {2048, 2048, 1}, {2052, 2048, 3}, {inf, 65504, 65504}}},
		{"add.ftz.f16 %d, %a, %b", "f16 f16 f16", [][]any{{0, 0x1p-20, 0x1p-20}, {3, 1, 2}}},
		{"sub.rn.bf16 %d, %a, %b", "bf16 bf16 bf16", [][]any{{-1, 1, 2}}},
		{"add.sat.f16 %d, %a, %b", "f16 f16 f16", [][]any{{1, 1, 2}, {0, 1, -2}}},
		{"mul.f16 %d, %a, %b", "f16 f16 f16", [][]any{{6, 3, 2}, {0x1p-24, 0x1p-12, 0x1p-12}}},
		{"mul.bf16 %d, %a, %b", "bf16 bf16 bf16", [][]any{{6, 3, 2}}},
		{"fma.rn.f16 %d, %a, %b, %c", "f16 f16 f16 f16", [][]any{{7, 3, 2, 1}, {2050, 2048, 1, 1.5}, {1, 0x1p-20, 0x1p-20, 1}}},
		{"fma.rn.relu.f16 %d, %a, %b, %c", "f16 f16 f16 f16", [][]any{{7, 3, 2, 1}, {0, -3, 2, 1}, {hex(nan16), nan, 2, 1}}},
		{"fma.rn.bf16 %d, %a, %b, %c", "bf16 bf16 bf16 bf16", [][]any{{7, 3, 2, 1}}},
		{"fma.rn.bf16x2 %d, %a, %b, %c", "b32 b32 b32 b32", [][]any{{0x40e040e0, 0x40404040, 0x40004000, 0x3f803f80}}},
		{"add.f16x2 %d, %a, %b", "b32 b32 b32", [][]any{{0x40004200, 0x3c003c00, 0x3c004000}}},
		{"sub.f16x2 %d, %a, %b", "b32 b32 b32", [][]any{{0x0000bc00, 0x3c003c00, 0x3c004000}}},
		{"mul.f16x2 %d, %a, %b", "b32 b32 b32", [][]any{{0x3c004000, 0x3c003c00, 0x3c004000}}},
	} {
		f.check(t)
	}
}

func TestConversions(t *testing.T) {
	for _, f := range []form{
		{"cvt.s64.s32 %d, %a", "s64 s32", [][]any{{-1, -1}}},
		{"cvt.u64.u32 %d, %a", "u64 u32", [][]any{{0xffffffff, -1}}},
		{"cvt.s64.s16 %d, %a", "s64 s16", [][]any{{-1, -1}}},
		{"cvt.u32.u64 %d, %a", "u32 u64", [][]any{{5, hex(0x100000005)}}},
		{"cvt.s32.s8 %d, %a", "s32 s32", [][]any{{-1, 0xff}, {5, 0x105}}},
		{"cvt.u32.u8 %d, %a", "u32 u32", [][]any{{0xff, 0xff}, {5, 0x105}}},
		{"cvt.u16.u32 %d, %a", "u16 u32", [][]any{{5, 0x10005}}},
		{"cvt.s8.s32 %d, %a", "s32 s32", [][]any{{-1, 0xff}}},
		{"cvt.u8.u32 %d, %a", "u32 u32", [][]any{{0xff, 0x1ff}}},
		{"cvt.sat.s8.s32 %d, %a", "s32 s32", [][]any{{127, 300}, {-128, -300}, {5, 5}}},
		{"cvt.sat.u8.s32 %d, %a", "u32 s32", [][]any{{255, 300}, {0, -300}, {5, 5}}},
		{"cvt.sat.s32.u64 %d, %a", "s32 u64", [][]any{{math.MaxInt32, -1}, {5, 5}}},
		{"cvt.sat.u32.s64 %d, %a", "u32 s64", [][]any{{0, -1}, {-1, hex(1 << 40)}}},
		{"cvt.rn.f32.s32 %d, %a", "f32 s32", [][]any{{-5, -5}, {16777216, 16777217}, {16777220, 16777219}}},
		{"cvt.rn.f32.u32 %d, %a", "f32 u32", [][]any{{4294967296, -1}}},
		{"cvt.rz.f32.u32 %d, %a", "f32 u32", [][]any{{4294967040, -1}, {5, 5}}},
		{"cvt.rp.f32.s32 %d, %a", "f32 s32", [][]any{{16777218, 16777217}, {-16777216, -16777217}}},
		{"cvt.rm.f32.s64 %d, %a", "f32 s64", [][]any{{16777216, 16777217}, {-16777218, -16777217}}},
		{"cvt.rn.f32.u64 %d, %a", "f32 u64", [][]any{{0x1p64, -1}}},
		{"cvt.rn.f64.s32 %d, %a", "f64 s32", [][]any{{-5, -5}}},
		{"cvt.rn.f64.u64 %d, %a", "f64 u64", [][]any{{0x1p64, -1}, {9007199254740992, 9007199254740993}}},
		{"cvt.rp.f64.s64 %d, %a", "f64 s64", [][]any{{9007199254740994, 9007199254740993}}},
		{"cvt.rn.f16.s32 %d, %a", "f16 s32", [][]any{{-5, -5}, {inf, 70000}, {2048, 2049}}},
		{"cvt.rn.bf16.u32 %d, %a", "bf16 u32", [][]any{{256, 257}, {5, 5}}},
		{"cvt.rn.f16.u64 %d, %a", "f16 u64", [][]any{{5, 5}, {inf, -1}}},
		{"cvt.rzi.s32.f32 %d, %a", "s32 f32", [][]any{{-2, -2.7}, {math.MaxInt32, 1e10}, {math.MinInt32, -1e10}, {0, nan}}},
		{"cvt.rni.s32.f32 %d, %a", "s32 f32", [][]any{{-2, -2.5}, {4, 3.5}, {3, 2.7}}},
		{"cvt.rmi.s32.f32 %d, %a", "s32 f32", [][]any{{-3, -2.5}, {2, 2.7}}},
		{"cvt.rpi.s32.f32 %d, %a", "s32 f32", [][]any{{-2, -2.5}, {3, 2.2}}},
		{"cvt.rzi.ftz.s32.f32 %d, %a", "s32 f32", [][]any{{0, tiny32}}},
		{"cvt.rzi.u32.f32 %d, %a", "u32 f32", [][]any{{0, -2.7}, {-1, 1e10}, {hex(3000000000), 3e9}}},
		{"cvt.rzi.u64.f32 %d, %a", "u64 f32", [][]any{{hex(1 << 63), nan}, {hex(1 << 63), 0x1p63}, {-1, 1e30}, {7, 7}}},
		{"cvt.rzi.s64.f64 %d, %a", "s64 f64", [][]any{{hex(1 << 63), nan}, {math.MaxInt64, 1e30}, {-7, -7.9}}},
		{"cvt.rzi.s32.f64 %d, %a", "s32 f64", [][]any{{hex(1 << 31), nan}, {7, 7.5}}},
		{"cvt.rzi.u16.f32 %d, %a", "u16 f32", [][]any{{65535, 1e9}, {7, 7.5}}},
		{"cvt.rzi.s8.f32 %d, %a", "s32 f32", [][]any{{127, 1e9}, {-128, -1e9}, {-7, -7.5}}},
		{"cvt.rzi.s32.f16 %d, %a", "s32 f16", [][]any{{-7, -7.5}, {math.MaxInt32, inf}}},
		{"cvt.rzi.s32.bf16 %d, %a", "s32 bf16", [][]any{{-7, -7.5}}},
		{"cvt.f64.f32 %d, %a", "f64 f32", [][]any{{0.5, 0.5}, {hex(nan64), nan}}},
		{"cvt.rn.f32.f64 %d, %a", "f32 f64", [][]any{{third32(), 1.0 / 3}, {inf, 1e300}, {hex(nan32), nan}}},
		{"cvt.rz.f32.f64 %d, %a", "f32 f64", [][]any{{math.MaxFloat32, 1e300}, {1, 1 + 1e-10}}},
		{"cvt.rp.f32.f64 %d, %a", "f32 f64", [][]any{{hex(0x3f800001), 1 + 1e-10}, {hex(1), 1e-300}}},
		{"cvt.rn.ftz.f32.f64 %d, %a", "f32 f64", [][]any{{0, 1e-40}}},
		{"cvt.f32.f16 %d, %a", "f32 f16", [][]any{{0.5, 0.5}, {0x1p-24, 0x1p-24}, {-inf, -inf}, {hex(nan32), nan}}},
		{"cvt.f32.bf16 %d, %a", "f32 bf16", [][]any{{0.5, 0.5}, {hex(nan32), nan}}},
		{"cvt.rn.f16.f32 %d, %a", "f16 f32", [][]any{{0.5, 0.5}, {inf, 65520}, {65504, 65519}, {hex(nan16), nan}, {0, 0x1p-25}, {0x1p-24, 0x1.8p-25}}},
		{"cvt.rz.f16.f32 %d, %a", "f16 f32", [][]any{{65504, 65520}, {0, 0x1.8p-25}}},
		{"cvt.rn.f16.f64 %d, %a", "f16 f64", [][]any{{0.5, 0.5}, {1 + 0x1p-10, 1 + 0x1p-11 + 0x1p-50}, {1, 1 + 0x1p-11}}},
		{"cvt.rn.relu.f16.f32 %d, %a", "f16 f32", [][]any{{0.5, 0.5}, {0, -0.5}}},
		{"cvt.rn.bf16.f32 %d, %a", "bf16 f32", [][]any{{0.5, 0.5}, {1, 1 + 0x1p-8}, {1 + 0x1p-6, 1 + 0x1.8p-7}, {hex(nan16), nan}, {inf, math.MaxFloat32}}},
		{"cvt.rz.bf16.f32 %d, %a", "bf16 f32", [][]any{{1, 1 + 0x1.8p-8}, {hex(0x7f7f), math.MaxFloat32}}},
		{"cvt.rn.f16x2.f32 %d, %a, %b", "b32 f32 f32", [][]any{{0x3c004000, 1, 2}}},
		{"cvt.rn.bf16x2.f32 %d, %a, %b", "b32 f32 f32", [][]any{{0x3f804000, 1, 2}}},
		{"cvt.rn.relu.bf16x2.f32 %d, %a, %b", "b32 f32 f32", [][]any{{0x00004000, -1, 2}}},
		{"cvt.rna.tf32.f32 %d, %a", "b32 f32", [][]any{{hex(0x3f802000), hex(0x3f801000)}, {hex(0x3f800000), hex(0x3f800fff)}}},
		{"cvt.rni.f32.f32 %d, %a", "f32 f32", [][]any{{2, 2.5}, {4, 3.5}, {-2, -2.5}}},
		{"cvt.rzi.f64.f64 %d, %a", "f64 f64", [][]any{{2, 2.9}, {-2, -2.9}, {negZero, -0.5}}},
		{"cvt.rmi.f32.f32 %d, %a", "f32 f32", [][]any{{2, 2.9}, {-3, -2.9}}},
		{"cvt.rpi.f16.f16 %d, %a", "f16 f16", [][]any{{3, 2.5}}},
		{"cvt.sat.f32.f32 %d, %a", "f32 f32", [][]any{{1, 2}, {0, -2}, {0.25, 0.25}, {0, nan}}},
		{"cvt.ftz.f32.f32 %d, %a", "f32 f32", [][]any{{0, tiny32}, {2, 2}}},
		{"cvta.global.u64 %d, %a", "u64 u64", [][]any{{5, 5}}},
		{"cvta.to.shared.u64 %d, %a", "u64 u64", [][]any{{5, hex(sharedWindow + 5)}}},
		{"cvta.local.u64 %d, %a", "u64 u64", [][]any{{hex(localWindow + 5), 5}}},
		{"cvta.param.u64 %d, %a", "u64 u64", [][]any{{hex(paramWindow + 5), 5}}},
	} {
		f.check(t)
	}
}

func third32() float64 { return float64(float32(1.0 / 3)) }
