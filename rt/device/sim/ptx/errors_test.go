package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const head = ".version 8.0\n.target sm_80\n.address_size 64\n"

// body returns the text of a kernel that declares registers of all kinds and contains the
// statements s.
func body(s string) string {
	return head + ".extern .shared .align 16 .b8 dyn[];\n.func f(.param .b32 x) { ret; }\n.func g(.param .b32 x);\n.func h() { call h; ret; }\n" +
		".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .b64 %rd<8>;\n" +
		".shared .align 4 .b8 room[64];\n.local .align 4 .b8 mine[16];\n" + s + "\nret;\n}\n"
}

// TestParseErrors: if text cannot be parsed, the error contains the number of the line and the
// reason.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"nonsense", "nonsense"},
		{";", "directive"},
		{"/* no end", "no end"},
		{"\"no end", "no end"},
		{head + "\x80", "ASCII"},
		{head + "?", "not expected"},
		{".address_size 32\n", "32 bits"},
		{".section .debug { a { b }", "no end"},
		{head + ".entry k(", "name"},
		{head + ".entry k()", "body"},
		{head + ".entry k(.param .u64) {}", "name"},
		{head + ".entry k(.param .u64 x[]) {}", "size"},
		{head + ".entry k(.reg .u64 x) {}", "memory"},
		{head + ".entry k(.const .u64 x) {}", "parameter"},
		{head + ".entry k(.reg .zzz x) {}", "no type"},
		{head + ".entry k() { ret; ", "closing brace"},
		{head + ".entry k() {} .entry k() {}", "twice"},
		{head + ".global x;", "no type"},
		{head + ".global .pred x;", "no type"},
		{head + ".global .zzz x;", "not known"},
		{head + ".global .align 3 .b8 x;", "aligned"},
		{head + ".global .b8 x[99999999999];", "too large"},
		{head + ".global .b8 x[60000][60000][60000];", "too large"},
		{head + ".global .b8 x[2] = {1, 2, 3};", "more initial"},
		{head + ".global .b8 x; .global .b8 x;", "twice"},
		{head + ".global .u64 x = y;", "not a variable"},
		{head + ".global .u64 x = ;", "number"},
		{head + ".global .u32 x = 0f12;", "not a number"},
		{head + ".global .u32 x = 0d12;", "not a number"},
		{head + ".global .u32 x = 12zz;", "not a number"},
		{head + ".global .b8 x[a];", "number"},
		{body(".reg .zzz %a;"), "not known"},
		{body(".reg .b32 %a<99999999>;"), "registers"},
		{body(".zzz;"), "not known"},
		{body(".shared .b8 x[];"), "no size"},
		{body(".local .b8 x[];"), "no size"},
		{body(".shared .b8 x[300000];"), "shared memory"},
		{body(".local .b8 x[600000];"), "local memory"},
		{body(strings.Repeat("{", 200)), "deep"},
		{body("add.s32 %r1, " + strings.Repeat("!", 20) + "%r2;"), "deep"},
		{body("a: a: ret;"), "twice"},
		{body("bra nowhere;"), "nowhere is not defined"},
		{body("zzz.b32 %r1, %r2;"), "not known"},
		{body("wgmma.fence.sync.aligned;"), "not known"},
		{body("add.zzz.s32 %r1, %r2, %r3;"), "modifier .zzz"},
		{body("add.s32 %r1, %r2;"), "3 operands"},
		{body("add.s32.s32 %r1, %r2, %r3;"), "1 types"},
		{body("add %r1, %r2, %r3;"), "1 types"},
		{body("add.s32 %r1, %r2, %r99;"), "%r99 is not declared"},
		{body("add.s32 %r99, %r2, %r1;"), "%r99 is not declared"},
		{body("add.s32 %r1, %r2, %p1;"), "%p1"},
		{body("add.s32 %p1, %r2, %r1;"), "predicate"},
		{body("add.s32 5, %r2, %r1;"), "register is expected"},
		{body("add.s32 room, %r2, %r1;"), "not a register"},
		{body("add.s32 %r1+4, %r2, %r1;"), "register is expected"},
		{body("add.s32 %r1, %r2+4, %r1;"), "no offset"},
		{body("add.s32 %r1, !%r2, %r1;"), "not a predicate"},
		{body("add.s32 %r1, !5, %r1;"), "negated"},
		{body("add.s32 %r1, [%r2], %r1;"), "another kind"},
		{body("add.s32 %r1 %r2;"), "after an operand"},
		{body("add.pred %p1, %p2, %p3;"), "arithmetic"},
		{body("add.b32 %r1, %r2, %r3;"), "arithmetic"},
		{body("add.sat.u32 %r1, %r2, %r3;"), ".sat"},
		{body("mul.lo.sat.s32 %r1, %r2, %r3;"), ".sat"},
		{body("mul.s32 %r1, %r2, %r3;"), ".lo, .hi"},
		{body("mul.wide.s64 %rd1, %rd2, %rd3;"), ".wide"},
		{body("add.cc.u16 %h1, %h2, %h3;"), "carry"},
		{body("min.b32 %r1, %r2, %r3;"), "no min"},
		{body("min.abs.f32 %f1, %f2, %f3;"), ".abs"},
		{body("neg.u32 %r1, %r2;"), "no neg"},
		{body("div.b32 %r1, %r2, %r3;"), "no div"},
		{body("div.rn.f16 %h1, %h2, %h3;"), "division"},
		{body("sin.approx.f64 %rd1, %rd2;"), "no sin"},
		{body("ex2.approx.s32 %r1, %r2;"), "no ex2"},
		{body("testp.zzz.f32 %p1, %f1;"), "test"},
		{body("cnot.pred %p1, %p2;"), "predicates"},
		{body("lop3.b32 %r1, %r2, %r3, %r4, %r5;"), "table"},
		{body("setp.s32 %p1, %r1, %r2;"), "comparison"},
		{body("setp.num.s32 %p1, %r1, %r2;"), "comparison"},
		{body("setp.lt.s32 %r1, %r1, %r2;"), "predicate"},
		{body("setp.lt.s32 %p1|%r1, %r1, %r2;"), "predicate"},
		{body("setp.lt.f16x2 %p1, %r1, %r2;"), "two predicates"},
		{body("cvt.s32 %r1, %r2;"), "two types"},
		{body("cvt.s32.pred %r1, %p1;"), "conversion"},
		{body("cvt.rn.f16x2.s32 %r1, %r2, %r3;"), "conversion"},
		{body("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;"), ""},
		{body("cvt.rn.satfinite.f16.f32 %h1, %f1;"), "satfinite"},
		{body("mov.b64 {%r1, %r2}, {%r3, %r4};"), "braces"},
		{body("mov.b64 {%r1, %r2, %r3}, %rd1;"), "braces"},
		{body("mov.b64 %rd1, {%r1, %r2, %r3};"), "braces"},
		{body("mov.b64 {%r1, %r2}, %r3;"), "size"},
		{body("mov.pred %p1, room;"), "predicate"},
		{body("ld.global.pred %p1, [%rd1];"), "access"},
		{body("ld.global.u32 %r1, %rd1;"), "brackets"},
		{body("ld.global.u32 %r1, [%rd99];"), "not declared"},
		{body("ld.global.u32 %r1, [%p1];"), "not an address"},
		{body("ld.global.u32 %r1, [room];"), "in shared memory"},
		{body("ld.param.u32 %r1, [room];"), "not a parameter"},
		{body("ld.global.v2.u32 %r1, [%rd1];"), "2 operands"},
		{body("ld.global.u32 {%r1}, [%rd1];"), "1 operands"},
		{body("ld.global.u64 %r1, [%rd1];"), "cannot hold"},
		{body("ld.global.u8 %p1, [%rd1];"), "cannot hold"},
		{body("st.global.u64 [%rd1], %r1;"), "does not hold"},
		{body("st.global.u8 [%rd1], %p1;"), "%p1"},
		{body("atom.global.zzz.u32 %r1, [%rd1], %r2;"), "zzz"},
		{body("atom.global.min.f32 %f1, [%rd1], %f2;"), "atomic operation"},
		{body("atom.local.add.u32 %r1, [%rd1], %r2;"), "local"},
		{body("atom.global.add.u8 %h1, [%rd1], %h2;"), "atomic operation"},
		{body("atom.global.v2.add.f32 {%f1, %f2}, [%rd1], {%f1, %f2};"), "vectors"},
		{body("atom.global.add.u32 %p1, [%rd1], %r2;"), "predicate"},
		{body("cvta.u64 %rd1, %rd2;"), "state space"},
		{body("shfl.sync.b32 %r1, %r2, 1, 31, -1;"), "mode"},
		{body("shfl.sync.up.b32 %r1|%r2, %r2, 1, 31, -1;"), "predicate"},
		{body("shfl.sync.up.b32 %rd1, %r2, 1, 31, -1;"), "32 bits"},
		{body("vote.sync.ballot.pred %p1, %p2, -1;"), "vote"},
		{body("vote.sync.any.pred %r1, %p2, -1;"), "fit"},
		{body("match.any.b32 %r1, %r2, -1;"), ".sync"},
		{body("match.all.sync.b32 %r1|%r2, %r2, -1;"), "predicate"},
		{body("redux.add.u32 %r1, %r2, -1;"), ".sync"},
		{body("redux.sync.zzz.u32 %r1, %r2, -1;"), "zzz"},
		{body("redux.sync.add.f32 %f1, %f2, -1;"), "reduction"},
		{body("bar.warp.arrive -1;"), ".sync"},
		{body("bar.red.zzz.u32 %r1, 0, %p1;"), "barrier"},
		{body("bar.zzz 0;"), "barrier"},
		{body("bar.arrive 0;"), "operands"},
		{body("brx.uni %r1, l;"), "not known"},
		{body("brx.idx %r1, l;"), "list of labels"},
		{body("call zzz, (x);"), "not defined"},
		{body("call g, (x);"), "not defined"},
		{body("call f;"), "parameters"},
		{body("call f, (%r1);"), "not a parameter"},
		{body("call h;"), "itself"},
		{body("call (5);"), "function"},
		{body("@%r1 bra l; l:"), "predicate"},
		{body("@zzz bra l; l:"), "predicate"},
		{body("@5 bra l; l:"), "name"},
		{body("ret 5;"), "operands"},
	} {
		m, err := Parse(c.text)
		var e *Error
		if m != nil || !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) || e.Line < 1 {
			t.Errorf("%q: %v, want %q", strings.TrimPrefix(c.text, head), err, c.says)
		}
	}
	_, err := Parse(body("add.s32 %r1,\n  %r2, %zz;"))
	if want := "ptx:17: k: add.s32 %r1, %r2, %zz: %zz is not declared"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestAccepted: Parse skips directives that compilers emit but that do not change what the code
