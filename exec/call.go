package exec

import (
	"reflect"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func (r *run) copy(c *plan.Copy) error {
	if plan.Recorded(c) {
		return r.move(c)
	}
	dst, err := r.view(c.Dst)
	if err == nil {
		var src reflect.Value
		if src, err = r.view(c.Src); err == nil {
			if dst.Len() != src.Len() {
				err = tensor.Errorf(tensor.Internal, "copy of %d elements to %d", src.Len(), dst.Len())
			} else {
				reflect.Copy(dst, src)
			}
		}
	}
	return r.at(err, c.Node, c.Op)
}

// scalar runs s, a step that computes a single element.
func (r *run) scalar(s *plan.Scalar) error {
	var bits []uint64
	for _, v := range s.Src {
		src, err := r.view(v)
		if err != nil {
			return r.at(err, s.Node, s.Op)
		}
		bits = append(bits, scalar.ElementBits(src.Index(0))[0])
	}
	dst, err := r.view(s.Dst)
	if err == nil {
		var sizes []int
		if sizes, err = r.evals(s.Sizes); err == nil {
			scalar.SetElement(dst.Index(0), s.Program.Eval(bits, sizes...))
		}
	}
	return r.at(err, s.Node, s.Op)
}

func (r *run) call(c *plan.Call) (err error) {
	args := make([]reflect.Value, len(c.Args))
	for i, a := range c.Args {
		if args[i], err = r.arg(a); err != nil {
			return r.at(err, c.Node, c.Op)
		}
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *tensor.Error: // a kernel needed more memory than the run's budget allows
			err = r.at(p, c.Node, c.Op)
		case mem.Ended:
			err = p.Reason
		default:
			_, name, _ := c.Symbol()
			err = r.at(tensor.Errorf(tensor.Internal, "panic in kernel %s: %v", name, p), c.Node, c.Op)
		}
	}()
	rets, err := c.Do(r.ctx, args)
	if err != nil {
		return r.at(err, c.Node, c.Op)
	}
	if c.HasError() {
		if e, _ := rets[len(rets)-1].Interface().(error); e != nil {
			return r.at(e, c.Node, c.Op)
		}
	}
	for i, name := range c.Rets {
		r.env[name] = int(rets[i].Int())
	}
	return nil
}

func (r *run) arg(a plan.Arg) (reflect.Value, error) {
	switch a := a.(type) {
	case plan.View:
		return r.view(a)
	case plan.Int:
		n, err := r.eval(a.X)
		return reflect.ValueOf(n), err
	case plan.Ints:
		ns, err := r.evals(a.X)
		return reflect.ValueOf(ns), err
	case plan.Value:
		return reflect.ValueOf(a.V), nil
	case plan.Context:
		return reflect.ValueOf(r.ctx), nil
	case plan.Budget:
		return reflect.ValueOf(&r.budget), nil
	case plan.Files:
		return reflect.ValueOf(r.Files), nil
	case plan.Views:
		ps := make([]device.Ptr, len(a.V))
		for i, v := range a.V {
			p, err := r.pointer(v)
			if err != nil {
				return reflect.Value{}, err
			}
			ps[i] = p
		}
		return reflect.ValueOf(ps), nil
	case plan.Elements:
		k, err := kernelOf(a)
		return reflect.ValueOf(k), err
	case plan.Queue:
		return reflect.ValueOf(r.work.queue), nil
	case plan.Exchange:
		return reflect.ValueOf(r.exchange), nil
	case plan.Struct:
		v := reflect.New(a.Type()).Elem()
		v.Set(reflect.ValueOf(a.V))
		for name, es := range a.Fields {
			ns, err := r.evals(es)
			if err != nil {
				return v, err
			}
			f := v.FieldByName(name)
			if f.Kind() == reflect.Int {
				f.SetInt(int64(ns[0]))
				continue
			}
			for i, n := range ns {
				f.Index(i).SetInt(int64(n))
			}
		}
		for _, o := range a.Operands {
			x, err := r.view(o.View)
			if err != nil {
				return v, err
			}
			v.FieldByName(o.Field).Set(x)
		}
		return v, nil
	}
	return reflect.Value{}, tensor.Errorf(tensor.Internal, "argument %T", a)
}

func (r *run) eval(e *sym.Expr) (int, error) {
	n, err := e.Eval(r.env)
	if err != nil {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%v", err)
	}
	return n, nil
}

func (r *run) evals(es []*sym.Expr) ([]int, error) {
	ns := make([]int, len(es))
	for i, e := range es {
		n, err := r.eval(e)
		if err != nil {
			return nil, err
		}
		ns[i] = n
	}
	return ns, nil
}

// at adds the node and its op to err. The node's name is shortened, as in emitted programs.
func (x *Program) at(err error, node, op string) error {
	return tensor.AtNode(err, x.p.Names.Short(node), op)
}
