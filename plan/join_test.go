package plan

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
)

// joinHead declares what the cases below use: a feed x of type f32[B,8], a bias, three tensors of
// the same size as x, and a tensor of B sums.
const joinHead = `plan "p"
feed "x:0" key "x" f32[B,8] %0
dim B feed 0 axis 0
const 0 "c" f32[8] note "" sha256:00
buf %0 "x:0" fed f32 len 8*B shape [B,8]
buf %1 "bias" const f32 len 8 const 0
buf %2 "a:0" arena f32 len 8*B shape [B,8]
buf %3 "b:0" arena f32 len 8*B shape [B,8]
buf %4 "c:0" arena f32 len 8*B shape [B,8]
buf %5 "sum:0" arena f32 len B shape [B]
`

func TestJoin(t *testing.T) {
	for _, c := range []struct{ name, steps, fetch, want string }{
		{"element-wise after element-wise",
			`par 8*B grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
end
par 8*B grain 1 most - wrap - work 100 join 4096
call "b" Neg k.Neg(w %3[_lo:_n], r %2[_lo:_n]) inplace %3=%2
end
`, "%3", `par 8*B grain 1 most 4096 wrap - work 200 join 4096
call "a" Exp k.Exp(w %2[0:_n], r %0[_lo:_n])
call "b" Neg k.Neg(w %3[_lo:_n], r %2[0:_n]) inplace %3=%2
end
`},
		{"elements become rows",
			`par 8*B grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
end
par B grain 1 most - wrap - work 800 join 512
call "b" Softmax k.Softmax(w %3[8*_lo:8*_n], r %2[8*_lo:8*_n], 8)
end
`, "%3", `par B grain 1 most 512 wrap - work 1600 join 512
call "a" Exp k.Exp(w %2[0:8*_n], r %0[8*_lo:8*_n])
call "b" Softmax k.Softmax(w %3[8*_lo:8*_n], r %2[0:8*_n], 8)
end
`},
		{"a fetched tensor keeps its size",
			`par 8*B grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
end
par 8*B grain 1 most - wrap - work 100 join 4096
call "b" Neg k.Neg(w %3[_lo:_n], r %2[_lo:_n])
end
`, "%2", `par 8*B grain 1 most 4096 wrap - work 200 join 4096
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
call "b" Neg k.Neg(w %3[0:_n], r %2[_lo:_n])
end
`},
		{"what reads other places of a tensor is not joined",
			`par B grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[8*_lo:8*_n], r %0[8*_lo:8*_n])
end
par B grain 1 most - wrap - work 100 join 4096
call "b" Reverse k.Reverse(w %3[8*_lo:8*_n], r %2[0:8*B])
end
`, "%3", ""},
		{"nor what has no size to join at, nor columns",
			`par B grain 1 most - wrap - work 100 join -
call "a" Exp k.Exp(w %2[8*_lo:8*_n], r %0[8*_lo:8*_n])
end
par 8 grain 1 most - wrap - work 2000000 join 4096 strided
call "b" Neg k.Neg(w %3[_lo:8*B + _n - 8], r %2[_lo:8*B + _n - 8])
end
par 8 grain 1 most - wrap - work 2000000 join 4096
call "c" Neg k.Neg(w %4[B*_lo:B*_n], r %3[B*_lo:B*_n])
end
`, "%4", ""},
		{"a loop moves up over what it does not touch",
			`par B grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[8*_lo:8*_n], r %0[8*_lo:8*_n])
end
call "s" Sum k.Sum(w %5[0:B], r %0[0:8*B])
par B grain 1 most - wrap - work 100 join 4096
call "b" Neg k.Neg(w %3[8*_lo:8*_n], r %2[8*_lo:8*_n])
end
call "t" Max k.Max(w %5[0:B], r %5[0:B])
`, "%3", `par B grain 1 most 4096 wrap - work 200 join 4096
call "a" Exp k.Exp(w %2[0:8*_n], r %0[8*_lo:8*_n])
call "b" Neg k.Neg(w %3[8*_lo:8*_n], r %2[0:8*_n])
end
call "s" Sum k.Sum(w %5[0:B], r %0[0:8*B])
call "t" Max k.Max(w %5[0:B], r %5[0:B])
`},
		{"but not over what it needs",
			`par B grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[8*_lo:8*_n], r %0[8*_lo:8*_n])
end
call "s" Sum k.Sum(w %5[0:B], r %0[0:8*B])
par B grain 1 most - wrap - work 100 join 4096
call "b" Scale k.Scale(w %3[8*_lo:8*_n], r %2[8*_lo:8*_n], r %5[_lo:_n])
end
`, "%3", ""},
		{"wraps are kept, grains are joined",
			`par 6*B grain 2 most - wrap 6 work 100 join 300
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
end
par 6*B grain 3 most - wrap - work 100 join 4096
call "b" Neg k.Neg(w %3[_lo:_n], r %2[_lo:_n])
end
`, "%3", `par 6*B grain 6 most 300 wrap 6 work 200 join 300
call "a" Exp k.Exp(w %2[0:_n], r %0[_lo:_n])
call "b" Neg k.Neg(w %3[_lo:_n], r %2[0:_n])
end
`},
		{"few large items stay apart",
			`par 96*B grain 1 most - wrap - work 1000000 join 96
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
end
par B grain 1 most - wrap - work 100 join 4096
call "b" Sum k.Sum(w %5[_lo:_n], r %2[96*_lo:96*_n])
end
`, "%5", ""},
		{"small loops of known size are no loops",
			`par 8 grain 1 most - wrap - work 100 join 4096
call "a" Exp k.Exp(w %2[_lo:_n], r %1[_lo:_n])
end
`, "%2", `call "a" Exp k.Exp(w %2[0:8], r %1[0:8])
`},
	} {
		text := joinHead + c.steps + `fetch "f" key "f" f32[1] ` + c.fetch + "\n"
		p, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		p.Join()
		want := c.want
		if want == "" {
			want = c.steps
		}
		got := ""
		for _, line := range strings.SplitAfter(p.String(), "\n") {
			if verb, _, _ := strings.Cut(strings.TrimSpace(line), " "); verb == "par" || verb == "call" || verb == "end" {
				got += line
			}
		}
		if got != want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, want)
		}
		if _, err := p.Layout(0); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLoopText: a loop is the same after printing and parsing.
