package segment

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
	"github.com/graphc/graphc/rt/tensor"
)

func TestSorted(t *testing.T) {
	x := []float32{1, 2, 3, 4}
	ids := []int32{1, 1, 3, 3}
	got := make([]float32, 4)
	for _, c := range []struct {
		name string
		fn   func(dst, data []float32, ids []int32, n, inner int) error
		want []float32
	}{
		{"sum", SumF32I32, []float32{0, 3, 0, 7}},
		{"prod", ProdF32I32, []float32{1, 2, 1, 12}},
		{"mean", MeanF32I32, []float32{0, 1.5, 0, 3.5}},
		{"min", MinF32I32, []float32{0, 1, 0, 3}},
		{"max", MaxF32I32, []float32{0, 2, 0, 4}},
	} {
		if err := c.fn(got, x, ids, 4, 1); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
		}
		for _, bad := range [][]int32{{1, 0, 3, 3}, {-1, 0, 1, 3}, {0, 1, 2, 4}} {
			if err := c.fn(got, x, bad, 4, 1); tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s of %v: %v", c.name, bad, err)
			}
		}
	}
}

func TestUnsorted(t *testing.T) {
	got := make([]int8, 3)
	if err := UnsortedMaxI8I64(got, []int8{5, -3, 7}, []int64{2, -1, 2}, 3, 1); err != nil || !slices.Equal(got, []int8{-128, -128, 7}) {
		t.Error(got, err)
	}
	if err := UnsortedSumI8I64(got, []int8{5}, []int64{3}, 3, 1); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestSparse(t *testing.T) {
	data := []float32{1, 2, 3, 4, 5, 6}
	got := make([]float32, 4)
	p := SparseParams{Limit: 3, Inner: 2, Rows: 2, Scale: Mean}
	if err := SparseF32I32(got, data, []int32{2, 0}, []int32{1, 1}, p); err != nil || !slices.Equal(got, []float32{0, 0, 3, 4}) {
		t.Error(got, err)
	}
	if err := SparseF32I32(got, data, []int32{3, 0}, []int32{1, 1}, p); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestAllocatesNothing(t *testing.T) {
	x, y, ids := make([]float32, 12), make([]float32, 12), []int32{0, 0, 2}
	p := SparseParams{Limit: 3, Inner: 4, Rows: 3, Scale: SqrtN}
	if n := testing.AllocsPerRun(50, func() {
		MeanF32I32(y, x, ids, 3, 4)
		UnsortedMaxF32I32(y, x, ids, 3, 4)
		SparseF32I32(y, x, ids, ids, p)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestSparseLevels checks sums of rows: each set of vector instructions must give the same results
// as portable code, since all versions add in the same order.
func TestSparseLevels(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	const limit, n, rows = 50, 40, 9
	indices, short, ids, ids32 := make([]int64, n), make([]int32, n), make([]int64, n), make([]int32, n)
	for i := range n {
		indices[i], ids[i] = int64(i*31%limit), int64(i*i/200)
		short[i], ids32[i] = int32(indices[i]), int32(ids[i])
	}
	for inner := range 150 {
		data := make([]float32, limit*inner)
		for i := range data {
			data[i] = float32(i%101)*0.37 - 11
		}
		p := SparseParams{Limit: limit, Inner: inner, Rows: rows, Scale: Scale(inner % 3)}
		for _, f := range []func(dst []float32) error{
			func(dst []float32) error { return SparseF32I64(dst, data, indices, ids, p) },
			func(dst []float32) error { return SparseF32I32(dst, data, short, ids32, p) },
			func(dst []float32) error { return SumF32I64(dst, data[:n*inner], ids, rows, inner) },
			func(dst []float32) error { return UnsortedSumF32I32(dst, data[:n*inner], short, limit, inner) },
		} {
			cpu.SetLimit(cpu.Portable)
			want, got := make([]float32, limit*inner), make([]float32, limit*inner)
			if err := f(want); err != nil {
				t.Fatal(err)
			}
			for l := cpu.AVX2; l <= cpu.Available(); l++ {
				cpu.SetLimit(l)
				clear(got)
				if err := f(got); err != nil || !slices.Equal(got, want) {
					t.Fatalf("rows of %d at %v: %v, %v, want %v", inner, l, got, err, want)
				}
			}
		}
	}
}
