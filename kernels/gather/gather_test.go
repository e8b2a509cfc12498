package gather

import (
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestGather(t *testing.T) {
	// The shape of params is [2,1,3,2], and the shape of the indices is [2,2].
	params := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	got := make([]float32, 8)
	if err := GatherF32I64(got, params, []int64{2, 0, 1, 1}, Params{Batch: 2, Outer: 1, Limit: 3, N: 2, Inner: 2}); err != nil {
		t.Fatal(err)
	}
	if want := []float32{5, 6, 1, 2, 9, 10, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, bad := range []int32{-1, 3} {
		err := GatherF32I32(got, params, []int32{0, bad}, Params{Batch: 1, Outer: 1, Limit: 3, N: 2, Inner: 2})
		if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "indices[1]") {
			t.Errorf("index %d: %v", bad, err)
		}
	}
	// Indices are checked even if the slices are empty.
	if GatherF32I32(nil, nil, []int32{3}, Params{Batch: 1, Outer: 1, Limit: 3, N: 1, Inner: 0}) == nil {
		t.Error("a bad index of empty slices passes")
	}
}

func TestScatter(t *testing.T) {
	dst := make([]int32, 4)
	if err := ScatterNewI32I32(dst, []int32{1, 2, 4}, []int32{1, 1, 3}, []int{4}, ScatterParams{N: 3, Inner: 1}); err != nil || !slices.Equal(dst, []int32{0, 3, 0, 4}) {
		t.Error(dst, err)
	}
	err := ScatterNewI32I32(dst, []int32{1}, []int32{4}, []int{4}, ScatterParams{N: 1, Inner: 1})
	if tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := ScatterNewI32I32(dst, []int32{1, 5}, []int32{4, 0}, []int{4}, ScatterParams{N: 2, Inner: 1, Lenient: true}); err != nil || dst[0] != 5 {
		t.Error(dst, err)
	}
	s := make([]string, 2)
	if err := ScatterNewStrI64(s, []string{"a", "b"}, []int64{1, 1}, []int{2}, ScatterParams{N: 2, Inner: 1}); err != nil || s[1] != "ab" {
		t.Error(s, err)
	}
}

// TestIndices: the kernels refuse an index outside a tensor.
func TestIndices(t *testing.T) {
	params := []float32{1, 2, 3, 4, 5, 6}
	for _, at := range [][2]int64{{-1, 0}, {0, -1}, {2, 0}, {0, 3}, {1 << 40, 0}} {
		if err := GatherNdF32I64(make([]float32, 1), params, at[:], []int{2, 3}, 1, 1); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("gather_nd at %v: %v", at, err)
		}
	}
	for _, at := range []int32{-1, 2} {
		if err := StitchF32(make([]float32, 4), params[:4], []int32{0, at}, 2); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("stitch at %d: %v", at, err)
		}
		if err := PartitionCounts(make([]int64, 2), []int32{0, at}); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("partition %d: %v", at, err)
		}
	}
}

func TestRow(t *testing.T) {
	for _, c := range []struct {
		i  int32
		ok bool
	}{{0, true}, {2, true}, {3, false}, {-1, false}} {
		err := Row([]int32{c.i}, 3)
		if c.ok != (err == nil) || err != nil && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("the index %d of 3: %v", c.i, err)
		}
	}
}
