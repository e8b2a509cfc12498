package ir

import (
	"slices"
	"testing"
)

// TestNumbers: edits that use up fuel are numbered across all passes. Of equal refusals only one is
// kept, until Forget drops it.
func TestNumbers(t *testing.T) {
	g := NewGraph("g")
	var ns []*Node
	for range 5 {
		ns = append(ns, g.NewNode("n", "NoOp", nil, 0))
	}
	fuel := 3
	e := g.Edit("a", &fuel)
	e.Changed(ns[0], "one")
	e.Changed(ns[1], "two")
	e.Refuse(ns[2], "no")
	e.Refuse(ns[2], "no")
	e.Apply()
	r := g.Edit("required", nil)
	r.Remove(ns[4], "gone")
	r.Refuse(ns[2], "never")
	r.Apply()
	e = g.Edit("b", &fuel)
	if !e.Changed(ns[2], "three") || e.Changed(ns[3], "four") {
		t.Errorf("fuel is %d after three edits", fuel)
	}
	var got []int
	for _, e := range g.Journal {
		got = append(got, e.N)
	}
	if !slices.Equal(got, []int{1, 2, 0, 3}) {
		t.Errorf("numbers %v", got)
	}
	texts := func() (l []string) {
		for _, e := range g.Refusals {
			l = append(l, e.String())
		}
		return l
	}
	if got := texts(); !slices.Equal(got, []string{"a: n_2 left: no", "required: n_2 left: never"}) {
		t.Errorf("refused: %q", got)
	}
	c := g.Clone()
	g.Forget("a")
	if got := texts(); !slices.Equal(got, []string{"required: n_2 left: never"}) || len(c.Refusals) != 2 {
		t.Errorf("refused: %q, of the copy %d", got, len(c.Refusals))
	}
	g.Rename(ns[0], "m")
	if g.Renamed["n"] != "m" {
		t.Errorf("renamed: %v", g.Renamed)
	}
}
