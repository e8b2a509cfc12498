package plan

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
)

// haloHead declares what the cases below use: images x of 112×112×16, their expansions %2 to 96
// channels, and smaller images %3 of 56×56×96.
const haloHead = `plan "p"
feed "x:0" key "x" f32[B,112,112,16] %0
dim B feed 0 axis 0
buf %0 "x:0" fed f32 len 200704*B shape [B,112,112,16]
buf %1 "s:0" arena f32 len 200704*B shape [B,112,112,16]
buf %2 "e:0" arena f32 len 1204224*B shape [B,112,112,96]
buf %3 "d:0" arena f32 len 301056*B shape [B,56,56,96]
buf %4 "o:0" arena f32 len B shape [B]
`

func TestGather(t *testing.T) {
	const (
		pixels = "par 12544*B grain 14 most - wrap - work 1000 join 336\n"
		scale  = "call \"s\" Neg k.Neg(w %1[16*_lo:16*_n], r %0[16*_lo:16*_n])\n"
		expand = "call \"e\" Gemm k.Gemm(w %2[96*_lo:96*_n], r %1[16*_lo:16*_n], _n)\n"
		finish = "call \"e\" Gemm k.Finish(rw %2[96*_lo:96*_n], _n)\n"
		end    = "end\n"
		deep   = "par 56*B grain 1 most - wrap - work 9000 join 6 least 1\n" +
			"call \"d\" Depthwise k.Depthwise(w %3[5376*_lo:5376*_n], r %2[0:1204224*B], _lo, _n)\n"
	)
	for _, c := range []struct {
		name, steps, fetch string
		joined             bool
		left               string // the loop that remains before the joined one
	}{
		{"the expansion moves, the step before it stays", pixels + scale + expand + end + deep + end, "%3", true, pixels + scale + end},
		{"so does what changes it in place", pixels + scale + expand + finish + end + deep + end, "%3", true, pixels + scale + end},
		{"a loop that becomes empty is left out", "call \"s\" Neg k.Neg(w %1[0:200704*B], r %0[0:200704*B])\n" + pixels + expand + end + deep + end, "%3", true,
			"call \"s\" Neg k.Neg(w %1[0:200704*B], r %0[0:200704*B])\n"},
		{"a fetched expansion", pixels + scale + expand + end + deep + end, "%2", false, ""},
		{"an expansion that another step reads", pixels + scale + expand + end + deep + end + "call \"o\" Sum k.Sum(w %4[0:B], r %2[0:1204224*B])\n", "%3", false, ""},
		{"what changes the expansion's operand in between", pixels + scale + expand + end + "call \"s\" Zero k.Zero(w %1[0:200704*B])\n" + deep + end, "%3", false, ""},
		{"an expansion in other items", pixels + scale + end + "par 96 grain 1 most - wrap - work 99 join - strided\n" +
			"call \"e\" Gemm k.Gemm(w %2[_lo:1204224*B - 96 + _n], r %1[0:200704*B], _n)\n" + end + deep + end, "%3", false, ""},
	} {
		p := parse(t, haloHead+c.steps+"fetch \"f\" key \"f\" f32[1] "+c.fetch+"\n")
		n := func(v int) *sym.Expr { return sym.Int(v) }
		Walk(p.Steps, func(_ int, s Step) {
			if l, ok := s.(*Par); ok && l.Total.Equal(sym.Var("B").MulInt(56)) {
				l.Halo = &Halo{Buf: p.Bufs[2], Row: n(10752), Height: n(112), Rows: n(56), Stride: 2, Pad: n(0), Span: n(3), First: "InFirst"}
			}
		})
		p.Join()
		var w strings.Builder
		writeSteps(&w, p.Steps)
		got := w.String()
		if joined := strings.Contains(got, "wrap 56"); joined != c.joined {
			t.Errorf("%s:\n%s", c.name, got)
			continue
		}
		if _, err := p.Layout(0); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !c.joined {
			continue
		}
		if !strings.HasPrefix(got, c.left) || !strings.Contains(got, "most 4 wrap 56") {
			t.Errorf("%s:\n%s", c.name, got)
		}
		if b := p.Bufs[2]; b.Place != Worker || !b.Len.Is(9*10752) {
			t.Errorf("%s: the expansion has %v elements", c.name, b.Len)
		}
	}
}
