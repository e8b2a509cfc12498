package plan

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// chain is the text of a plan with lines of many kinds. The plan computes the tensor a:0 from the
// feed x:0, and the tensor b:0 from a:0. The call that computes b:0 lists the pair of these two
// tensors as InPlace. The buffer "view" is an alias of the buffer "c:0".
const chain = `plan "serving_default"
feed "x:0" key "x" f32[B,4] %0
feed "unused:0" key "" i64[] _
feed "any:0" key "a" f32 any
ranks 2 0 -1
dim B feed 0 axis 0
batch B
const 0 "w" f32[4] note "panels of \"16\"" sha256:0011223344556677
buf %0 "x:0" fed f32 len 4*B shape [B,4]
buf %1 "a:0" arena f32 len 4*B shape [B,4]
buf %2 "b:0" arena f32 len 4*B shape [B,4]
buf %3 "c:0" arena f32 len 4*B + 64 shape [B + 16,4]
buf %4 "w" const f32 len 4 shape [4] const 0
buf %5 "n:0" grow i64 len n1
buf %6 "view" arena f32 len 4 alias %3 off 16
check "check" AddV2 k/shape.AtLeast(B, 1, #"a, \"batch\"")
call "a" Relu k/elem.Relu(w %1[0:4*B], r %0[0:4*B])
call "b" AddV2 k/elem.Add(w %2[0:4*B], r %1[0:4*B], r %4[0:4], [B,4,1], #k.Params{A:1, B:[]int{1, 2}} N=[4*B] Dims=[B,min(4, B)]) inplace %2=%1
call "s" Sum k/sum.F32(w %6[0:4], #k.Params{A:[]float32(nil), T:" with A=r %1[0:1]"} N=[B] with A=r %4[0:4] Bias=rw %1[B:3*B], 7)
copy "c" "Weird/Op" w %3[4*B:64], r %4[0:64]
call "n" Where k/where.F32(rw %3[0:4*B + 64]) ret n1 n2
call "m" Fill k/fill.I64(w %5[0:n1], max(n1, n2))
fetch "c:0" key "c" f32[B,4] %3
fetch "b:0" key "" f32[4*B] %2
`

func parse(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTextRoundTrip(t *testing.T) {
	p := parse(t, chain)
	if got := p.String(); got != chain {
		t.Errorf("printed as\n%s\nwant\n%s", got, chain)
	}
	if len(p.Steps) != 6 || len(p.Prologue) != 1 || p.Bufs[6].Root() != p.Bufs[3] || p.Steps[1].(*Call).InPlace[0][1] != p.Bufs[1] {
		t.Errorf("read as %+v", p)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"frob", "unknown verb"},
		{`buf %0 "x" arena f33 len 4`, `unknown element type "f33"`},
		{`buf %0 "x" attic f32 len 4`, `unknown place "attic"`},
		{`buf %0 "x" arena f32 len 4*`, "expected at"},
		{`buf %0 "x" arena f32 len 4 shape [1`, `expected "]"`},
		{`call "x" Op k.F(w %0[0:4]`, `expected ")"`},
		{`call "x" Op k.F(#"abc)`, "unterminated string"},
		{`call "x" Op F`, "expected path.Name("},
		{`copy "x" Op r %0[0:1] r %0[0:1]`, `expected ","`},
		{`feed "x:0`, "expected a quoted name"},
		{`plan "a" b`, `unexpected "b"`},
		{`call "x" Op k.F(r %9[0:4])`, "%9 is used but not declared"},
		{"buf %0 \"x\" arena f32 len 1\nbuf %0 \"x\" arena f32 len 1", "declared twice"},
		{`buf %0 "x" const f32 len 1 const 3`, "not declared"},
		{"buf %0 \"x\" arena f32 len 1 alias %1 off 0\nbuf %1 \"y\" arena f32 len 1 alias %0 off 0", "%0 is an alias of itself"},
		{`buf %0 "x"`, "the line ends too early"},
		{"part \"cpu\" gives\npart \"cpu\" gives", "a part within another block"},
		{"part \"cpu\" gives", "the last part has no end"},
		{"endpart", "endpart outside of a part"},
		{"part \"cpu\" gives\nif \"c\" S r %0[0:1]\nendpart", "endpart outside of a part"},
		{"part \"cpu\" gives\ncall \"x\" Op k.F(r %9[0:4])\nendpart", "%9 is used but not declared"},
		{"part \"cpu\" gives 0\nendpart", "the feeds or fetches of the part differ from those of the whole"},
		{"part \"cpu\" gives -1\nbuf %0 \"x\" grow f32 len 1\nfetch \"x\" key \"\" f32[1] %0\nendpart", "fetch -1 does not exist"},
		{"const 0 \"w\" f32[n] note \"\" sha256:0011223344556677", "a constant's shape holds n"},
		{"const 0 \"w\" f32[1] note \"\" sha256:0011223344556677\nconst 0 \"w\" f32[1] note \"\" sha256:0011223344556677", "constant 0 is declared twice"},
		{`plan "\xff`, "expected a quoted name"},
		{"tasks \"t\" T work 1\ncall \"x\" Op k.F()\nend", "a step before the first task"},
		{"task work 1", "a task outside of tasks"},
		{strings.Repeat("loop \"l\" L\n", maxDepth+1), "nested more than 1000 deep"},
		{"if \"c\" S r %0[0:1]\n", "if"},
		{"tasks \"t\" T work 1\n", "tasks"},
		{"buf %0 \"v\" kept resource len 1\nobject %0 k.New()\nobject %0 k.New()", "the object is declared twice"},
		{`call "x" Op k.F(#k.P{A:1`, "unterminated call"},
		{`call "x" Op k.F(#k.P{} with A=%1[0:4])`, "expected r, w or rw"},
		{`call "x" Op k.F(#k.P{} with A=r %1[0:4]`, `expected ")"`},
		{`call "x" Op k.F(#k.P{} with A=r %1[0:4])`, "%1 is used but not declared"},
	} {
		if _, err := Parse(c.line); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(chain)
	f.Add(flowText)
	f.Add(moved + transfers)
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 2000 {
			return
		}
		p, err := Parse(s)
		if err != nil {
			return
		}
		q, err := Parse(p.String())
		if err != nil || q.String() != p.String() {
			t.Errorf("%q prints as\n%s\nwhich reads as %v", s, p, err)
		}
	})
}

