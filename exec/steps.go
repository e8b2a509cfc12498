package exec

import (
	"reflect"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/par"
	"github.com/graphc/graphc/rt/tensor"
)

// list runs steps. ended reports whether a Break among them has ended the loop that contains the
// steps.
func (r *run) list(steps []*node) (ended bool, err error) {
	for _, n := range steps {
		if err := r.ctx.Err(); err != nil {
			return false, tensor.Errorf(tensor.CodeOf(err), "%v", err)
		}
		r.mark.At(n.at)
		for _, b := range n.grow {
			r.grow(b)
		}
		if n.holds != nil {
			if err := r.work.user.Hold(n.holds); err != nil {
				return false, err
			}
		}
		if ended, err = r.node(n); ended || err != nil {
			return ended, err
		}
		if n.release {
			if err := r.work.user.Release(nil); err != nil {
				return false, err
			}
		}
		for _, b := range n.drop {
			r.drop(b)
		}
	}
	return false, nil
}

// node runs a step, including its nested lists.
func (r *run) node(n *node) (ended bool, err error) {
	switch s := n.step.(type) {
	case *plan.If:
		yes, err := r.cond(s.Cond, s.Neg)
		if err != nil {
			return false, r.at(err, s.Node, s.Op)
		}
		if yes {
			return r.list(n.lists[0])
		}
		return r.list(n.lists[1])
	case *plan.Loop:
		for err == nil {
			if err := r.ctx.Err(); err != nil {
				return false, tensor.Errorf(tensor.CodeOf(err), "%v", err)
			}
			if ended, err = r.list(n.lists[0]); ended {
				return false, err
			}
		}
		return false, err
	case *plan.Tasks:
		return false, r.tasks(n, s)
	case *plan.Break:
		yes, err := r.cond(s.Cond, s.Neg)
		return yes, r.at(err, s.Node, s.Op)
	case *plan.Let:
		ns, err := r.evals(s.X)
		for i, n := range ns {
			r.env[s.Names[i]] = n
		}
		return false, r.at(err, s.Node, s.Op)
	case *plan.Room:
		return false, r.at(r.room(s.Buf.Root()), s.Node, s.Op)
	}
	if t, ok := n.step.(plan.Transfer); ok {
		return false, r.step(t.Call())
	}
	return false, r.step(n.step)
}

// cond returns the condition in v, a view of one bool. If neg is set, it returns the negation.
func (r *run) cond(v plan.View, neg bool) (bool, error) {
	m, err := r.view(v)
	if err != nil {
		return false, err
	}
	if m.Len() != 1 || m.Kind() != reflect.Slice || m.Type().Elem().Kind() != reflect.Bool {
		return false, tensor.Errorf(tensor.Internal, "a condition of %d elements of type %v", m.Len(), m.Type().Elem())
	}
	return m.Index(0).Bool() != neg, nil
}

// step runs a step that is a call, a copy, a scalar computation or a parallel loop.
func (r *run) step(s plan.Step) error {
	switch s := s.(type) {
	case *plan.Call:
		if plan.Queues(s) {
			return r.launch(s)
		}
		return r.call(s)
	case *plan.Copy:
		return r.copy(s)
	case *plan.Scalar:
		return r.scalar(s)
	case *plan.Par:
		return r.loop(s)
	}
	return tensor.Errorf(tensor.Internal, "a step of type %T", s)
}

const defaultChunks = 3

// loop runs the chunks of a parallel loop from the last to the first. A chunk that wrongly needs
// the result of an earlier chunk thus fails. Each chunk gets new private memory.
func (r *run) loop(p *plan.Par) error {
	total, err := r.eval(p.Total)
	if err != nil || total <= 0 {
		return err
	}
	size, wrap := par.Ceil(total, r.Chunks), 0
	if p.Most != nil {
		most, err := r.eval(p.Most)
		if err != nil {
			return err
		}
		size = min(size, max(most, 1))
	}
	if g := p.Grain; g > 1 {
		if size >= g {
			size = size / g * g
		} else if p.Most == nil {
			size = g
		}
	}
	if p.Wrap != nil {
		if wrap, err = r.eval(p.Wrap); err != nil {
			return err
		}
	}
	own := map[*plan.Buf]bool{}
	p.Views(func(v plan.View) {
		if b := v.Buf.Root(); b.Place == plan.Worker {
			own[b] = true
		}
	})
	for i := par.Chunks(total, size, wrap) - 1; i >= 0; i-- {
		lo, n := par.Bounds(i, total, size, wrap)
		r.env[plan.LoName], r.env[plan.CountName] = lo, n
		for _, s := range p.Body {
			if err := r.step(s); err != nil {
				return err
			}
		}
		for b := range own {
			r.drop(b)
		}
	}
	delete(r.env, plan.LoName)
	delete(r.env, plan.CountName)
	return nil
}
