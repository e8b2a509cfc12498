package plan

import (
	"fmt"
	"strings"
	"testing"
)

// flowText has all kinds of steps, and all kinds of buffers (see Place), that branches, loops and
// state use.
const flowText = `plan "f"
feed "x:0" key "x" f32[B] %0
dim B feed 0 axis 0
const 0 "v0" f32[4] note "" sha256:0011223344556677
buf %0 "x:0" fed f32 len B shape [B]
buf %1 "c" arena bool len 1
buf %2 "y" grow f32 len n
buf %3 "v" kept resource len 1
buf %4 "v0" const f32 len 4 const 0
buf %5 "h" handles variant len 1
object %3 k/vars.New(#"v", r %4[0:4], 3) checkpoint "layer/kernel" slice "8 0,4"
call "n" Size k.N(r %3[0:1], context, files) ret k
let "n" Merge n = k, m = max(3, B)
if "c" Switch r %0[0:1]
call "a" A k.F(w %5[0:1], context, B)
else
unless "d" "Weird/Op" r %1[0:1]
copy "a" A w %5[0:1], r %3[0:1]
end
end
room "y" Merge %2
loop "w" While
break "w" LoopCond if r %1[0:1]
break "w" LoopCond unless r %1[0:1]
par n grain 1 most - wrap - work - join -
call "b" B k.F(w %2[_lo:_n])
end
let "w" Next n = n + 1
loop "v" While
end
end
fetch "y:0" key "y" f32[n] %2
`

