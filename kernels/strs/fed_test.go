package strs

import (
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestFed checks that positions and splits that are out of range are refused, since a program's
// caller may pass such inputs.
func TestFed(t *testing.T) {
	one := SubstrParams{D: [6]int{1, 1, 1, 1, 1, 1}}
	chars := one
	chars.Chars = true
	for _, c := range []struct {
		pos  int32
		p    SubstrParams
		want string // "?" is refused
	}{{1, one, "\xa4a"}, {-2, one, "\xa4a"}, {3, one, ""}, {4, one, "?"}, {-4, one, "?"}, {1, chars, "a"}, {2, chars, ""}, {3, chars, "?"}, {-3, chars, "?"}} {
		got := []string{"?"}
		err := SubstrI32(got, []string{"äa"}, []int32{c.pos}, []int32{5}, c.p)
		if got[0] != c.want || c.want == "?" && tensor.CodeOf(err) != tensor.InvalidArgument || c.want != "?" && err != nil {
			t.Errorf("from %d on, %t: %q, %v, want %q", c.pos, c.p.Chars, got[0], err, c.want)
		}
	}
	for _, splits := range [][]int64{nil, {1, 3, 3}, {0, 3, 2}, {0, 4, 3}, {0, -1, 3}, {0, 1 << 40, 3}} {
		if err := Encode64(nil, make([]string, 2), []int32{'a', 'b', 'c'}, splits, UnicodeParams{}); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("splits %v: %v", splits, err)
		}
	}
}
