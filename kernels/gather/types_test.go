package gather

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../gather

// TestTypes runs every kernel at every type.
func TestTypes(t *testing.T) {
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{typed.F(xs...)}} }
	f, out := typed.F, typed.Out
	check := func(what, name string, want typed.Wants, args ...any) {
		t.Helper()
		typed.Check(t, what, typed.Except(wrappers[name], "Str"), want, args...)
	}
	batched := Params{Batch: 2, Outer: 1, Limit: 3, N: 2, Inner: 2}
	typed.Check(t, "batches", wrappers["Gather"], w(4, 5, 0, 1, 8, 9, 8, 9), out(8), typed.Seq(0, 12), f(2, 0, 1, 1), batched)
	typed.Check(t, "outer rows", wrappers["Gather"], w(2, 0, 5, 3), out(4), typed.Seq(0, 6), f(2, 0), Params{Batch: 1, Outer: 2, Limit: 3, N: 2, Inner: 1})
	typed.Check(t, "nothing", wrappers["Gather"], w(), out(0), typed.Seq(0, 6), f(), Params{Batch: 1, Outer: 1, Limit: 6, Inner: 1})
	typed.Fails(t, "outside", wrappers["Gather"], tensor.InvalidArgument, out(8), typed.Seq(0, 12), f(2, 0, 3, 1), batched)
	typed.Check(t, "elements", wrappers["GatherNd"], w(5, 1), out(2), typed.Seq(0, 6), f(1, 2, 0, 1), []int{2, 3}, 2, 1)
	typed.Check(t, "rows", wrappers["GatherNd"], w(4, 5, 0, 1), out(4), typed.Seq(0, 6), f(2, 0), []int{3}, 2, 2)
	typed.Fails(t, "outside", wrappers["GatherNd"], tensor.InvalidArgument, out(1), typed.Seq(0, 6), f(1, 3), []int{2, 3}, 1, 1)

	p := ScatterParams{N: 3, Inner: 1}
	check("twice", "ScatterNew", w(0, 3, 0, 4), out(4), f(1, 2, 4), f(1, 1, 3), []int{4}, p)
	typed.Check(t, "joined", typed.Only(wrappers["ScatterNew"], func(n string) bool { return strings.Contains(n, "Str") }), w(0, 12, 0, 4), out(4), f(1, 2, 4), f(1, 1, 3), []int{4}, p)
	src, two := f(12, 0, 10, 6), []int{2, 2}
	at := f(1, 1, 0, 0, 1, 1)
	for _, c := range []struct {
		name string
		want typed.Wants
	}{
		{"ScatterUpdate", w(3, 0, 10, 1)}, {"ScatterAdd", w(15, 0, 10, 9)}, {"ScatterSub", w(9, 0, 10, 3)}, {"ScatterMul", w(36, 0, 10, 12)},
		{"ScatterDiv", w(4, 0, 10, 3)}, {"ScatterMin", w(3, 0, 10, 1)}, {"ScatterMax", w(12, 0, 10, 6)},
	} {
		updates := f(2, 3, 1)
		typed.Check(t, "elements", wrappers[c.name], c.want, out(4), src, updates, at, two, p)
		typed.Fails(t, "outside", wrappers[c.name], tensor.InvalidArgument, out(4), src, updates, f(1, 1, 0, 2, 1, 1), two, p)
		typed.Check(t, "outside, leniently", wrappers[c.name], w(12, 0, 10, 6), out(4), src, updates, f(1, -1, 0, 2, 2, 1), two, ScatterParams{N: 3, Inner: 1, Lenient: true})
	}
	check("more", "ScatterMin", w(1, 0, 10, 6), out(4), f(4, 0, 10, 6), f(1), f(0), []int{4}, ScatterParams{N: 1, Inner: 1, Lenient: true})
	check("more", "ScatterMax", w(1, 0, 10, 100), out(4), f(1, 0, 10, 6), f(100), f(3), []int{4}, ScatterParams{N: 1, Inner: 1})
	check("one update for all", "ScatterAdd", w(13, 1, 10, 6), out(4), src, f(1), f(0), []int{2}, ScatterParams{N: 1, Inner: 2, Scalar: true})
	ints := typed.Only(wrappers["ScatterDiv"], func(n string) bool {
		n = strings.TrimPrefix(n, "ScatterDiv")
		return n[0] == 'I' || n[0] == 'U'
	})
	typed.Fails(t, "divided by zero", ints, tensor.InvalidArgument, out(4), src, f(0), f(0), []int{4}, ScatterParams{N: 1, Inner: 1})

	typed.Check(t, "rows", wrappers["Stitch"], w(3, 4, 1, 2), out(4), typed.Seq(1, 4), f(1, 0), 2)
	typed.Check(t, "empty rows", wrappers["Stitch"], w(), out(0), f(), f(7), 0)
	typed.Fails(t, "outside", wrappers["Stitch"], tensor.InvalidArgument, out(4), typed.Seq(1, 4), f(1, 2), 2)
	typed.Check(t, "rows", wrappers["Partition"], w(0, 1, 4, 5), out(4), typed.Seq(0, 6), f(1, 0, 1), 1, 2)
	typed.Check(t, "sums", wrappers["Unfill"], typed.Wants{Outs: []typed.E{f(3, 1), f(6)}}, out(2), out(1), f(2, 0), f(1, 2, 3, 4), make([]bool, 4))
	typed.Fails(t, "outside", wrappers["Unfill"], tensor.InvalidArgument, out(2), out(1), f(2, 4), f(1, 2, 3, 4), make([]bool, 4))
	typed.Check(t, "numbers", wrappers["Widen"], w(0, 100, 7), out(3), f(0, 100, 7))
}

// TestShapes checks the sizes that depend on shapes and indices.
func TestShapes(t *testing.T) {
	if n, err := StitchLen([]int32{4, 0, 2}); n != 5 || err != nil {
		t.Error(n, err)
	}
	for _, x := range []int32{-1, 1<<31 - 1} {
		if _, err := StitchLen([]int32{0, x}); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("an index of %d: %v", x, err)
		}
	}
	counts := make([]int64, 3)
	if err := PartitionCounts(counts, []int32{2, 0, 2}); err != nil || !slices.Equal(counts, []int64{1, 0, 2}) || Count(counts, 2) != 2 {
		t.Error(counts, err)
	}
	if err := PartitionCounts(counts, []int32{3}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	for k, want := range []int{2, 5, 7, 4} {
		if d, err := Dim(-2, []int{2, 3, 4}, []int{2, 5, 7}, 1, k); d != want || err != nil {
			t.Errorf("dimension %d: %d, %v", k, d, err)
		}
	}
	for _, c := range [][2]int{{3, 0}, {-4, 0}, {0, 1}} {
		if _, err := Dim(c[0], []int{2, 3, 4}, []int{2}, c[1], 0); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("axis %d of batch %d: %v", c[0], c[1], err)
		}
	}
	if o, l, i, err := Split(-2, []int{2, 3, 4, 5}, 1); o != 3 || l != 4 || i != 5 || err != nil {
		t.Error(o, l, i, err)
	}
	if _, _, _, err := Split(0, []int{2, 3}, 1); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}
