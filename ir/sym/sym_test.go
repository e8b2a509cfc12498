package sym

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestNormalForm(t *testing.T) {
	b, h := Var("B"), Var("H")
	for _, c := range []struct {
		got  *Expr
		want string
	}{
		{b.MulInt(7 * 7 * 64).Div(Int(3136)), "B"},
		{b.Mul(h).MulInt(6).Div(b.MulInt(3)), "2*H"},
		{h.AddInt(2).AddInt(-3).Div(Int(2)).AddInt(1), "div(H - 1, 2) + 1"},
		{h.MulInt(2).AddInt(3).Div(Int(2)), "H + 1"},
		{h.Div(Int(2)).Div(Int(2)), "div(H, 4)"},
		{b.Add(h).Sub(h), "B"},
		{b.Sub(b), "0"},
		{Max(b, Zero), "B"},
		{Min(b.AddInt(3), b), "B"},
		{Max(b, Int(1)), "max(1, B)"},
		{Broadcast(b, One), "B"},
		{Broadcast(b, Int(5)), "5"},
		{Broadcast(b, h), "bcast(B, H)"},
		{Broadcast(h, b), "bcast(B, H)"},
		{Broadcast(Broadcast(b, h), b), "bcast(B, H)"},
		{Broadcast(Broadcast(h, Var("W")), b), "bcast(B, bcast(H, W))"},
		{Broadcast(h, Min(Int(512), h)), "H"},
		{Broadcast(h, Min(Int(512), b)), "bcast(H, min(512, B))"},
		{b.MulInt(4).Mod(Int(2)), "0"},
		{b.Mod(Int(3)), "mod(B, 3)"},
		{Int(-7).Div(Int(2)), "-4"},
		{b.AddInt(1).Mul(b.AddInt(-1)), "B*B - 1"},
	} {
		if c.got.Key() != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
		p, err := Parse(c.got.Key())
		if err != nil || !p.Equal(c.got) {
			t.Errorf("Parse(%q) = %v, %v", c.got.Key(), p, err)
		}
	}
}

// TestSimplifyKeepsValue compares normal forms with direct arithmetic.
func TestSimplifyKeepsValue(t *testing.T) {
	b, h := Var("B"), Var("H")
	for bv := 0; bv < 9; bv++ {
		for hv := 0; hv < 9; hv++ {
			env := map[string]int{"B": bv, "H": hv}
			for _, c := range []struct {
				e    *Expr
				want int
			}{
				{b.MulInt(3).Add(h).AddInt(-5).Div(Int(3)), floorDiv(3*bv+hv-5, 3)},
				{h.AddInt(-1).Div(Int(2)).AddInt(-3).Div(Int(2)), floorDiv(floorDiv(hv-1, 2)-3, 2)},
				{Max(b.Sub(h), Zero).Add(Min(b, h)), max(bv-hv, 0) + min(bv, hv)},
				{b.Mul(h).AddInt(2).Mod(Int(4)), (bv*hv + 2) % 4},
				{h.CeilDiv(Int(4)), (hv + 3) / 4},
			} {
				if got, err := c.e.Eval(env); err != nil || got != c.want {
					t.Fatalf("%s at %v = %d, %v; want %d", c.e, env, got, err, c.want)
				}
				if got, _ := c.e.Subst(map[string]*Expr{"B": Int(bv), "H": Int(hv)}).IsInt(); got != c.want {
					t.Fatalf("%s with %v put in = %d, want %d", c.e, env, got, c.want)
				}
			}
		}
	}
}

func TestEvalErrors(t *testing.T) {
	b := Var("B")
	big := b.Mul(b).Mul(b)
	if _, err := big.Eval(map[string]int{"B": 1 << 30}); err == nil {
		t.Error("an overflow is not reported")
	}
	if _, err := Int(4).Div(b).Eval(map[string]int{"B": 0}); err == nil {
		t.Error("a division by zero is not reported")
	}
	if _, err := b.Eval(nil); err == nil {
		t.Error("a missing symbol is not reported")
	}
}

