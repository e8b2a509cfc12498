package ir_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
)

const matchText = `graph "g" producer=0
feed "x:0" = x:0 key="x" shape=[B,2]
feed "y:0" = y:0 key="y" shape=[B,2]
fetch "sum:0" = sum:0 key="sum"
fetch "diff:0" = diff:0 key="diff"
target save
node x = Placeholder() {dtype=f32} -> f32[B,2]
node y = Placeholder() {dtype=f32} -> f32[B,2]
node two = Const() {value=f32[]{2}} -> f32[] const
node sum = AddV2(x:0, y:0) -> f32[B,2]
node half = Mul(y:0, two:0) -> f32[B,2]
node diff = Sub(x:0, half:0) -> f32[B,2]
node log = Print(diff:0) {_class="loc:@a"} -> f32[B,2]
node save = NoOp(^log)
`

// TestMatch: two graphs match if they differ only in names and order. They do not match if anything
// else differs.
func TestMatch(t *testing.T) {
	renamed := strings.NewReplacer("x:0", "p:0", "node x ", "node p ", "y:0", "q:0", "node y ", "node q ", "two", "zwei", "sum:0", "s:0", "node sum ", "node s ", "diff", "d", "half", "h", "log", "l", "save", "z", "B", "C", "@a", "@b").Replace
	swap := func(a, b string) func(string) string {
		return func(s string) string { return strings.Replace(strings.Replace(s, b, "", 1), a, b+a, 1) }
	}
	one := func(a, b string) func(string) string {
		return func(s string) string { return strings.Replace(s, a, b, 1) }
	}
	fx, fy := "feed \"x:0\" = x:0 key=\"x\" shape=[B,2]\n", "feed \"y:0\" = y:0 key=\"y\" shape=[B,2]\n"
	for _, c := range []struct {
		name           string
		text           string
		edit           func(string) string
		feeds, fetches []int // nil if the graphs do not match
	}{
		{"itself", matchText, one("", ""), []int{0, 1}, []int{0, 1}},
		{"other names", matchText, renamed, []int{0, 1}, []int{0, 1}},
		{"feeds in another order", matchText, swap(fx, fy), []int{1, 0}, []int{0, 1}},
		{"fetches in another order", matchText, swap("fetch \"sum:0\" = sum:0 key=\"sum\"\n", "fetch \"diff:0\" = diff:0 key=\"diff\"\n"), []int{0, 1}, []int{1, 0}},
		{"fetches in another order, other names", matchText, func(s string) string {
			return renamed(swap("fetch \"sum:0\" = sum:0 key=\"sum\"\n", "fetch \"diff:0\" = diff:0 key=\"diff\"\n")(s))
		}, []int{0, 1}, []int{1, 0}},
		{"another constant", matchText, one("{2}", "{3}"), nil, nil},
		{"minus zero", matchText, func(s string) string { return strings.Replace(s, "{2}", "{-0}", 1) }, nil, nil},
		{"another op", matchText, one("= AddV2", "= Mul"), nil, nil},
		{"operands in another order", matchText, one("Sub(x:0, half:0)", "Sub(half:0, x:0)"), nil, nil},
		{"another fetch", matchText, one("fetch \"sum:0\" = sum:0", "fetch \"sum:0\" = half:0"), nil, nil},
		{"a fetch less", matchText, one("fetch \"sum:0\" = sum:0 key=\"sum\"\n", ""), nil, nil},
		{"waits for another node", matchText, one("^log", "^half"), nil, nil},
		{"waits for nothing", matchText, one("^log", ""), nil, nil},
		{"another size", matchText, one("key=\"y\" shape=[B,2]", "key=\"y\" shape=[C,2]"), nil, nil},
		{"another number", matchText, one("key=\"y\" shape=[B,2]", "key=\"y\" shape=[B,3]"), nil, nil},
		{"an attribute more", matchText, one("AddV2(x:0, y:0)", "AddV2(x:0, y:0) {a=true}"), nil, nil},
		{"a loop", loopText, strings.NewReplacer("loop", "l", "body", "b", "add", "a", "next", "n1", "less", "le", "yield", "y").Replace, []int{0}, []int{0}},
		{"a branch of the other case", loopText, one("if less:0", "unless less:0"), nil, nil},
		{"a loop that begins elsewhere", loopText, one("i32[]{0}", "i32[]{1}"), nil, nil},
		{"out of the branch", loopText, one("AddV2(i:0, one:0) in \"body\"", "AddV2(i:0, one:0) in \"loop\""), nil, nil},
	} {
		a, err := ir.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ir.Parse(c.edit(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		m := ir.MatchOf(a, b, nil)
		if m == nil {
			if c.feeds != nil {
				t.Errorf("%s: the graphs do not match", c.name)
			}
			continue
		}
		if c.feeds == nil {
			t.Errorf("%s: the graphs match", c.name)
			continue
		}
		if !slices.Equal(m.Feeds, c.feeds) || !slices.Equal(m.Fetches, c.fetches) || len(m.Nodes) != len(a.Nodes) {
			t.Errorf("%s: feeds %v, fetches %v, %d nodes", c.name, m.Feeds, m.Fetches, len(m.Nodes))
		}
		if ir.MatchOf(b, a, nil) == nil {
			t.Errorf("%s: the first does not match the second", c.name)
		}
		if ir.MatchOf(a, b, func(x, _ *ir.Node) bool { return x.Op != "AddV2" }) != nil {
			t.Errorf("%s: a pair that was refused is taken", c.name)
		}
	}
}

// TestMatchPairsSizes: in graphs that differ only in the names of sizes, the sizes are paired.
func TestMatchPairsSizes(t *testing.T) {
	a, err := ir.Parse(matchText)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ir.Parse(strings.ReplaceAll(matchText, "B", "N"))
	if err != nil {
		t.Fatal(err)
	}
	if m := ir.MatchOf(a, b, nil); m == nil || len(m.Sizes) != 1 || m.Sizes["N"] != "B" {
		t.Errorf("%+v", m)
	}
}

// TestMatchOfCopies: nodes that look alike are paired so that the whole graph matches.
func TestMatchOfCopies(t *testing.T) {
	const text = `graph "g" producer=0
fetch "a:0" = a:0 key="a"
fetch "b:0" = b:0 key="b"
node r = Random() -> f32[]
node s = Random() -> f32[]
node a = Neg(r:0) -> f32[]
node b = Exp(s:0) -> f32[]
`
	g, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	h, err := ir.Parse(strings.NewReplacer("Neg(r:0)", "Neg(s:0)", "Exp(s:0)", "Exp(r:0)").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	m := ir.MatchOf(g, h, nil)
	if m == nil || m.Nodes[h.Node("s")] != g.Node("r") {
		t.Error("the graphs differ in the names of r and s alone")
	}
	if ir.MatchOf(g, h, func(x, y *ir.Node) bool { return x.Op != "Random" || x.Name == y.Name }) != nil {
		t.Error("the states of r and s are exchanged")
	}
}
