package plan

import (
	"strings"
	"testing"
)

// TestCoalesce: some copies are dropped, and others must stay.
func TestCoalesce(t *testing.T) {
	const head = `plan "c"
feed "x:0" key "" f32[B] %0
feed "p:0" key "" bool[] %1
dim B feed 0 axis 0
buf %0 "x" fed f32 len B
buf %1 "p" fed bool len 1
buf %2 "m" arena f32 len B
buf %3 "n" arena f32 len B
buf %4 "o" arena f32 len B
buf %5 "k" arena f32 len B
buf %6 "short" arena f32 len 4
buf %7 "view" arena i32 len B alias %3 off 0
buf %8 "mg" grow f32 len g
buf %9 "ng" grow f32 len g
`
	const (
		first = "call \"e\" E k.E(w %2[0:B])\n"
		loop  = "loop \"w\" L\nbreak \"w\" L if r %1[0:1]\n"
		next  = "copy \"m\" Next w %2[0:B], r %3[0:B]\n"
		end   = "end\n"
		cond  = "if \"c\" C r %1[0:1]\n"
		other = "else\n"
		fm    = "fetch \"m\" key \"\" f32[B] %2\n"
		inM   = "call \"n\" N k.N(w %3[0:B], r %2[0:B]) inplace %3=%2\n"
		ofM   = "call \"n\" N k.N(w %3[0:B], r %2[0:B])\n"
		ofX   = "call \"n\" N k.N(w %3[0:B], r %0[0:B])\n"
	)
	for _, c := range []struct {
		name, steps string
		copies      int // that stay
	}{
		{"the next value in place", first + loop + inM + next + end + fm, 0},
		{"the next value, and the present one is still read by what makes it", first + loop + ofM + next + end + fm, 1},
		{"rows of the next value in place", first + loop + "par B grain 1 most - wrap - work - join -\n" + inMRows + "end\n" + next + end + fm, 0},
		{"rows that are read before", first + loop + "par B grain 1 most - wrap - work - join -\ncall \"k\" K k.K(w %5[_lo:_n], r %2[_lo:_n])\ncall \"n\" N k.N(w %3[_lo:_n], r %5[_lo:_n])\nend\n" + next + end + fm, 0},
		{"other rows that are read before", first + loop + "par B grain 1 most - wrap - work - join -\ncall \"k\" K k.K(w %5[_lo:_n], r %2[0:B])\ncall \"n\" N k.N(w %3[_lo:_n], r %5[_lo:_n])\nend\n" + next + end + fm, 1},
		{"rows that are read after", first + loop + "par B grain 1 most - wrap - work - join -\ncall \"n\" N k.N(w %3[_lo:_n], r %0[_lo:_n])\ncall \"k\" K k.K(w %5[_lo:_n], r %2[_lo:_n])\nend\n" + next + end + fm, 1},
		{"columns that are read before", first + loop + "par B grain 1 most - wrap - work - join - strided\ncall \"k\" K k.K(w %5[_lo:_n], r %2[_lo:_n])\ncall \"n\" N k.N(w %3[_lo:_n], r %5[_lo:_n])\nend\n" + next + end + fm, 1},
		{"rows that read other rows", first + loop + "par B grain 1 most - wrap - work - join -\n" + strings.Replace(inMRows, "r %2[_lo:_n]", "r %2[0:B]", 1) + "end\n" + next + end + fm, 1},
		{"the present value is not read after the next", first + loop + "call \"o\" O k.O(w %4[0:B], r %2[0:B])\ncall \"n\" N k.N(w %3[0:B], r %4[0:B])\n" + next + end + fm, 0},
		{"the present value is read after the next", first + loop + ofX + "call \"o\" O k.O(w %4[0:B], r %2[0:B])\n" + next + end + fm, 1},
		{"the first value in place too", "call \"k\" K k.K(w %5[0:B])\ncopy \"m\" Enter w %2[0:B], r %5[0:B]\n" + loop + inM + next + end + fm, 0},
		{"the first value is read again", "call \"k\" K k.K(w %5[0:B])\ncopy \"m\" Enter w %2[0:B], r %5[0:B]\n" + loop + inM + next + end + "call \"o\" O k.O(r %5[0:B])\n" + fm, 1},
		{"the first value is a feed", "copy \"m\" Enter w %2[0:B], r %0[0:B]\n" + loop + inM + next + end + fm, 1},
		{"a next value that is the feed", first + loop + "copy \"m\" Next w %2[0:B], r %0[0:B]\n" + end + fm, 1},
		{"the next value is made before the loop may end", first + "loop \"w\" L\n" + inM + "break \"w\" L if r %1[0:1]\n" + next + end + fm, 1},
		{"the same, and nobody reads the last value", first + "loop \"w\" L\n" + inM + "break \"w\" L if r %1[0:1]\n" + next + end, 0},
		{"the next value is read after the loop", first + ofX + loop + inM + next + end + "fetch \"n\" key \"\" f32[B] %3\n", 1},
		{"the next value is read after its copy", first + loop + inM + next + "call \"o\" O k.O(w %4[0:B], r %3[0:B])\n" + end + fm, 0},
		{"the next value is changed after its copy", first + loop + inM + next + "call \"n\" N k.N(w %3[0:B])\ncall \"o\" O k.O(w %4[0:B], r %3[0:B])\n" + end + fm, 1},
		{"through a view of all of it", first + loop + inM + "copy \"m\" Next w %10[0:B], r %7[0:B]\n" + end + fm, 0},
		{"of another size", first + loop + "call \"s\" S k.S(w %6[0:4])\ncopy \"m\" Next w %2[0:4], r %6[0:4]\n" + end + fm, 1},
		{"a part", first + loop + ofX + "copy \"m\" Next w %2[0:4], r %3[0:4]\n" + end + fm, 1},
		{"in two parts", first + loop + "call \"n\" N k.N(w %3[0:4])\ncall \"n\" N k.N(w %3[4:B - 4])\n" + next + end + fm, 0},
		{"in two parts, of which one reads", first + loop + "call \"n\" N k.N(w %3[0:4])\ncall \"n\" N k.N(w %3[4:B - 4], r %2[0:4])\n" + next + end + fm, 1},
		{"two variables change places", first + "call \"k\" K k.K(w %5[0:B])\n" + loop +
			"copy \"t\" T w %4[0:B], r %2[0:B]\ncopy \"m\" Next w %2[0:B], r %5[0:B]\ncopy \"k\" Next w %5[0:B], r %4[0:B]\n" + end + fm, 3},
		{"one variable takes the other's value", first + "call \"k\" K k.K(w %5[0:B])\n" + loop +
			"copy \"m\" Next w %2[0:B], r %5[0:B]\ncall \"n\" N k.N(w %3[0:B], r %5[0:B]) inplace %3=%5\ncopy \"k\" Next w %5[0:B], r %3[0:B]\n" + end + fm, 1},
		{"two variables have one next value", first + "call \"k\" K k.K(w %5[0:B])\n" + loop + "call \"n\" N k.N(w %3[0:B], r %2[0:B], r %5[0:B])\n" + next + "copy \"k\" Next w %5[0:B], r %3[0:B]\n" + end + fm, 2},

		{"outcomes of branches", cond + ofX + next + other + "call \"o\" O k.O(w %4[0:B])\ncopy \"m\" Merge w %2[0:B], r %4[0:B]\n" + end + fm, 0},
		{"an outcome that is a feed", cond + ofX + next + other + "copy \"m\" Merge w %2[0:B], r %0[0:B]\n" + end + fm, 1},
		{"an outcome from before, read again", "call \"o\" O k.O(w %4[0:B])\n" + cond + ofX + next + other + "copy \"m\" Merge w %2[0:B], r %4[0:B]\n" + end + "call \"o\" O k.O(r %4[0:B])\n" + fm, 1},
		{"an outcome from before, not read again", "call \"o\" O k.O(w %4[0:B])\n" + cond + ofX + next + other + "copy \"m\" Merge w %2[0:B], r %4[0:B]\n" + end + fm, 0},
		{"an outcome from before, that the other branch reads", "call \"o\" O k.O(w %4[0:B])\n" + cond + ofX + next + "call \"k\" K k.K(r %4[0:B], r %2[0:B])\n" + other + "copy \"m\" Merge w %2[0:B], r %4[0:B]\n" + end + fm, 1},
		{"one value for both", "call \"o\" O k.O(w %4[0:B])\n" + cond + "copy \"m\" Merge w %2[0:B], r %4[0:B]\n" + other + "copy \"m\" Merge w %2[0:B], r %4[0:B]\n" + end + fm, 0},
		{"a variable that one branch changes", first + loop + cond + "call \"o\" O k.O(w %4[0:B], r %2[0:B]) inplace %4=%2\ncopy \"n\" Merge w %3[0:B], r %4[0:B]\n" +
			other + "copy \"n\" Merge w %3[0:B], r %2[0:B]\n" + end + next + end + fm, 0},
		{"a fetched outcome", cond + ofX + next + end + fm + "fetch \"n\" key \"\" f32[B] %3\n", 0},
		{"a fetched outcome of several", first + cond + ofX + next + end + "call \"m\" M k.M(w %2[0:B])\n" + fm + "fetch \"n\" key \"\" f32[B] %3\n", 1},

		{"nested: the inner variable is the outer's", first + loop +
			"copy \"k\" Enter w %5[0:B], r %2[0:B]\n" + loop + "call \"n\" N k.N(w %3[0:B], r %5[0:B]) inplace %3=%5\ncopy \"k\" Next w %5[0:B], r %3[0:B]\n" + end +
			"copy \"m\" Next w %2[0:B], r %5[0:B]\n" + end + fm, 0},
		{"nested: the outer is read in the inner", first + loop +
			"copy \"k\" Enter w %5[0:B], r %2[0:B]\n" + loop + "call \"n\" N k.N(w %3[0:B], r %5[0:B], r %2[0:B]) inplace %3=%5\ncopy \"k\" Next w %5[0:B], r %3[0:B]\n" + end +
			"copy \"m\" Next w %2[0:B], r %5[0:B]\n" + end + fm, 2},
		{"nested: read again in each iteration", first + "call \"o\" O k.O(w %4[0:B])\n" + loop +
			"copy \"k\" Enter w %5[0:B], r %4[0:B]\n" + loop + "call \"n\" N k.N(w %3[0:B], r %5[0:B]) inplace %3=%5\ncopy \"k\" Next w %5[0:B], r %3[0:B]\n" + end +
			"copy \"m\" Next w %2[0:B], r %5[0:B]\n" + end + fm, 1},

		{"of one size that a call finds", "call \"g\" G k.G() ret g\ncall \"e\" E k.E(w %8[0:g])\n" + loop + "call \"n\" N k.N(w %9[0:g], r %8[0:g]) inplace %9=%8\ncopy \"m\" Next w %8[0:g], r %9[0:g]\n" + end + "fetch \"m\" key \"\" f32[g] %8\n", 0},
		{"whose size changes", "let \"g\" G g = 1\nroom \"m\" M %8\ncall \"e\" E k.E(w %8[0:g])\n" + loop + "call \"n\" N k.N(w %9[0:g])\nroom \"m\" M %8\ncopy \"m\" Next w %8[0:g], r %9[0:g]\nlet \"g\" G g = g\n" + end + "fetch \"m\" key \"\" f32[g] %8\n", 1},
	} {
		text := head
		if strings.Contains(c.steps, "%10") {
			text += "buf %10 \"mview\" arena i32 len B alias %2 off 0\n"
		}
		p := parse(t, text+c.steps)
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p.coalesce()
		if err := p.Check(); err != nil {
			t.Errorf("%s: %v in\n%s", c.name, err, p)
		}
		got := 0
		for _, s := range Flat(p.Steps) {
			if _, ok := s.(*Copy); ok {
				got++
			}
		}
		if got != c.copies {
			t.Errorf("%s: %d copies stay, not %d:\n%s", c.name, got, c.copies, p)
		}
		if _, err := p.Layout(0); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		after := p.String()
		if _, err := p.Layout(0); err != nil || p.String() != after {
			t.Errorf("%s: a second layout differs from the first", c.name)
		}
	}
}

