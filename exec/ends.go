package exec

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

func (r *run) feed(feeds map[string]*tensor.Tensor) error {
	for _, f := range r.p.Feeds {
		t := feeds[f.Name]
		if t == nil && f.AnyShape {
			continue
		}
		if t == nil {
			return tensor.Errorf(tensor.InvalidArgument, "feed %q is missing: %v%s", f.Name, f.DType, plan.ShapeText(f.Shape))
		}
		if t.DType != f.DType {
			return wrongFeed(f, t)
		}
		if n, err := t.Shape.Len(); err != nil {
			return err
		} else if n != t.Len() {
			return tensor.Errorf(tensor.InvalidArgument, "feed %q: %d elements given for the shape %v", f.Name, t.Len(), t.Shape)
		}
		if f.AnyShape {
			continue
		}
		if len(t.Shape) != len(f.Shape) {
			return wrongFeed(f, t)
		}
		r.mem[f.Buf] = reflect.ValueOf(t.Data)
	}
	for _, d := range r.p.Dims {
		r.env[d.Name] = feeds[r.p.Feeds[d.Feed].Name].Shape[d.Axis]
	}
	for _, f := range r.p.Feeds {
		for i, e := range f.Shape {
			want, err := e.Eval(r.env)
			if got := feeds[f.Name].Shape[i]; err != nil || got != want {
				return wrongFeed(f, feeds[f.Name])
			}
		}
	}
	for name := range feeds {
		if !slices.ContainsFunc(r.p.Feeds, func(f plan.Feed) bool { return f.Name == name }) {
			return tensor.Errorf(tensor.InvalidArgument, "unknown feed %q", name)
		}
	}
	return nil
}

func wrongFeed(f plan.Feed, t *tensor.Tensor) error {
	want := plan.ShapeText(f.Shape)
	if f.AnyShape {
		want = " of any rank"
	}
	return tensor.Errorf(tensor.InvalidArgument, "feed %q: got %v, want %v%s", f.Name, t, f.DType, want)
}

func (r *run) fetch() (map[string]*tensor.Tensor, error) {
	out := map[string]*tensor.Tensor{}
	for _, f := range r.p.Fetches {
		op, watched := ir.Watched(f.Key)
		shape := make(tensor.Shape, len(f.Shape))
		for i, e := range f.Shape {
			d, err := e.Eval(r.env)
			if err != nil || d < 0 {
				return nil, fetchSize(f.Name, i, d, err)
			}
			shape[i] = d
		}
		n, err := shape.Len()
		if err != nil {
			return nil, err
		}
		if f.Rank != nil {
			k, err := f.Rank.Eval(r.env)
			if err != nil || k < 0 || k > len(shape) {
				return nil, tensor.Errorf(tensor.Internal, "fetch %s: the rank is %d: %v", f.Name, k, err)
			}
			shape = shape[:k]
		}
		v, err := r.view(plan.View{Buf: f.Buf, Len: sym.Int(n), Mode: plan.Read})
		if err != nil {
			return nil, fmt.Errorf("fetch %s: %w", f.Name, err)
		}
		c := reflect.MakeSlice(v.Type(), n, n)
		reflect.Copy(c, v)
		t := &tensor.Tensor{DType: f.DType, Shape: shape, Data: c.Interface()}
		if watched {
			if err := rt.TellWatch(r.ctx, f.Name, op, t); err != nil {
				return nil, err
			}
			continue
		}
		out[f.Name] = t
	}
	return out, nil
}

// fetchSize returns the error for an invalid dimension of a fetch.
func fetchSize(name string, i, d int, err error) error {
	if err != nil { // the dimension is a product or a sum that overflows
		return tensor.Errorf(tensor.ResourceExhausted, "fetch %s: dimension %d is too large: %v", name, i, err)
	}
	return tensor.Errorf(tensor.Internal, "fetch %s: dimension %d is %d", name, i, d)
}