func TestLoopText(t *testing.T) {
	text := joinHead + `par B*div(B, 2) grain 14 most 64*B wrap B + 1 work 100*B join - strided
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
copy "c" Copy w %3[8*_lo:8*_n], r %2[8*_lo:8*_n]
end
fetch "f" key "f" f32[1] %3
`
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.String(); got != text {
		t.Errorf("got\n%swant\n%s", got, text)
	}
	for _, bad := range []string{"end\n", "par B grain 1 most - wrap - work - join -\n", "par B grain 1 most - wrap - work - join -\npar B grain 1 most - wrap - work - join -\nend\n"} {
		if _, err := Parse(joinHead + bad); err == nil {
			t.Errorf("%q passes", bad)
		}
	}
}

// TestLoopCheck: loops whose chunks depend on each other are rejected.
func TestLoopCheck(t *testing.T) {
	noConst := strings.NewReplacer(joinHead[strings.Index(joinHead, "const 0"):strings.Index(joinHead, "buf %0")], "",
		joinHead[strings.Index(joinHead, "buf %1"):strings.Index(joinHead, "buf %2")], "")
	for name, c := range map[string]struct{ steps, says string }{
		"good":            {"par B grain 1 most - wrap - work - join -\ncall \"a\" Exp k.Exp(w %2[8*_lo:8*_n], r %0[8*_lo:8*_n])\nend\n", ""},
		"overlapping":     {"par B grain 1 most - wrap - work - join -\ncall \"a\" Exp k.Exp(w %2[0:8*B], r %0[8*_lo:8*_n])\nend\n", "may write the same part of a:0"},
		"two cuts":        {"par B grain 1 most - wrap - work - join -\ncall \"a\" Exp k.Exp(w %2[8*_lo:8*_n], r %0[0:8])\ncall \"b\" Exp k.Exp(w %2[4*_lo:4*_n], r %0[0:8])\nend\n", "may write the same part of a:0"},
		"sizes found":     {"par B grain 1 most - wrap - work - join -\ncall \"a\" Exp k.Exp(w %2[8*_lo:8*_n], r %0[8*_lo:8*_n]) ret n1\nend\n", "finds sizes in a loop"},
		"nothing to do":   {"par B grain 1 most - wrap - work - join -\nend\n", "without a total or a body"},
		"chunk elsewhere": {"call \"a\" Exp k.Exp(w %2[8*_lo:8*_n], r %0[0:8])\n", "_lo is used before it is known"},
	} {
		p, err := Parse(noConst.Replace(joinHead) + c.steps + "fetch \"f\" key \"f\" f32[8*B] %2\n")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		err = p.Check()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestUsual(t *testing.T) {
	p, err := Parse(joinHead)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"12": 12, "8*B": 8, "B*found": 64, "min(B, 3)": 1} {
		e, err := sym.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Usual(e); got != want {
			t.Errorf("usually %s is %d, want %d", text, got, want)
		}
	}
}

// TestJoinFlow: loops are joined within each list of steps.
func TestJoinFlow(t *testing.T) {
	const (
		head = joinHead + `feed "p:0" key "p" bool[] %6
buf %6 "p:0" fed bool len 1
buf %7 "one" arena f32 len 1
`
		rows = "par 8*B grain 1 most - wrap - work 100 join 4096\n"
		a    = rows + "call \"a\" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])\nend\n"
		b    = rows + "call \"b\" Neg k.Neg(w %3[_lo:_n], r %2[_lo:_n])\nend\n"
		both = `par 8*B grain 1 most 4096 wrap - work 200 join 4096
call "a" Exp k.Exp(w %2[0:_n], r %0[_lo:_n])
call "b" Neg k.Neg(w %3[_lo:_n], r %2[0:_n])
end
`
		keeps = `par 8*B grain 1 most 4096 wrap - work 200 join 4096
call "a" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])
call "b" Neg k.Neg(w %3[_lo:_n], r %2[_lo:_n])
end
`
		cond  = "if \"c\" If r %6[0:1]\n"
		loop  = "loop \"w\" While\n"
		stop  = "break \"w\" LoopCond if r %6[0:1]\n"
		other = "else\n"
		end   = "end\n"
		tiny  = "par 1 grain 1 most - wrap - work 100 join 4096\ncall \"t\" Exp k.Exp(w %7[_lo:_n], r %0[_lo:_n])\nend\n"
	)
	for _, k := range []struct{ name, steps, want string }{
		{"in a loop and in branches", loop + stop + a + b + cond + a + b + other + a + b + end + end, loop + stop + keeps + cond + keeps + other + keeps + end + end},
		{"a tensor of one iteration shrinks", loop + stop + a + b + end, loop + stop + both + end},
		{"one that another list reads does not", loop + stop + a + b + cond + "call \"r\" R k.R(r %2[0:8])\n" + end + end, loop + stop + keeps + cond + "call \"r\" R k.R(r %2[0:8])\n" + end + end},
		{"one that the next iteration reads does not", "call \"z\" Z k.Z(w %2[0:8*B])\n" + loop + stop + b + rows + "call \"a\" Exp k.Exp(w %2[_lo:_n], r %3[_lo:_n])\nend\n" + end,
			"call \"z\" Z k.Z(w %2[0:8*B])\n" + loop + stop + "par 8*B grain 1 most 4096 wrap - work 200 join 4096\ncall \"b\" Neg k.Neg(w %3[_lo:_n], r %2[_lo:_n])\ncall \"a\" Exp k.Exp(w %2[_lo:_n], r %3[_lo:_n])\nend\n" + end},
		{"not into a list", a + cond + b + end, ""},
		{"not out of one", cond + a + end + b, ""},
		{"not over what may end the loop", loop + a + stop + b + end, ""},
		{"not over what may end the loop under a condition", loop + a + cond + stop + end + b + end, ""},
		{"over a conditional and a loop that have nothing to do with it", a + cond + loop + stop + end + end + b, both + cond + loop + stop + end + end},
		{"not over a loop that writes it", a + loop + stop + "call \"c\" C k.C(w %3[0:8*B])\n" + end + b, ""},
		{"not over what binds its sizes", "let \"l\" L n = 1\npar n grain 1 most - wrap - work 100 join 4096\ncall \"a\" Exp k.Exp(w %2[_lo:_n], r %0[_lo:_n])\nend\nlet \"l\" L n = 2\npar n grain 1 most - wrap - work 100 join 4096\ncall \"b\" Exp k.Exp(w %3[_lo:_n], r %2[_lo:_n])\nend\n", ""},
		{"small loops in an iteration are no loops", loop + stop + tiny + cond + tiny + end + end,
			loop + stop + "call \"t\" Exp k.Exp(w %7[0:1], r %0[0:1])\n" + cond + "call \"t\" Exp k.Exp(w %7[0:1], r %0[0:1])\n" + end + end},
	} {
		p := parse(t, head+k.steps+"fetch \"f\" key \"f\" f32[1] %3\n")
		p.Join()
		want := k.want
		if want == "" {
			want = k.steps
		}
		var w strings.Builder
		writeSteps(&w, p.Steps)
		if got := w.String(); got != want {
			t.Errorf("%s:\n%swant\n%s", k.name, got, want)
		}
		if _, err := p.Layout(0); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}