// TestInPlace: an output uses its input's storage only if this makes no difference to any step.
func TestInPlace(t *testing.T) {
	const head = `feed "x:0" key "" f32[B] %0
dim B feed 0 axis 0
buf %0 "x" fed f32 len B
buf %1 "a" arena f32 len B
buf %2 "b" arena f32 len B
buf %3 "c" arena f32 len B + 1
buf %4 "v" arena i32 len B alias %1 off 0
buf %5 "h" arena f32 len 2 alias %1 off 8
call "a" Op k.F(w %1[0:B], r %0[0:B])
`
	const b = `call "b" Op k.F(w %2[0:B], r %1[0:B]) inplace %2=%1` + "\n"
	for _, c := range []struct {
		name, steps string
		shared      bool
	}{
		{"last reader", b + `fetch "b" key "" f32[B] %2`, true},
		{"read again", b + `call "c" Op k.F(w %3[0:B], r %1[0:B])` + "\n" + `fetch "b" key "" f32[B] %2`, false},
		{"read again through a view", b + `call "c" Op k.F(w %3[0:B], r %4[0:B])` + "\n" + `fetch "b" key "" f32[B] %2`, false},
		{"fetched", b + `fetch "a" key "" f32[B] %1`, false},
		{"fetched through a view", b + `fetch "a" key "" i32[B] %4`, false},
		{"read through another view", `call "b" Op k.F(w %2[0:B], r %1[0:B], r %5[0:2]) inplace %2=%1`, false},
		{"read by an operand", `call "b" Op k.F(w %2[0:B], r %1[0:B], #k.P{} with A=r %1[0:B]) inplace %2=%1`, false},
		{"read twice", `call "b" Op k.F(w %2[0:B], r %1[0:B], r %1[0:B]) inplace %2=%1`, false},
		{"other size", `call "b" Op k.F(w %3[0:B], r %1[0:B]) inplace %3=%1`, false},
		{"a feed", `call "b" Op k.F(w %2[0:B], r %0[0:B]) inplace %2=%0`, false},
		{"written before", `call "z" Op k.F(w %2[0:B])` + "\n" + b, false},
		{"a view of all of it", `call "b" Op k.F(w %2[0:B], r %4[0:B]) inplace %2=%4`, true},
	} {
		p := parse(t, head+c.steps)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := p.Layout(0); err != nil {
			t.Fatal(err)
		}
		got := p.Bufs[2].Alias != nil || p.Bufs[3].Alias != nil
		if got != c.shared {
			t.Errorf("%s: shared is %t", c.name, got)
		}
		before := p.String()
		if _, err := p.Layout(0); err != nil || p.String() != before {
			t.Errorf("%s: a second layout differs", c.name)
		}
	}
}