// TestParseErrors: Parse rejects invalid expressions. Eval rejects results that overflow int,
// divisions by zero and missing symbols.
func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"": "a number, a name or ( expected at 0", "1 +": "expected at 3", "(1": "missing )", "1)": `unexpected ")"`, "99999999999999999999": "is not a number", "div(1)": "div takes two operands",
		"div(,1)": "expected at 4", "div(1,)": "expected at 6", "div(1, 2": "missing )", "sqrt(4)": `unknown function "sqrt"`, "2x": `"2x" is not a number`,
		strings.Repeat("(", maxDepth+1) + "1": "nested deeper than 100", strings.Repeat("(a+b+c+d)*", 30) + "a": "product of more than 1000 terms",
	} {
		if e, err := Parse(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %v, %v; want %s", in, e, err, want)
		}
	}
	e, err := Parse("A + div(B, C)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ a, b, c int }{{math.MaxInt, 1, 1}, {math.MinInt, -1, 1}, {1, 1, 0}} {
		if n, err := e.Eval(map[string]int{"A": c.a, "B": c.b, "C": c.c}); err == nil {
			t.Errorf("%v of %v is %d", e, c, n)
		}
	}
	for _, missing := range []string{"A", "B", "C"} {
		env := map[string]int{"A": 1, "B": 2, "C": 3}
		delete(env, missing)
		if n, err := e.Eval(env); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: %d, %v", missing, n, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("div(H - 1, 2) + 1")
	f.Add("3*B*B - max(1, B)")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 200 {
			return
		}
		e, err := Parse(s)
		if err != nil {
			return
		}
		if p, err := Parse(e.Key()); err != nil || !p.Equal(e) {
			t.Errorf("%q prints as %q, which reads as %v, %v", s, e, p, err)
		}
	})
}

// TestParseRefuses: Parse rejects invalid expressions, and short expressions that would need very
// much time or memory.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{strings.Repeat("(", 200) + "a" + strings.Repeat(")", 200), "nested deeper than 100"},
		{strings.Repeat("max(1, ", 200) + "a" + strings.Repeat(")", 200), "nested deeper than 100"},
		{strings.Repeat("(a+b+c+d)*", 30) + "a", "product of more than"},
		{"(a", ""}, {"a)", "unexpected"}, {"", ""}, {"a b", "unexpected"}, {"max(1)", ""}, {"99999999999999999999", ""},
	} {
		if e, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.40q: %v, %v, want %q", c.text, e, err, c.says)
		}
	}
}

// TestWraps: sums and products of constants wrap around, as the integer ops of a graph do. Code
// that counts elements must check for overflow.
func TestWraps(t *testing.T) {
	big := Int(math.MaxInt)
	for _, c := range []struct {
		name string
		got  *Expr
		want int
	}{
		{"a sum", big.Add(Int(2)), math.MinInt + 1}, {"a difference", Int(math.MinInt).Sub(Int(1)), math.MaxInt},
		{"a product", big.Mul(Int(2)), -2}, {"the negative of the least", Int(-1).Sub(Int(math.MinInt)), math.MaxInt},
	} {
		if n, ok := c.got.IsInt(); !ok || n != c.want {
			t.Errorf("%s: %v, want %d", c.name, c.got, c.want)
		}
	}
}

// TestProduct: products of sizes saturate; they do not wrap around.
func TestProduct(t *testing.T) {
	big, a := Int(math.MaxInt), Var("a")
	for _, c := range []struct {
		sizes []*Expr
		want  string
	}{
		{nil, "1"}, {[]*Expr{a, Int(3)}, "3*a"}, {[]*Expr{big, Int(4)}, fmt.Sprint(math.MaxInt)}, {[]*Expr{big, Int(0)}, "0"},
		{[]*Expr{Int(4), a, big}, fmt.Sprintf("%d*a", math.MaxInt)}, {[]*Expr{Int(-4), a, big}, fmt.Sprintf("%d*a", math.MinInt)},
		{[]*Expr{Int(-1), Int(math.MinInt)}, fmt.Sprint(math.MaxInt)}, {[]*Expr{Int(math.MinInt), Int(-1)}, fmt.Sprint(math.MaxInt)},
		{[]*Expr{a.AddInt(1), a.Add(big)}, fmt.Sprintf("%d*a + a*a + %d", math.MaxInt, math.MaxInt)},
		{[]*Expr{a.AddInt(-1), a.Add(Int(math.MinInt))}, fmt.Sprintf("%d*a + a*a + %d", math.MinInt, math.MaxInt)},
	} {
		if got := Product(c.sizes).Key(); got != c.want {
			t.Errorf("%v: %s, want %s", c.sizes, got, c.want)
		}
	}
}

// TestLinear checks the decomposition of expressions into a factor of a symbol, and a rest.
func TestLinear(t *testing.T) {
	b, n := Var("B"), Var("n")
	for _, c := range []struct {
		e            *Expr
		factor, rest string // "" if there is none
	}{
		{n, "1", "0"},
		{b.MulInt(4), "0", "4*B"},
		{n.Mul(b).MulInt(3).Add(n).Add(b).AddInt(5), "3*B + 1", "B + 5"},
		{n.Mul(n), "", ""},
		{n.Div(Int(2)).Add(n), "", ""},
		{Max(b, One).Mul(n), "max(1, B)", "0"},
		{Max(n, One).Mul(n), "", ""},
	} {
		factor, rest, ok := c.e.Linear("n")
		if ok != (c.factor != "") || ok && (factor.Key() != c.factor || rest.Key() != c.rest) {
			t.Errorf("%s: %v, %v, %v", c.e, factor, rest, ok)
		}
	}
}
