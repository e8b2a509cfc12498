package sym

import (
	"fmt"
	"math"
	"math/rand/v2"
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
		{h.AddInt(2).AddInt(-3).Div(Int(2)).AddInt(1), "div(H + 1, 2)"},
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
		{b.Mod(Int(3)), "B - 3*div(B, 3)"},
		{Int(-7).Div(Int(2)), "-4"},
		{b.MulInt(4).AddInt(3).Div(Int(-2)), "-2*B - 2"},
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

// TestBlocks: sizes after a tensor has been padded to a multiple of a block, divided into blocks,
// and cropped, are those before.
func TestBlocks(t *testing.T) {
	x := Var("X")
	for _, r := range []int{1, 2, 3, 7, 64} {
		for _, window := range []int{1, 2, 3} {
			y := x.AddInt(r * (window - 1))                      // padded on the left, as for a causal convolution
			more := y.MulInt(-1).Mod(Int(r))                     // padding on the right
			blocks := y.Add(more).Div(Int(r)).AddInt(1 - window) // a convolution without padding
			for _, blocks := range []*Expr{blocks, Max(Zero, blocks)} {
				if got := Max(Zero, blocks.MulInt(r).Sub(more)); !got.Equal(x) {
					t.Errorf("block %d, window %d: %s", r, window, got)
				}
			}
		}
	}
}

// TestRandom compares random expressions in normal form with direct arithmetic, and what is proved
// about them with their values.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"A", "B", Signed + "c"}
	type value = func(env map[string]int) int
	var draw func(depth int) (*Expr, value)
	draw = func(depth int) (*Expr, value) {
		if depth == 0 || r.IntN(8) == 0 {
			if r.IntN(3) == 0 {
				n := r.IntN(12) - 4
				return Int(n), func(map[string]int) int { return n }
			}
			name := names[r.IntN(len(names))]
			return Var(name), func(env map[string]int) int { return env[name] }
		}
		x, xv := draw(depth - 1)
		switch k := r.IntN(8); k {
		case 0:
			n := []int{1, 2, 3, 4, 5, -1, -2, -3}[r.IntN(8)]
			return x.Div(Int(n)), func(env map[string]int) int { return floorDiv(xv(env), n) }
		case 1:
			n := 1 + r.IntN(5)
			return x.Mod(Int(n)), func(env map[string]int) int { v := xv(env); return v - n*floorDiv(v, n) }
		case 2:
			n := r.IntN(7) - 3
			return x.MulInt(n), func(env map[string]int) int { return n * xv(env) }
		default:
			y, yv := draw(depth - 1)
			switch k {
			case 3, 4:
				return Max(x, y), func(env map[string]int) int { return max(xv(env), yv(env)) }
			case 5:
				return Min(x, y), func(env map[string]int) int { return min(xv(env), yv(env)) }
			case 6:
				return x.Sub(y), func(env map[string]int) int { return xv(env) - yv(env) }
			}
			return x.Add(y), func(env map[string]int) int { return xv(env) + yv(env) }
		}
	}
	for range 5000 {
		e, v := draw(5)
		if p, err := Parse(e.Key()); err != nil || !p.Equal(e) {
			t.Fatalf("Parse(%q) = %v, %v", e, p, err)
		}
		least := 0
		for range 40 {
			env := map[string]int{"A": r.IntN(40), "B": r.IntN(8), Signed + "c": r.IntN(30) - 15}
			got, err := e.Eval(env)
			if want := v(env); err != nil || got != want {
				t.Fatalf("%s with %v is %d, %v, want %d", e, env, got, err, want)
			}
			least = min(least, got)
		}
		if e.NonNegative() && least < 0 {
			t.Fatalf("%s may be %d", e, least)
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