func TestStaticLayout(t *testing.T) {
	p := parse(t, `feed "x:0" key "" f32[100] %0
buf %0 "x" fed f32 len 100
buf %1 "a" arena f32 len 100
buf %2 "b" arena f32 len 100
buf %3 "c" arena f32 len 100
buf %4 "unused" arena f32 len 1000
buf %5 "s" strings str len 3
call "a" Op k.F(w %1[0:100], r %0[0:100])
call "b" Op k.F(w %2[0:100], r %1[0:100])
call "s" Op k.S(w %5[0:3])
call "c" Op k.F(w %3[0:100], r %2[0:100])
fetch "c" key "" f32[100] %3
fetch "b" key "" f32[100] %2
`)
	l, err := p.Layout(0)
	if err != nil {
		t.Fatal(err)
	}
	// Buffer a is last used when buffer b is computed, so buffer c can use the storage of a. The
	// storage of b stays in use, because b is fetched.
	if !l.Static || l.Bytes != 2*448 || p.Bufs[1].Offset != p.Bufs[3].Offset || p.Bufs[1].Offset == p.Bufs[2].Offset {
		t.Errorf("%d bytes:\n%s", l.Bytes, p)
	}
	if len(l.Grown) != 1 || l.First[0] != 2 || l.Lives[1].Last != 4 {
		t.Errorf("%+v", l)
	}
	if _, err := p.Layout(500); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("a limit of 500 bytes: %v", err)
	}
}

func TestCheck(t *testing.T) {
	const head = `feed "x:0" key "" f32[B] %0
dim B feed 0 axis 0
buf %0 "x" fed f32 len B
buf %1 "a" arena f32 len B
buf %2 "s" strings str len B
`
	for _, c := range []struct{ steps, want string }{
		{`call "a" Op k.F(r %1[0:B])`, "reads a before it is written"},
		{`call "a" Op k.F(w %0[0:B])`, "writes x, which is fed"},
		{`call "a" Op k.F(w %1[0:n])`, "the size n is used before it is known"},
		{`call "a" Op k.F(n1)` + "\n" + `call "b" Op k.F() ret n1`, "the size n1 is used before it is known"},
		{`call "a" Op k.F() ret n1` + "\n" + `call "b" Op k.F() ret n1`, "n1 is bound twice"},
		{`call "a" Op k.F(w %1[0:B + 1])`, "a window of a ends at B + 1 of B"},
		{`call "a" Op k.F(w %1[1:B])`, "a window of a ends at B + 1 of B"},
		{`call "a" Op k.F(w %1[-1:1])`, "begins at -1"},
		{`call "a" Op k.F(w %1[0:-1])`, "has -1 elements"},
		{`copy "a" Op w %1[0:2], r %0[0:3]`, "copies 3 elements to 2"},
		{`copy "a" Op w %2[0:2], r %0[0:2]`, "copies f32 to str"},
		{`fetch "a" key "" f32[B] %1`, "a is never written"},
		{`fetch "x" key "" f32[B + 1] %0`, "a window of x ends at B + 1 of B"},
		{`fetch "x" key "" i32[B] %0`, "x is i32 in a buffer of f32"},
		{`buf %3 "v" arena f32 len 4 alias %1 off 4*B - 12`, "leaves the storage of a by 4 bytes"},
		{`buf %3 "v" grow f32 len 4 alias %1 off 0`, "its place is grow"},
		{`buf %3 "v" arena str len 4`, "strings are not kept in the arena"},
		{`buf %3 "v" arena resource len 4`, "are not kept in the arena"},
		{`dim B feed 0 axis 0`, "B is bound twice"},
		{`dim C feed 0 axis 1`, "does not exist"},
		{`buf %3 "v" arena f32 len n1`, "the size n1 is used before it is known"},
		{`buf %3 "v" kept i64 len B`, "is state whose size is not fixed"},
		{`buf %3 "v" kept str len 1`, "strings are not kept as state"},
		{`feed "r:0" key "" resource any`, "are not stored"},
		{"ranks 1 -1", "2 ranks are given for 1 feeds"},
		{"ranks 2", "has 1 dimensions in a plan for the rank 2"},
		{"batch T", "the batch size T is not dimension 0 of a feed"},
		{`check "c" Op k.F(r %0[0:B])`, "a check of sizes reads a buffer"},
	} {
		if err := parse(t, head+c.steps).Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.steps, err, c.want)
		}
	}
	if err := parse(t, head).Check(); err != nil {
		t.Error(err)
	}
}

func TestShapeText(t *testing.T) {
	dims := parse(t, `feed "x:0" key "" f32[3,s_B,2*s_B + 1,d_x_0,s_B + d_x_0,bcast(s_B, s_T)] _`).Feeds[0].Shape
	if got, want := ShapeText(dims), "[3,B,2*B + 1,?,?,bcast(B, T)]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
