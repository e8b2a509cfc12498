package einsum

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

//go:generate go run -C ../_gen ./wrappers -dir ../einsum

func TestRearrange(t *testing.T) {
	src := typed.E{1, 2, 3, 4, 5, 6, 7, 8, 9}
	tests := []struct {
		name string
		p    Params
		n    int
		want typed.E
	}{
		{"transpose", Params{Rank: 2, Dims: [MaxRank]int{3, 3}, Src: [MaxRank]int{1, 3}, Dst: [MaxRank]int{3, 1}}, 9, typed.E{1, 4, 7, 2, 5, 8, 3, 6, 9}},
		{"trace", Params{Sums: 1, SumDims: [MaxRank]int{3}, Sum: [MaxRank]int{4}}, 1, typed.E{15}},
		{"row sums", Params{Rank: 1, Dims: [MaxRank]int{3}, Src: [MaxRank]int{3}, Dst: [MaxRank]int{1}, Sums: 1, SumDims: [MaxRank]int{3}, Sum: [MaxRank]int{1}}, 3, typed.E{6, 15, 24}},
		{"diagonal matrix", Params{Rank: 1, Dims: [MaxRank]int{3}, Src: [MaxRank]int{1}, Dst: [MaxRank]int{4}, Clear: true, Len: 9}, 9, typed.E{1, 0, 0, 0, 2, 0, 0, 0, 3}},
		{"empty sum", Params{Rank: 1, Dims: [MaxRank]int{2}, Dst: [MaxRank]int{1}, Sums: 1, SumDims: [MaxRank]int{0}, Sum: [MaxRank]int{1}}, 2, typed.E{0, 0}},
		{"nothing", Params{Rank: 2, Dims: [MaxRank]int{0, 3}, Src: [MaxRank]int{3, 1}, Dst: [MaxRank]int{3, 1}}, 0, nil},
		{"three dimensions", Params{Rank: 3, Dims: [MaxRank]int{2, 2, 2}, Src: [MaxRank]int{1, 4, 2}, Dst: [MaxRank]int{4, 2, 1}}, 8, typed.E{1, 3, 5, 7, 2, 4, 6, 8}},
	}
	for _, c := range tests {
		typed.Check(t, c.name, wrappers[""], typed.Wants{Outs: []typed.E{c.want}}, typed.Out(c.n), src, c.p)
	}
}