const inMRows = "call \"n\" N k.N(w %3[_lo:_n], r %2[_lo:_n]) inplace %3=%2\n"

// TestCoalesceInPlace: if several calls change a loop variable in sequence, they all use the
// variable's own storage.
func TestCoalesceInPlace(t *testing.T) {
	const head = `feed "p:0" key "" bool[] %1
buf %1 "p" fed bool len 1
buf %2 "m" arena f32 len 9
buf %3 "n" arena f32 len 9
buf %4 "o" arena f32 len 9
call "e" E k.E(w %2[0:9])
loop "w" L
break "w" L if r %1[0:1]
call "o" O k.O(w %4[0:9], r %2[0:9]) inplace %4=%2
`
	const tail = `call "n" N k.N(w %3[0:9], r %4[0:9]) inplace %3=%4
copy "m" Next w %2[0:9], r %3[0:9]
end
fetch "m" key "" f32[9] %2
`
	for _, c := range []struct {
		name, between string
		want          int // bytes of the arena
	}{
		{"in place", "", 64},
		{"read in between", "call \"r\" R k.R(r %2[0:9])\n", 128},
		{"ended in between", "break \"w\" L unless r %1[0:1]\n", 128},
	} {
		p := parse(t, head+c.between+tail)
		l, err := p.Layout(0)
		if err != nil {
			t.Fatal(err)
		}
		if l.Bytes != c.want {
			t.Errorf("%s: %d bytes, want %d:\n%s", c.name, l.Bytes, c.want, p)
		}
	}
}
