package trace

import (
	"reflect"
	"testing"
)

func TestEvaluate(t *testing.T) {
	sizes := map[string]int{"d_x_0": 6, "n": 5, "B": 1}
	for _, c := range []struct {
		x    string
		want int
		ok   bool
	}{
		{"7", 7, true},
		{"d_x_0", 6, true},
		{"2*d_x_0*n - 3", 57, true},
		{"-1 + 3*n", 14, true},
		{"div(-7, 2)", -4, true},
		{"mod(-7, 2)", 1, true},
		{"min(n, 3) + max(n, 9)", 12, true},
		{"bcast(B, n)", 5, true},
		{"2*(n + 1)", 12, true},
		{"div(1 + d_x_0, div(n, 2))", 3, true},
		{"m", 0, false},
		{"div(1, 0)", 0, false},
		{"what(1, 2)", 0, false},
		{"2*", 0, false},
		{"(1", 0, false},
		{"1 1", 0, false},
	} {
		if got, ok := evaluate(c.x, sizes); ok != c.ok || ok && got != c.want {
			t.Errorf("%s = %d, %v, want %d, %v", c.x, got, ok, c.want, c.ok)
		}
	}
	if got := namesIn("div(2*d_x_0 + n, 3)"); !reflect.DeepEqual(got, []string{"d_x_0", "n"}) {
		t.Errorf("names %q", got)
	}
	if got := readType("f32[max(a, 2),3]"); !reflect.DeepEqual(got.shape, []string{"max(a, 2)", "3"}) {
		t.Errorf("shape %q", got.shape)
	}
}
