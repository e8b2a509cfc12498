package exec

import (
	"context"
	"maps"
	"reflect"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// runBatch does the same as Run, for a plan with a batch. It computes one micro-batch after the other;
// see MicroBatch. If the batch is not a multiple of the size of these, the last one begins with items
// of the one before it.
func (x *Program) runBatch(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	r := &run{Program: x, env: map[string]int{}, mem: map[*plan.Buf]reflect.Value{}}
	if err := r.feed(feeds); err != nil { // also sets the sizes in r.env
		return nil, err
	}
	n := r.env[x.p.Batch]
	if n <= x.MicroBatch {
		return x.run(ctx, nil, feeds)
	}
	out := map[string]*tensor.Tensor{}
	for b := (rt.MicroBatch{Size: x.MicroBatch, All: n}); ; b = b.Next() {
		some := maps.Clone(feeds)
		for _, f := range x.p.Feeds {
			if x.p.InBatch(f.Shape) {
				some[f.Name] = rows(feeds[f.Name], b)
			}
		}
		got, err := x.run(ctx, nil, some)
		if err != nil {
			return nil, err
		}
		for _, f := range x.p.Fetches {
			t := got[f.Name]
			if !x.p.InBatch(f.Shape) {
				out[f.Name] = t
				continue
			}
			if out[f.Name] == nil {
				shape := append(tensor.Shape{t.Shape[0] / b.Size * b.All}, t.Shape[1:]...)
				size := t.Len() / b.Size * b.All
				out[f.Name] = &tensor.Tensor{DType: t.DType, Shape: shape, Data: reflect.MakeSlice(reflect.TypeOf(t.Data), size, size).Interface()}
			}
			reflect.Copy(reflect.ValueOf(rows(out[f.Name], b).Data), reflect.ValueOf(t.Data))
		}
		if b.Last() {
			return out, nil
		}
	}
}

// rows returns the elements of a micro-batch of t.
func rows(t *tensor.Tensor, b rt.MicroBatch) *tensor.Tensor {
	shape := append(tensor.Shape{t.Shape[0] / b.All * b.Size}, t.Shape[1:]...)
	one := t.Len() / b.All
	return &tensor.Tensor{DType: t.DType, Shape: shape, Data: reflect.ValueOf(t.Data).Slice(b.From*one, (b.From+b.Size)*one).Interface()}
}
