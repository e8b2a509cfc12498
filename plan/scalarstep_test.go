package plan

import (
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt"
)

const (
	addOne  = `"dims 1 args 0\nin 0 i32 scalar\n%0 = load i32 0\n%1 = const i32 0x1\n%2 = add i32 %0 %1\nout 0 i32 contiguous %2\n"`
	below   = `"dims 1 args 0\nin 0 i32 scalar\nin 1 i32 scalar\n%0 = load i32 0\n%1 = load i32 1\n%2 = lt bool %0 %1\nout 0 bool contiguous %2\n"`
	zeroI32 = `"dims 1 args 0\n%0 = const i32 0x0\nout 0 i32 contiguous %0\n"`
)

// countText is a plan that counts up to a fed number. The next count has a separate buffer, which
// is copied to the count's buffer.
const countText = `plan "count"
feed "n:0" key "n" i32[] %0
buf %0 "n:0" fed i32 len 1 shape []
buf %1 "i" arena i32 len 1 shape []
buf %2 "less" arena bool len 1 shape []
buf %3 "next" arena i32 len 1 shape []
scalar "i" _LoopVar ` + zeroI32 + ` w %1[0:1]
loop "while" While
scalar "less" Less ` + below + ` w %2[0:1], r %1[0:1], r %0[0:1]
break "while" While unless r %2[0:1]
scalar "next" AddV2 ` + addOne + ` w %3[0:1], r %1[0:1]
copy "i" _LoopVar w %1[0:1], r %3[0:1]
end
fetch "i" key "" i32[] %1
`

func TestScalarText(t *testing.T) {
	p := parse(t, countText)
	if got := p.String(); got != countText {
		t.Errorf("printed as\n%s\nwant\n%s", got, countText)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	s := Subst(p.Steps[0], nil)
	want := rt.Step{Node: "i", Op: "_LoopVar", Outputs: []string{"i32[]"}}
	if got := p.Describe(s, (*sym.Expr).Key); s.(*Scalar) == p.Steps[0] || !reflect.DeepEqual(got, want) {
		t.Errorf("copied as %+v", got)
	}
	if len(Flat(p.Steps)) != 4 || p.Estimate() > 1000*1000 {
		t.Errorf("%d steps, %v", len(Flat(p.Steps)), p.Estimate())
	}
}

// TestScalarInPlace: the buffers for the next count and the current count share storage, so the
// copy between them is dropped. The buffer of the condition does not share storage with them.
func TestScalarInPlace(t *testing.T) {
	p := parse(t, countText)
	if _, err := p.Layout(0); err != nil {
		t.Fatal(err)
	}
	if p.Bufs[3].Root() != p.Bufs[1].Root() || p.Bufs[2].Root() != p.Bufs[2] || strings.Contains(p.String(), "copy") {
		t.Errorf("laid out as\n%s", p)
	}
}

// TestScalarNotInPlace: if a step reads the current count after the next count is computed, the two
// counts do not share storage.
func TestScalarNotInPlace(t *testing.T) {
	p := parse(t, strings.Replace(countText, "copy", `call "see" Print k.F(r %1[0:1])`+"\ncopy", 1))
	if _, err := p.Layout(0); err != nil {
		t.Fatal(err)
	}
	if p.Bufs[3].Root() == p.Bufs[1].Root() {
		t.Errorf("laid out as\n%s", p)
	}
}

func TestScalarKeep(t *testing.T) {
	p := parse(t, countText)
	l, err := p.Layout(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Keep(map[*Buf]bool{p.Bufs[2]: true}); err != nil || !l.Static || len(l.Roots) != 1 || len(l.Lives) != 1 || l.Bytes != 64 {
		t.Errorf("%+v %v", l.Block, err)
	}
}

func TestScalarCheck(t *testing.T) {
	const head = `feed "x:0" key "" i32[] %0
buf %0 "x" fed i32 len 1
buf %1 "i" arena i32 len 1
buf %2 "f" arena f32 len 1
buf %3 "long" arena i32 len 2
buf %4 "d" device i32 len 1
`
	for _, c := range []struct{ steps, want string }{
		{`scalar "a" Op ` + addOne + ` w %1[0:1], r %1[0:1]`, "reads i before it is written"},
		{`scalar "a" Op ` + zeroI32 + ` w %0[0:1]`, "writes x, which is fed"},
		{`scalar "a" Op ` + zeroI32 + ` w %2[0:1]`, "expected one i32 with mode w, got w %2[0:1] of type f32"},
		{`scalar "a" Op ` + zeroI32 + ` w %3[0:2]`, "expected one i32"},
		{`scalar "a" Op ` + zeroI32 + ` w %3[2:1]`, "ends at 3 of 2"},
		{`scalar "a" Op ` + zeroI32 + ` rw %1[0:1]`, "mode w, got rw"},
		{`scalar "a" Op ` + zeroI32 + ` w %4[0:1]`, "d is in device memory"},
		{`scalar "a" Op ` + addOne + ` w %1[0:1]`, "does not match 0 elements and 0 sizes"},
		{`scalar "a" Op ` + strings.ReplaceAll(addOne, "add", "div") + ` w %1[0:1], r %0[0:1]`, "the program is missing or inexact"},
		{"par 1 grain 1 most - wrap - work - join -\n" + `scalar "a" Op ` + zeroI32 + " w %1[0:1]\nend", "unexpected step of type *plan.Scalar"},
	} {
		if err := parse(t, head+c.steps).Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.steps, err, c.want)
		}
	}
	if err := parse(t, head+`scalar "a" Op `+addOne+` w %3[1:1], r %0[0:1]`).Check(); err != nil {
		t.Error(err)
	}
	const size = `"dims 1 args 1\n%0 = arg i64 0\n%1 = cast i32 %0\nout 0 i32 contiguous %1\n"`
	if err := parse(t, head+`scalar "a" Op `+size+` [n] w %1[0:1]`).Check(); err == nil || !strings.Contains(err.Error(), "the size n is used before it is known") {
		t.Error(err)
	}
	p := parse(t, head+`call "n" Op k.F() ret n`+"\n"+`scalar "a" Op `+size+` [n + 1] w %1[0:1]`)
	if err := p.Check(); err != nil || !strings.Contains(p.String(), size+" [n + 1] w %1[0:1]\n") {
		t.Errorf("%v\n%s", err, p)
	}
	if s := Subst(p.Steps[1], map[string]*sym.Expr{"n": sym.Int(4)}).(*Scalar); !s.Sizes[0].Is(5) {
		t.Errorf("%v", s.Sizes)
	}
	for _, line := range []string{`scalar "a" Op "dims"`, `scalar "a" Op ` + zeroI32, `scalar "a" Op ` + zeroI32 + ` w %1[0:1],`} {
		if _, err := Parse(head + line); err == nil {
			t.Errorf("%s is read", line)
		}
	}
}
