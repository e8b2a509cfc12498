package graphc

import (
	"context"
	"reflect"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// Signatures returns the instance's signatures; see Program.Signatures.
func (i *Instance) Signatures() []*rt.Signature { return i.program.Signatures() }

// bind checks the inputs of a signature and prepares a run.
func (i *Instance) bind(signature string, inputs map[string]*tensor.Tensor) (*rt.Bound, error) {
	s := i.signature(signature)
	if s == nil {
		return nil, rt.UnknownSignature(view{i}, signature)
	}
	if err := s.CheckFeeds(inputs); err != nil {
		return nil, err
	}
	feeds := make(map[string]*tensor.Tensor, len(inputs))
	ranks := make([]int, len(s.Feeds))
	for k := range s.Feeds {
		f, t := &s.Feeds[k], s.Fed(inputs, k)
		if t == nil {
			continue
		}
		if err := checkData(s, k, t); err != nil {
			return nil, err
		}
		if !f.AnyRank && !f.Unused {
			if err := s.CheckShape(k, t.Shape, t.Len()); err != nil {
				return nil, err
			}
		}
		feeds[f.Name], ranks[k] = t, t.Rank()
	}
	if s.Ranks != nil {
		if _, err := s.Variant(ranks...); err != nil {
			return nil, err
		}
	}
	var got map[string]*tensor.Tensor
	run := func(ctx context.Context) error {
		return i.do(ctx, func(ctx context.Context) (err error) {
			got, err = i.runs[signature].Run(ctx, feeds)
			return err
		})
	}
	return &rt.Bound{Signature: s, Run: run, Fetches: func() map[string]*tensor.Tensor { return got }}, nil
}

// checkData returns an error unless the tensor t has the type of feed k and its data is a slice of
// that type.
func checkData(s *rt.Signature, k int, t *tensor.Tensor) error {
	f := &s.Feeds[k]
	if elem := f.DType.GoType(); t.DType != f.DType || elem == nil || reflect.TypeOf(t.Data) != reflect.SliceOf(elem) {
		return tensor.Errorf(tensor.InvalidArgument, "%s: got %v with data of type %T, want %v", s.Input(k), t, t.Data, f)
	}
	return nil
}

func (i *Instance) signature(name string) *rt.Signature {
	for _, s := range i.program.sigs {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Variables returns the sorted names under which Save writes values: the names of variables, and
// those of the keys and values of tables.
func (i *Instance) Variables() []string { return i.saved.Keys() }

// Save writes a checkpoint that TensorFlow can load: prefix.index and prefix.data-00000-of-00001.
// The error is FailedPrecondition if the instance has nothing to save, or a variable has no value.
// Runs may be in progress; see rt.Saver.
func (i *Instance) Save(ctx context.Context, prefix string) error {
	return i.checkpoint(ctx, prefix, i.saved.Save)
}

// Restore sets all variables and tables to the values of the checkpoint with the given prefix. The
// error is InvalidArgument for unsuitable types and shapes, or NotFound with the names that the
// checkpoint lacks. If there is an error, nothing changes. See rt.Saver.
func (i *Instance) Restore(ctx context.Context, prefix string) error {
	return i.checkpoint(ctx, prefix, i.saved.Restore)
}

// checkpoint calls f, which saves or restores a checkpoint. f cannot be interrupted, so ctx is
// checked only at the start.
func (i *Instance) checkpoint(ctx context.Context, prefix string, f func(prefix string) error) error {
	if len(i.Variables()) == 0 {
		return tensor.Errorf(tensor.FailedPrecondition, "the model has no variables to save or restore")
	}
	return i.do(ctx, func(ctx context.Context) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return f(prefix)
	})
}

// RTProgram returns the instance in the form of emitted models, for tools that accept any program.
// The result also implements rt.Saver if the instance has something to save. The results of a run
// have tensor names as keys.
func (i *Instance) RTProgram() rt.Program {
	if len(i.Variables()) == 0 {
		return view{i}
	}
	return saver{view{i}}
}

// view adapts an instance to the interface of emitted models.
type view struct{ i *Instance }

// Signatures implements rt.Program.
func (v view) Signatures() []*rt.Signature { return v.i.Signatures() }

// Bind implements rt.Program.
func (v view) Bind(signature string, feeds map[string]*tensor.Tensor) (*rt.Bound, error) {
	return v.i.bind(signature, feeds)
}

// Run implements rt.Program.
func (v view) Run(ctx context.Context, signature string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	b, err := v.i.bind(signature, feeds)
	return rt.RunBound(ctx, b, err)
}

// saver is the view of an instance that has something to save.
type saver struct{ view }

// Variables implements rt.Saver.
func (s saver) Variables() []string { return s.i.Variables() }

// Save implements rt.Saver.
func (s saver) Save(prefix string) error { return s.i.Save(context.Background(), prefix) }

// Restore implements rt.Saver.
func (s saver) Restore(prefix string) error { return s.i.Restore(context.Background(), prefix) }