func TestFlowText(t *testing.T) {
	p := parse(t, flowText)
	if got := p.String(); got != flowText {
		t.Errorf("printed as\n%s\nwant\n%s", got, flowText)
	}
	var walked []string
	Walk(p.Steps, func(i int, s Step) {
		walked = append(walked, fmt.Sprintf("%d%T", i, s)[:4]+strings.TrimPrefix(fmt.Sprintf("%T", s), "*plan."))
	})
	want := []string{"Call", "Let", "If", "Call", "If", "Copy", "Room", "Loop", "Break", "Break", "Par", "Let", "Loop"}
	if len(walked) != len(want) || CountSteps(p.Steps) != len(want) {
		t.Fatalf("%d steps: %v", len(walked), walked)
	}
	for i, w := range want {
		if !strings.HasPrefix(walked[i], fmt.Sprint(i)) || !strings.HasSuffix(walked[i], w) {
			t.Errorf("step %d is %s, want %s", i, walked[i], w)
		}
	}
	if n := len(Flat(p.Steps)); n != 4 {
		t.Errorf("%d calls and copies", n)
	}
	for _, c := range []struct{ text, want string }{
		{"else", "else without an if"},
		{"if \"c\" S r %0[0:1]\nelse\nelse\nend", "else without an if"},
		{"loop \"c\" S\nelse", "else without an if"},
		{"loop \"c\" S", "the last loop has no end"},
		{"end", "unexpected end"},
		{"par B grain 1 most - wrap - work - join -\nloop \"c\" S\nend\nend", "a loop within a loop over chunks"},
		{"break \"w\" L r %0[0:1]", `expected "if "`},
		{"let \"w\" L n", `expected "="`},
		{"room \"w\" L _", "expected a buffer"},
	} {
		if _, err := Parse("buf %0 \"c\" arena bool len 1\n" + c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestFlowCheck(t *testing.T) {
	const head = `feed "x:0" key "" f32[B] %0
feed "p:0" key "" bool[] %1
dim B feed 0 axis 0
const 0 "v0" f32[4] note "" sha256:0011223344556677
buf %0 "x" fed f32 len B
buf %1 "p" fed bool len 1
buf %2 "a" arena f32 len B
buf %3 "g" grow f32 len n
buf %4 "c" arena bool len 1
buf %5 "v0" const f32 len 4 const 0
`
	const gone = "break \"w\" L if r %1[0:1]\n"
	for _, c := range []struct{ steps, want string }{
		{"if \"c\" S r %1[0:1]\ncall \"a\" A k.F(w %2[0:B])\nelse\nend\ncall \"b\" B k.F(r %2[0:B])", ""},
		{"if \"c\" S r %4[0:1]\nend", "reads c before it is written"},
		{"if \"c\" S r %0[0:1]\nend", "a condition must be one bool"},
		{"if \"c\" S r %1[0:2]\nend", "a window of p ends at 2 of 1"},
		{"break \"c\" S if r %1[0:1]", "a break outside of a loop"},
		{"loop \"c\" S\ncall \"a\" A k.F(w %2[0:B])\nend", "a loop without an end"},
		{"loop \"c\" S\nloop \"d\" S\n" + gone + "end\nend", "step 0, c (S): a loop without an end"},
		{"loop \"c\" S\nif \"d\" S r %1[0:1]\n" + gone + "end\nend", ""},
		{"loop \"c\" S\n" + gone + "call \"a\" A k.F() ret n\nend", ""},
		{"let \"a\" L n = 1\nlet \"a\" L n = 2", ""},
		{"let \"a\" L n = n + 1", "n is used before it is known"},
		{"let \"a\" L n = 1, n = 2", "n is bound twice"},
		{"let \"a\" L B = 1", "B is bound twice"},
		{"call \"a\" A k.F() ret n\nlet \"a\" L n = 1", "n is bound twice"},
		{"let \"a\" L n = 1\ncall \"a\" A k.F() ret n", "n is bound twice"},
		{"if \"c\" S r %1[0:1]\nlet \"a\" L n = 1\nelse\nlet \"a\" L n = 2\nend\ncall \"a\" A k.F(w %3[0:n])", ""},
		{"room \"a\" L %3", "the size n is used before it is known"},
		{"room \"a\" L %2", "does not own storage outside the arena"},
		// The size n may not change between the allocation of buffer g and the last write to g.
		{"let \"a\" L n = 1\ncall \"a\" A k.F(w %3[0:n])\nlet \"a\" L n = 2\ncall \"a\" A k.F(w %3[0:n])", "its size n changes at step 2, and step 3 writes it"},
		{"let \"a\" L n = 1\ncall \"a\" A k.F(w %3[0:n])\nlet \"a\" L n = 2\ncall \"a\" A k.F(r %3[0:n])", ""},
		{"let \"a\" L n = 1\ncall \"a\" A k.F(w %3[0:n])\nlet \"a\" L n = 2\nroom \"a\" A %3", ""},
		{"let \"a\" L n = 1\ncall \"a\" A k.F(w %3[0:n])\nloop \"w\" L\n" + gone + "call \"a\" A k.F(w %3[0:n])\nlet \"a\" L n = n + 1\nend", "its size n changes at step 5, and step 4 writes it"},
		{"let \"a\" L n = 1\nloop \"w\" L\n" + gone + "call \"a\" A k.F(w %3[0:n])\nlet \"a\" L n = n + 1\nend", ""},
		{"if \"c\" S r %1[0:1]\nlet \"a\" L n = 1\ncall \"a\" A k.F(w %3[0:n])\nend\ncall \"a\" A k.F(r %3[0:n])", "its size n is unknown at step 0"},
		{"buf %6 \"v\" kept resource len 1", "is a handle without an object"},
		{"buf %6 \"v\" kept resource len 2\nobject %6 k.New()", "one handle, got 2 elements"},
		{"buf %6 \"v\" kept i64 len 1\nobject %6 k.New()", "an object must be one handle"},
		{"buf %6 \"v\" handles resource len 1\nobject %6 k.New()", "an object that is not kept"},
		{"buf %6 \"v\" kept resource len 1\nobject %6 k.New(r %5[0:4], #\"v\")\ncall \"a\" A k.F(r %6[0:1])", ""},
		{"buf %6 \"v\" kept resource len 1\nobject %6 k.New(r %5[0:3])", "not a view of a whole constant"},
		{"buf %6 \"v\" kept resource len 1\nobject %6 k.New(r %0[0:B])", "not a view of a whole constant"},
		{"buf %6 \"v\" kept resource len 1\nobject %6 k.New(B)", "depends on sizes"},
		{"buf %6 \"v\" kept resource len 1\nobject %6 k.New(context)", "is a plan.Context"},
		{"buf %6 \"v\" kept resource len 1\nobject %6 k.New()\ncall \"a\" A k.F(w %6[0:1])", "writes v, which is an object"},
		{"buf %6 \"v\" handles f32 len 1", "elements of type f32 are kept at the place handles"},
		{"buf %6 \"v\" strings variant len 1", "are kept at the place strings"},
		{"buf %6 \"v\" handles variant len 1\ncall \"a\" A k.F(w %6[0:1])\nfetch \"v\" key \"\" variant[] %6", "are not fetched"},
	} {
		p := parse(t, head+c.steps)
		p.Consts[0].Data = make([]float32, 4)
		err := p.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.steps, err, c.want)
		}
	}
}

// TestObjectCheck: an object's constructor must fit its arguments.
func TestObjectCheck(t *testing.T) {
	for _, c := range []struct {
		o    Object
		want string
	}{
		{Object{New: NewTestObject, Args: []Arg{Value{"v"}}}, ""},
		{Object{New: NewTestObject, Args: nil}, "has 1 parameters"},
		{Object{New: NewTestObject, Args: []Arg{Value{1}}}, "the kernel wants string"},
		{Object{New: NotTestObject, Args: nil}, "does not return a handle"},
		{Object{New: func() {}, Args: nil}, "not an exported top-level function"},
		{Object{New: nil, Args: nil}, "is not a kernel"},
	} {
		err := c.o.Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.o, err, c.want)
		}
	}
}

