package resource

import (
	"reflect"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestBuckets tests export and import of a Dense table. An export with too many buckets is refused,
// and so are imported rows of a wrong shape.
func TestBuckets(t *testing.T) {
	p := TableParams{Name: "t", Kind: Dense, Key: tensor.Int64, Value: tensor.Float32, FirstBuckets: 1 << 27, MaxLoad: 0.5}
	huge := NewDense(p, nil, nil, []int64{0, -1}).V.(*Table)
	if _, _, err := huge.Rows(); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("2^27 buckets: %v", err)
	}
	p.FirstBuckets = 4
	a := NewDenseOf(p, []int{2}, nil, []int64{0, -1}, []int64{5, 0, 6, -1, 5}, []float32{1, 1, 2, 2, 3, 3, 4, 4, 5, 5}).V.(*Table)
	if a.N != 2 || a.Buckets != 4 {
		t.Errorf("%d rows, %d buckets", a.N, a.Buckets)
	}
	keys, values, err := a.Rows()
	if err != nil || !reflect.DeepEqual(keys.Data, []int64{0, 5, 6, 0}) || !reflect.DeepEqual(values.Data, []float32{0, 0, 5, 5, 3, 3, 0, 0}) {
		t.Errorf("%v %v, %v", keys, values, err)
	}
	b := NewDense(p, []int{2}, nil, []int64{0, -1}).V.(*Table)
	if err := b.Fits(keys, values); err != nil {
		t.Error(err)
	}
	b.Fill(keys, values)
	if again, _, err := b.Rows(); err != nil || !reflect.DeepEqual(again, keys) {
		t.Errorf("filled: %v, %v", again, err)
	}
	for _, c := range []struct {
		k, v tensor.Shape
	}{{tensor.Shape{4}, tensor.Shape{4, 2}}, {tensor.Shape{4, 1}, tensor.Shape{4}}, {tensor.Shape{4, 1}, tensor.Shape{3, 2}}, {tensor.Shape{2, 2}, tensor.Shape{2, 2}}} {
		x, y := tensor.Must(tensor.New(tensor.Int64, c.k, 0)), tensor.Must(tensor.New(tensor.Float32, c.v, 0))
		if err := b.Fits(x, y); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v and %v: %v", c.k, c.v, err)
		}
	}
	fresh := NewTable(p, []int{2}).V.(*Table)
	if err := fresh.Fits(keys, values); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("the reserved keys are unknown: %v", err)
	}
	if _, _, err := fresh.Rows(); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("the reserved keys are unknown: %v", err)
	}
}

// TestTableOf: a table that is created from slices of rows contains copies of the rows. After Destroy,
// the table is empty.
func TestTableOf(t *testing.T) {
	keys, values := []string{"a", "b", "a"}, []int64{1, 2, 3}
	a := NewTableOf(TableParams{Kind: Mutable, Key: tensor.String, Value: tensor.Int64}, nil, keys, values).V.(*Table)
	keys[0], values[1] = "x", 9
	k, v, err := a.Rows()
	if err != nil || !reflect.DeepEqual(k.Data, []string{"a", "b"}) || !reflect.DeepEqual(v.Data, []int64{3, 2}) || !k.Shape.Equal(tensor.Shape{2}) {
		t.Errorf("%v %v, %v", k, v, err)
	}
	a.Destroy()
	if k, _, err := a.Rows(); err != nil || k.Len() != 0 {
		t.Errorf("destroyed: %v, %v", k, err)
	}
}

// TestRowsReadsOnly: exports of a Dense table may run at the same time, since they do not change the table.
// The race detector finds writes.
func TestRowsReadsOnly(t *testing.T) {
	p := TableParams{Name: "t", Kind: Dense, Key: tensor.Int64, Value: tensor.Float32, FirstBuckets: 4, MaxLoad: 0.5}
	table := NewDense(p, nil, nil, []int64{0, -1}).V.(*Table)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			table.RLock()
			defer table.RUnlock()
			if keys, _, err := table.Rows(); err != nil || keys.Shape[0] != 4 {
				t.Errorf("%v, %v", keys, err)
			}
		})
	}
	wg.Wait()
	if table.Buckets != 0 {
		t.Errorf("an export set the number of buckets to %d", table.Buckets)
	}
}
