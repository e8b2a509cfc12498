package plan

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// TestCheckSpoiled damages a valid plan in ways that the text of a plan cannot express.
func TestCheckSpoiled(t *testing.T) {
	const sound = `feed "x:0" key "" f32[B] %0
feed "any:0" key "" f32 any
dim B feed 0 axis 0
const 0 "w" f32[2] note "" sha256:0011223344556677
buf %0 "x" fed f32 len B
buf %1 "a" arena f32 len B
buf %2 "v" arena f32 len 1 alias %1 off 0
buf %3 "w" const f32 len 2 const 0
check "c" Op k.F(B)
call "a" Op k.F(w %1[0:B], r %0[0:B])
copy "b" Op w %1[0:2], r %3[0:2]
fetch "a" key "" f32[B] %1
`
	other := &Buf{Name: "other", DType: tensor.Float32, Len: sym.One}
	for _, c := range []struct {
		name  string
		spoil func(p *Plan)
		want  string
	}{
		{"sound", func(p *Plan) {}, ""},
		{"sizes of a check", func(p *Plan) { p.Prologue[0].Rets = []string{"n"} }, "check c (Op): a check of sizes binds [n]"},
		{"fetch of nothing", func(p *Plan) { p.Fetches[0].Buf = nil }, "a has no buffer of this plan"},
		{"fetch of another plan", func(p *Plan) { p.Fetches[0].Buf = other }, "a has no buffer of this plan"},
		{"fetch's rank", func(p *Plan) { p.Fetches[0].Rank = sym.Var("r") }, "the size r is used before it is known"},
		{"step in a loop", func(p *Plan) {
			p.Steps = append(p.Steps, &Par{Total: sym.One, Body: []Step{&Let{Names: []string{"n"}, X: []*sym.Expr{sym.One}}}})
		}, "step 2.0: unexpected step of type *plan.Let"},
		{"loop without a total", func(p *Plan) { p.Steps = append(p.Steps, &Par{Body: p.Steps[:1]}) }, "a loop without a total or a body"},
		{"loop that may fail", func(p *Plan) {
			p.Steps = append(p.Steps, &Par{Total: sym.One, Body: []Step{&Call{Node: "f", Op: "F", Fn: NewTestFailing}}})
		}, "a call that may fail in a loop"},
		{"chunk's buffer in two loops", func(p *Plan) {
			p.Bufs[1].Place, p.Bufs[2].Place = Worker, Worker
			loop := func() Step {
				return &Par{Total: sym.One, Body: []Step{&Call{Node: "f", Op: "F", Fn: Unresolved("k.F"), Args: []Arg{View{Buf: p.Bufs[1], Len: sym.One, Mode: Write}}}}}
			}
			p.Steps = []Step{loop(), loop()}
		}, "a belongs to a chunk of another loop"},
		{"size of another axis", func(p *Plan) { p.Feeds[0].Shape = []*sym.Expr{sym.Int(3)} }, "B comes from axis 0 of x:0, which is 3"},
		{"feed of any shape", func(p *Plan) { p.Feeds[1].Shape = []*sym.Expr{sym.One} }, "feed any:0: a feed of any shape has a buffer or a shape"},
		{"length", func(p *Plan) { p.Bufs[1].Len = nil; p.Steps = nil; p.Fetches = nil; p.Bufs = p.Bufs[:2] }, "buffer 1, a: no length"},
		{"type", func(p *Plan) { p.Bufs[1].DType = tensor.Invalid }, "elements of type invalid are not stored"},
		{"storage of itself", func(p *Plan) { p.Bufs[1].Alias = p.Bufs[1] }, "a: is an alias of itself"},
		{"storage in a circle", func(p *Plan) { p.Bufs[1].Alias, p.Bufs[0].Alias = p.Bufs[0], p.Bufs[1] }, "x: is an alias of itself"},
		{"storage of another plan", func(p *Plan) { p.Bufs[2].Alias = other }, "v: shares the storage of a buffer that is not in the plan"},
		{"no constant", func(p *Plan) { p.Bufs[3].Const = nil }, "w: has no constant of its type"},
		{"constant's type", func(p *Plan) { p.Consts[0].Data = []int32{1, 2} }, "w: has no constant of its type"},
		{"constant's length", func(p *Plan) { p.Consts[0].Data = []float32{1} }, "w: holds 2 elements, its constant 1"},
		{"kernel", func(p *Plan) { p.Steps[0].(*Call).Fn = NewTestFailing }, "has 0 parameters"},
		{"no kernel", func(p *Plan) { p.Steps[0].(*Call).Fn = nil }, "not a kernel"},
		{"kernel's name", func(p *Plan) { p.Steps[0].(*Call).Fn = 5 }, "is not a kernel"},
		{"copy of nothing", func(p *Plan) { p.Steps[1].(*Copy).Src.Buf = nil }, "a window without a buffer of this plan or a length"},
		{"copy to another plan", func(p *Plan) { p.Steps[1].(*Copy).Dst.Buf = other }, "a window without a buffer of this plan or a length"},
		{"window without a length", func(p *Plan) { p.Steps[1].(*Copy).Dst.Len = nil }, "a window without a buffer of this plan or a length"},
		{"condition of another plan", func(p *Plan) {
			p.Steps = append(p.Steps, &If{Node: "i", Op: "If", Cond: View{Buf: other, Len: sym.One, Mode: Read}})
		}, "a window without a buffer"},
		{"names without sizes", func(p *Plan) { p.Steps = append(p.Steps, &Let{Node: "l", Names: []string{"n"}}) }, "1 names for 0 sizes"},
		{"no names", func(p *Plan) { p.Steps = append(p.Steps, &Let{Node: "l"}) }, "0 names for 0 sizes"},
		{"name of nothing", func(p *Plan) { p.Steps = append(p.Steps, &Let{Node: "l", Names: []string{"n"}, X: []*sym.Expr{nil}}) }, "binds nothing"},
		{"room of another plan", func(p *Plan) { p.Steps = append(p.Steps, &Room{Node: "r", Buf: other}) }, "room for a buffer that is not in the plan"},
		{"size of a struct", func(p *Plan) {
			c := p.Steps[0].(*Call)
			c.Args = append(c.Args, Lit(struct{ N int }{}, "N", sym.Var("n")), Ints{[]*sym.Expr{sym.Var("m")}})
		}, "the size m is used before it is known"},
		{"operand that is no field", func(p *Plan) {
			c := p.Steps[0].(*Call)
			c.Fn, c.Args = NewTestOperand, []Arg{Lit(testOperand{}, "B", p.Steps[1].(*Copy).Src)}
		}, "has no field B of type []float32"},
		{"operand of another type", func(p *Plan) {
			c := p.Steps[0].(*Call)
			c.Fn, c.Args = NewTestOperand, []Arg{Lit(testOperand{}, "N", p.Steps[1].(*Copy).Src)}
		}, "has no field N of type []float32"},
		{"operand of another plan", func(p *Plan) {
			c := p.Steps[0].(*Call)
			c.Fn, c.Args = NewTestOperand, []Arg{Lit(testOperand{}, "A", View{Buf: other, Len: sym.One, Mode: Read})}
		}, "a window without a buffer of this plan or a length"},
		{"many", func(p *Plan) {
			for range 200 {
				p.Steps = append(p.Steps, &Room{Buf: other})
			}
		}, "and 50 more errors"},
	} {
		p := parse(t, sound)
		p.Consts[0].Data = []float32{1, 2}
		c.spoil(p)
		err := p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") >= 100) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPartsCheck checks Check on plans that are divided into parts. All steps, buffers and
// constants of such a plan must belong to its parts.
func TestPartsCheck(t *testing.T) {
	const head = "plan \"s\"\nfeed \"x\" key \"\" f32[2] %0\n"
	part := func(gives, feed, steps string) string {
		return "part \"cpu\" gives" + gives + "\nfeed \"x\" key \"\" f32[2] " + feed + "\nbuf %0 \"x\" fed f32 len 2\n" + steps + "endpart\n"
	}
	fetch := "fetch \"x\" key \"\" f32[2] %0\n"
	for _, c := range []struct{ text, want string }{
		{head + part(" 0", "%0", fetch) + part("", "_", "") + "pair 1 0 \"x:0\"\n", ""},
		{head + part(" 0", "%0", fetch) + part("", "_", "call \"a\" Op k.F(w %0[0:2])\n"), "part 1 (cpu): plan: step 0, a (Op): writes x, which is fed"},
		{head + part(" 0", "%0", fetch) + part(" 0", "%0", fetch), "part 1 gives fetch 0, which does not exist or another part gives"},
		{head + part(" 1", "%0", fetch), "no part gives fetch 0"},
		{head + part(" 0", "%0", fetch) + "pair 0 0 \"x:0\"\n", "pair 0 leads from part 0 to part 0 of 1"},
		{head + part(" 0", "%0", fetch) + "pair 0 1 \"x:0\"\n", "pair 0 leads from part 0 to part 1 of 1"},
		{head + part(" 0", "%0", fetch) + part("", "_", "send \"s\" _SendControl slot 0 control\n") + "pair 0 1 \"x:0\"\n", "part 1 sends by slot 0, which is not its own"},
		{head + part(" 0", "%0", "recv \"r\" _RecvControl slot 1 control\n"+fetch) + part("", "_", "") + "pair 1 0 \"x:0\"\n", "part 0 receives by slot 1, which is not its own"},
		{head + "dim B feed 0 axis 0\n" + part(" 0", "%0", fetch), "the feeds, sizes or fetches of part 0 differ from those of the whole"},
		{head + part(" 0", "%0", fetch) + "call \"a\" Op k.F()\n", "a plan in parts must not have own steps, buffers or constants"},
	} {
		p, err := Parse(c.text)
		if err == nil {
			err = p.Check()
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

type testOperand struct {
	A []float32
	N int
}

// NewTestOperand is a kernel with an optional operand.
func NewTestOperand(testOperand) {}