// TestLives checks where the lifetimes of buffers begin and end in loops and branches.
func TestLives(t *testing.T) {
	const head = `feed "x:0" key "" f32[4] %0
feed "p:0" key "" bool[] %1
buf %0 "x" fed f32 len 4
buf %1 "p" fed bool len 1
buf %2 "a" arena f32 len 4
buf %3 "g" grow f32 len 4
`
	const (
		wa, ra = "call \"a\" A k.F(w %2[0:4])\n", "call \"a\" A k.F(r %2[0:4])\n"
		wg, rg = "call \"a\" A k.F(w %3[0:4])\n", "call \"a\" A k.F(r %3[0:4])\n"
		loop   = "loop \"w\" L\n"
		stop   = "break \"w\" L if r %1[0:1]\n"
		cond   = "if \"c\" C r %1[0:1]\n"
		other  = "else\n"
		end    = "end\n"
	)
	for _, c := range []struct {
		name, steps string
		// want holds the first and the last step that uses buffer a, and the depth of the loop
		// around them. For buffer g, it also holds the step before which g gets its storage.
		want string
	}{
		{"plain", wa + ra, "0-1 in 0"},
		{"local to an iteration", loop + stop + wa + ra + end, "2-3 in 1"},
		{"carried", wa + loop + stop + ra + wa + end, "0-4 in 0"},
		{"written before, read in it", wa + loop + ra + stop + wg + end, "0-4 in 0"},
		{"written in it, read after it", loop + stop + wa + wg + end + ra, "0-4 in 0"},
		{"read before it is written", loop + stop + ra + wa + end, "0-3 in 0"},
		{"written under a condition", loop + cond + wa + end + ra + stop + end, "0-4 in 0"},
		{"written under both conditions", loop + cond + wa + other + wa + end + ra + stop + end, "2-4 in 1"},
		{"local to the inner of two loops", loop + loop + stop + wa + ra + end + stop + end, "3-4 in 2"},
		{"carried in the inner of two loops", loop + wa + loop + stop + ra + wa + end + ra + stop + end, "1-6 in 1"},
		{"written in the inner loop before it ends, read after it", loop + loop + wa + stop + end + ra + stop + end, "1-4 in 1"},
		{"written in the inner loop after it may have ended", loop + loop + stop + wa + end + ra + stop + end, "0-5 in 0"},
		{"written where one of two breaks may miss it", loop + loop + stop + wa + stop + end + ra + stop + end, "0-6 in 0"},
		{"read in the inner loop", loop + wa + loop + stop + ra + end + stop + end, "1-4 in 1"},
		{"a condition", loop + wa + "copy \"c\" C w %4[0:1], r %1[0:1]\nif \"c\" C r %4[0:1]\n" + ra + end + stop + end, "1-4 in 1"},

		{"grows at its first use", loop + stop + wg + rg + end, "2-3 in 1 grows 2"},
		{"grows before the loop that has all of it", wa + loop + stop + wg + end + rg, "1-4 in 0 grows 1"},
		{"grows before the branches", cond + wg + other + wg + end + rg, "1-3 in 0 grows 0"},
		{"grows in the branch that alone uses it", cond + wa + wg + rg + end, "2-3 in 0 grows 2"},
		{"grows in each iteration, though it lives longer", loop + cond + wg + end + rg + stop + end, "0-4 in 0 grows 1"},
		{"grows by its rooms", loop + "room \"r\" R %3\n" + wg + rg + stop + end, "2-3 in 1 grows -1"},
	} {
		text := head
		if strings.Contains(c.steps, "%4") {
			text += "buf %4 \"c\" arena bool len 1\n"
		}
		p := parse(t, text+c.steps)
		b := p.Bufs[2]
		if strings.Contains(c.want, "grows") {
			b = p.Bufs[3]
		}
		u := p.Uses()
		depth := 0
		for l := u.In[b]; l != nil; {
			depth++
			var out *Loop
			Walk(p.Steps, func(i int, s Step) {
				if s == Step(l) {
					out = u.loopOf[i]
				}
			})
			l = out
		}
		got := fmt.Sprintf("%d-%d in %d", u.Life[b].First, u.Life[b].Last, depth)
		if b.Place == Grow {
			l, err := p.Layout(0)
			if err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprintf(" grows %d", l.First[0])
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestInPlaceFlow: temporaries in a loop do not use the storage of a buffer that is needed again
// after an iteration.
func TestInPlaceFlow(t *testing.T) {
	const head = `feed "x:0" key "" f32[B] %0
feed "p:0" key "" bool[] %1
dim B feed 0 axis 0
buf %0 "x" fed f32 len B
buf %1 "p" fed bool len 1
buf %2 "a" arena f32 len B
buf %3 "b" arena f32 len B
`
	const (
		a    = "call \"a\" A k.F(w %2[0:B], r %0[0:B])\n"
		b    = "call \"b\" B k.F(w %3[0:B], r %2[0:B]) inplace %3=%2\n"
		rb   = "call \"c\" C k.F(r %3[0:B])\n"
		par  = "par B grain 1 most - wrap - work - join -\ncall \"b\" B k.F(w %3[_lo:_n], r %2[_lo:_n]) inplace %3=%2\nend\n"
		loop = "loop \"w\" L\nbreak \"w\" L if r %1[0:1]\n"
		cond = "if \"c\" C r %1[0:1]\n"
	)
	for _, c := range []struct {
		name, steps string
		shared      bool
	}{
		{"in an iteration", loop + a + b + rb + "end\n", true},
		{"rows in an iteration", loop + a + par + rb + "end\n", true},
		{"read in each iteration", a + loop + b + rb + "end\n", false},
		{"read in each iteration, last of all", a + loop + b + "end\n", false},
		{"rows, read in each iteration, last of all", a + loop + par + "end\n", false},
		{"in a branch", a + cond + b + rb + "end\n", true},
		{"in a branch, read in the other", a + cond + b + "else\ncall \"d\" D k.F(r %2[0:B])\nend\n", false},
		{"for both branches", a + cond + b + "else\ncopy \"d\" D w %3[0:B], r %0[0:B]\nend\n" + rb, true},
		{"in a loop of a branch", a + cond + loop + b + "end\nend\n", false},
		{"carried, and last of all", "call \"b\" B k.F(w %3[0:B])\n" + loop + "call \"b\" B k.F(w %2[0:B], r %3[0:B])\n" + b + "end\n" + rb, false},
	} {
		p := parse(t, head+c.steps)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		p.shareInPlace()
		if got := p.Bufs[3].Alias != nil; got != c.shared {
			t.Errorf("%s: shared is %t", c.name, got)
		}
	}
}
