package plan

import (
	"slices"
	"strings"
	"testing"
)

// steps is a signature with partial runs. As soon as b is fed, n = -b is computed. The result s =
// a-n needs both feeds. Each of the feeds a and b defines the size B.
const steps = `plan "s"
feed "a" key "a" f32[B] %0
feed "b" key "b" f32[B] %1
dim B feed 0 axis 0
partial
part "cpu" gives 0 needs 1
feed "a" key "a" f32[B] _
feed "b" key "b" f32[B] %1
dim B feed 0 axis 0
buf %1 "b" fed f32 len B shape [B]
buf %2 "n" arena f32 len B shape [B]
call "n" Neg k.Neg(w %2[0:B], r %1[0:B])
call "n/_send_0" _Send k.Send(exchange, 0, r %2[0:B])
fetch "n" key "n" f32[B] %2
endpart
part "cpu" gives 2 needs sizes B
feed "a" key "a" f32[B] _
feed "b" key "b" f32[B] _
dim B feed 0 axis 0
buf %0 "size" arena i32 len 1 shape []
call "size" Size k.Size(w %0[0:1], B)
fetch "size" key "size" i32[] %0
endpart
part "cpu" gives 1 needs 0 1
feed "a" key "a" f32[B] %0
feed "b" key "b" f32[B] _
dim B feed 0 axis 0
buf %0 "a" fed f32 len B shape [B]
buf %1 "n" arena f32 len B shape [B]
buf %2 "s" arena f32 len B shape [B]
call "n/_recv_0" _Recv k.Recv(w %1[0:B], exchange, 0)
call "s" Sub k.Sub(w %2[0:B], r %0[0:B], r %1[0:B])
fetch "s" key "s" f32[B] %2
endpart
pair 0 2 "n:0"
`

func TestPartial(t *testing.T) {
	p := parse(t, steps)
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	again := parse(t, p.String())
	if got := again.String(); got != p.String() {
		t.Errorf("printed, read and printed:\n%s\nwant\n%s", got, p)
	}
	if !again.Partial || !slices.Equal(again.Parts[2].Needs, []int{0, 1}) || !slices.Equal(again.Parts[1].Sizes, []string{"B"}) || !slices.Equal(again.Tells("B"), []int{0, 1}) {
		t.Errorf("%+v", again)
	}
	for _, c := range []struct{ from, to, want string }{
		{"gives 1 needs 0 1", "gives 1 needs 0", "does not need all that part 0 needs"},
		{"gives 0 needs 1", "gives 0 needs 2", "a part needs feed 2"},
		{"sizes B", "sizes C", "a part needs the size C"},
		{"gives 0 needs 1", "gives 0 needs 1 sizes C", "a part needs the size C"},
		{"pair 0 2", "pair 1 2", ""}, // each of the two feeds defines the size B
		{"pair 0 2", "pair 0 1", "does not need all"},
		{"pair 0 2", "pair 2 0", "does not need all"},
	} {
		err := parse(t, strings.Replace(steps, c.from, c.to, 1)).Check()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.to, err, c.want)
		}
	}
	if _, err := Parse(strings.Replace(steps, "partial\n", "", 1)); err == nil {
		t.Error("needs are read of a plan that is not run in steps")
	}
}

func TestDropIdle(t *testing.T) {
	p := parse(t, steps)
	idle := &Plan{Name: "s", Feeds: p.Feeds, Dims: p.Dims, Gives: []int{}}
	for _, q := range p.Parts {
		q.Name = "s"
	}
	p.Parts = slices.Insert(p.Parts, 1, idle)
	p.Pairs[0].To = 3
	p.DropIdle()
	if len(p.Parts) != 3 || p.Pairs[0] != (Pair{0, 2, "n:0"}) {
		t.Errorf("%d parts, %v", len(p.Parts), p.Pairs)
	}
	p = &Plan{Parts: []*Plan{idle, idle}}
	if p.DropIdle(); len(p.Parts) != 1 {
		t.Errorf("%d parts", len(p.Parts))
	}
}