// computes.
func TestAccepted(t *testing.T) {
	text := head + `
.file 1 "a.cu"
.section .debug_info { .b8 1, 2 { .b8 3 } }
.pragma "nounroll";
.weak .func (.param .b32 r) unused(.param .b32 x);
.visible .entry k(
	.param .u64 .ptr .global .align 4 out,
	.param .align 8 .b8 pair[16]
)
.maxntid 128, 1, 1
.minnctapersm 2
{
	.reg .b32 %r<2>;
	.reg .b64 %rd;
	.loc 1 2 3
	.pragma "nounroll";
	call_prototype: .callprototype _ (.param .b32 _);
	{ .reg .b32 %r1; mov.u32 %r1, 5; }
	mov.u32 %r1, 7;;
	ld.param.u64 %rd, [out];
	st.relaxed.gpu.global.L1::no_allocate.u32 [%rd], %r1;
	fence.acq_rel.gpu;
	nanosleep.u32 20;
	exit;
}`
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := m.Parameters("k"); len(p) != 2 || p[0] != 8 || p[1] != 16 {
		t.Error(p)
	}
	err = m.Launch("k", [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, []uint64{0, 0}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "parameter 1 has 16 bytes") {
		t.Error(err)
	}
}

// TestFaults: faults of a running kernel are detected and described.
func TestFaults(t *testing.T) {
	out := make([]uint64, 8)
	for _, c := range []struct{ text, says string }{
		{"ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1+64];", "read of 4 bytes at 0x100000040, which is not allocated: byte 64 of a block of 64"},
		{"ld.param.u64 %rd1, [out]; ld.global.v2.u64 {%rd2, %rd3}, [%rd1+56];", "not aligned"},
		{"ld.param.u64 %rd1, [out]; st.global.u64 [%rd1+60], 5;", "not aligned"},
		{"ld.param.u64 %rd1, [out]; st.global.u32 [%rd1-4], 5;", "write of 4 bytes at 0xfffffffc"},
		{"ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], 5;", "thread [4 0 0]"},
		{"mov.u64 %rd1, 0; ld.global.u32 %r1, [%rd1];", "at 0x0"},
		{"mov.u64 %rd1, -8; ld.global.u64 %rd1, [%rd1];", "at 0xfffffffffffffff8"},
		{"ld.shared.u32 %r1, [room+64];", "beyond the 64 bytes of shared memory"},
		{"st.shared.u32 [room+2], %r1;", "not aligned"},
		{"mov.u64 %rd1, room; cvta.shared.u64 %rd1, %rd1; st.u32 [%rd1+1024], %r1;", "shared memory"},
		{"ld.local.u64 %rd1, [mine+16];", "beyond the 16 bytes of local memory"},
		{"ld.param.u64 %rd1, [in+8];", "beyond the 16 bytes of parameter memory"},
		{"mov.u64 %rd1, dyn; ld.shared.u32 %r1, [%rd1];", "shared memory"},
		{"ld.param.u64 %rd1, [out]; atom.global.add.u32 %r1, [%rd1+64], 1;", "atomic access of 4 bytes"},
		{"ld.param.u64 %rd1, [out]; ld.global.u32 %r1, [%rd1+4294967296];", "which is not allocated"},
		{"mov.u64 %rd1, room; cvta.shared.u64 %rd1, %rd1; ld.global.u32 %r1, [%rd1];", "not allocated"},
		{"trap;", "gives up"},
		{"l: bra l;", "5000 instructions"},
		{"mov.u32 %r1, 20; bar.sync %r1;", "no barrier 20"},
		{"mov.u32 %r1, 33; bar.sync 0, %r1;", "33 threads"},
		{"bar.sync 0, 128;", "never come to"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bar.sync 0; @!%p1 bar.sync 1;", "never come to"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 shfl.sync.up.b32 %r2, %r1, 1, 0, -1;", "are inactive"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bra a; shfl.sync.up.b32 %r2, %r1, 1, 0, 7; bra b; a: bar.sync 0; b:", "not in the member mask"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bra a; shfl.sync.up.b32 %r2, %r1, 1, 0, -1; bra b; a: bar.sync 0; b:", "never come"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bra a; bar.sync 0; bra b; a: bar.sync 0; b:", "different places"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bra a; bar.sync 0; bra b; a: barrier.sync 0; b:", "different places"},
		{"mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 3; @%p1 bra a; barrier.sync 0; bra b; a: bar.sync 0; b:", "different places"},
		{"mov.u32 %r1, 5; t: .branchtargets l; brx.idx %r1, t; l:", "branch 5 of 1"},
	} {
		m, err := Parse(body(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		for _, o := range []*Options{{Limit: 5000}, {Limit: 5000, Seed: 3, Workers: 2}} {
			var f Flat
			err = m.Launch("k", [3]int{2, 1, 1}, [3]int{32, 1, 1}, 0, []uint64{f.Add(raw(out)), 0}, &f, o)
			var fault *Fault
			if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.says) || fault.Line < 10 || fault.Entry != "k" {
				t.Errorf("%s: %v, want %q", c.text, err, c.says)
			}
		}
	}
}

// TestLaunchErrors: launches that no GPU accepts are refused.
func TestLaunchErrors(t *testing.T) {
	m := parse(t, body(""))
	args := []uint64{0, 0}
	one := [3]int{1, 1, 1}
	for name, err := range map[string]error{
		"entry":     m.Launch("zzz", one, one, 0, args, nil, nil),
		"arguments": m.Launch("k", one, one, 0, nil, nil, nil),
		"grid":      m.Launch("k", [3]int{1, 65536, 1}, one, 0, args, nil, nil),
		"no grid":   m.Launch("k", [3]int{}, one, 0, args, nil, nil),
		"block":     m.Launch("k", one, [3]int{1, 1, 65}, 0, args, nil, nil),
		"threads":   m.Launch("k", one, [3]int{32, 33, 1}, 0, args, nil, nil),
		"shared":    m.Launch("k", one, one, SharedLimit-63, args, nil, nil),
		"negative":  m.Launch("k", one, one, -1, args, nil, nil),
	} {
		var f *Fault
		if !errors.As(err, &f) || f.Line != 0 || f.Why == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := m.Launch("k", one, one, SharedLimit-64, args, nil, nil); err != nil {
		t.Error(err)
	}
	if p := m.Copy(); fmt.Sprint(p.Entries()) != "[k]" {
		t.Error(p.Entries())
	}
}

// FuzzParse checks that no code panics while a text is parsed and its kernels run. The package
// recovers a panic and turns it into an error with the text "internal fault".
func FuzzParse(f *testing.F) {
	f.Add(body("add.s32 %r1, %r2, %r3;"))
	f.Add(lanesPTX)
	f.Add(halfPTX)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if (m == nil) != (err != nil) {
			t.Error(m, err)
		}
		if err != nil && strings.Contains(err.Error(), "internal fault") {
			t.Error(err)
		}
		var f Flat
		for _, e := range must(m) {
			p, _ := m.Parameters(e)
			err := m.Launch(e, [3]int{1, 1, 1}, [3]int{33, 1, 1}, 0, make([]uint64, len(p)), &f, &Options{Limit: 1000})
			if err != nil && strings.Contains(err.Error(), "internal fault") {
				t.Error(err)
			}
		}
	})
}

func must(m *Module) []string {
	if m == nil {
		return nil
	}
	return m.Entries()
}

// TestRaces: with Options.Races, conflicting accesses to shared memory are reported if no barrier
// orders them, whatever the order of warps. Other accesses are not reported.
func TestRaces(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"st.shared.u32 [room], %r1; bar.sync 0; ld.shared.u32 %r2, [room+4];", "writes"},
		{"ld.shared.u32 %r3, [room+4]; bar.sync 0; @%p1 st.shared.u32 [room+4], %r1;", ""},
		{"@%p1 st.shared.u32 [room], %r1; @!%p1 ld.shared.u32 %r2, [room];", "no barrier"},
		{"@%p1 st.shared.u32 [room], %r1; bar.sync 0; @!%p1 ld.shared.u32 %r2, [room];", ""},
		{"@%p1 st.shared.u32 [room], %r1; @!%p1 bra b; b: bar.sync 0; ld.shared.u32 %r2, [room]; bar.sync 0; st.shared.u32 [room+2048], %r2;", "beyond"},
		{"ld.shared.u32 %r2, [room]; st.shared.u32 [room+4], 7;", ""},
		{"ld.shared.u32 %r2, [room+4]; @%p1 st.shared.u32 [room+4], 7;", "no barrier"},
		{"st.shared.u32 [room+4], 7;", ""},
		{"@%p1 st.volatile.shared.u32 [room], %r1; @!%p1 ld.volatile.shared.u32 %r2, [room];", ""},
		{"atom.shared.add.u32 %r2, [room], 1; bar.sync 0; ld.shared.u32 %r2, [room];", ""},
		{"atom.shared.add.u32 %r2, [room], 1; @%p1 ld.shared.u32 %r2, [room];", "no barrier"},
		{"@%p1 st.shared.u32 [room], 0; @!%p1 atom.shared.add.u32 %r2, [room], 1;", "no barrier"},
		{"mov.u64 %rd1, room; cvta.shared.u64 %rd1, %rd1; @%p1 st.u32 [%rd1], %r1; @!%p1 ld.shared.u16 %h1, [room+2];", "no barrier"},
	} {
		m := parse(t, body("mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; "+c.text))
		for seed := range uint64(4) {
			err := m.Launch("k", [3]int{2, 1, 1}, [3]int{96, 1, 1}, 0, []uint64{0, 0}, nil, &Options{Seed: seed, Races: true})
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", c.text, err, c.says)
			}
		}
	}
}
