package einsum

import (
	"slices"
	"testing"
)

func TestRearrange(t *testing.T) {
	src := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	tests := []struct {
		name string
		p    Params
		n    int
		want []float32
	}{
		{"transpose", Params{Rank: 2, Dims: [MaxRank]int{3, 3}, Src: [MaxRank]int{1, 3}, Dst: [MaxRank]int{3, 1}}, 9, []float32{1, 4, 7, 2, 5, 8, 3, 6, 9}},
		{"trace", Params{Sums: 1, SumDims: [MaxRank]int{3}, Sum: [MaxRank]int{4}}, 1, []float32{15}},
		{"row sums", Params{Rank: 1, Dims: [MaxRank]int{3}, Src: [MaxRank]int{3}, Dst: [MaxRank]int{1}, Sums: 1, SumDims: [MaxRank]int{3}, Sum: [MaxRank]int{1}}, 3, []float32{6, 15, 24}},
		{"diagonal matrix", Params{Rank: 1, Dims: [MaxRank]int{3}, Src: [MaxRank]int{1}, Dst: [MaxRank]int{4}, Clear: true, Len: 9}, 9, []float32{1, 0, 0, 0, 2, 0, 0, 0, 3}},
		{"empty sum", Params{Rank: 1, Dims: [MaxRank]int{2}, Dst: [MaxRank]int{1}, Sums: 1, SumDims: [MaxRank]int{0}, Sum: [MaxRank]int{1}}, 2, []float32{0, 0}},
		{"nothing", Params{Rank: 2, Dims: [MaxRank]int{0, 3}, Src: [MaxRank]int{3, 1}, Dst: [MaxRank]int{3, 1}}, 0, nil},
		{"three dimensions", Params{Rank: 3, Dims: [MaxRank]int{2, 2, 2}, Src: [MaxRank]int{1, 4, 2}, Dst: [MaxRank]int{4, 2, 1}}, 8, []float32{1, 3, 5, 7, 2, 4, 6, 8}},
	}
	for _, c := range tests {
		got := make([]float32, c.n)
		for i := range got {
			got[i] = -1
		}
		F32(got, src, c.p)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
