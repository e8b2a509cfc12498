package rt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Partialer is a model, without its static types, that has signatures for partial runs.
type Partialer interface {
	// Partial begins a partial run of the named signature. The error is FailedPrecondition if the
	// signature was not compiled for partial runs, and NotFound if it is unknown.
	Partial(signature string) (*PartialRun, error)
}

// PartialRun is a partial run in which the caller names tensors by their name or by the signature's
// key; see PartialOf. The fields are for emitted code.
type PartialRun struct {
	Signature *Signature
	Feeds     []func(*tensor.Tensor) error
	Fetches   []func(context.Context) (*tensor.Tensor, error)
	Step      func(context.Context) error
	End       func()
}

// find looks up a feed or a fetch by its name or key. It searches the slice in(r.Signature), which
// holds either the feeds or the fetches, and returns an index in this slice. The error is
// InvalidArgument if no port in the slice has the given name or key.
func (r *PartialRun) find(name, what string, in func(*Signature) []Port) (int, error) {
	if r == nil || r.Signature == nil {
		return 0, tensor.Errorf(tensor.InvalidArgument, "there is no partial run: the handle is nil or its zero value")
	}
	ports := in(r.Signature)
	i := slices.IndexFunc(ports, func(p Port) bool { return p.Name == name || p.Key == name && name != "" })
	if i < 0 {
		var have []string
		for i := range ports {
			have = append(have, fmt.Sprintf("%q", ports[i].Name))
		}
		return 0, tensor.Errorf(tensor.InvalidArgument, "%s %q was not specified in the setup of the partial run; there are: %s", what, name, strings.Join(have, ", "))
	}
	return i, nil
}

// Feed passes tensor t to the run. The memory of t must not change until the next Fetch or Run
// returns. The error is InvalidArgument for an unknown feed or another element type.
func (r *PartialRun) Feed(name string, t *tensor.Tensor) error {
	i, err := r.find(name, "feed", func(s *Signature) []Port { return s.Feeds })
	if err != nil {
		return err
	}
	return r.Feeds[i](t)
}

// Fetch runs the nodes that need only tensors fed so far, and returns one tensor, which the caller
// owns.
func (r *PartialRun) Fetch(ctx context.Context, name string) (*tensor.Tensor, error) {
	i, err := r.find(name, "fetch", func(s *Signature) []Port { return s.Fetches })
	if err != nil {
		return nil, err
	}
	return r.Fetches[i](ctx)
}

// Run runs the nodes that need only tensors fed so far, for their effects.
func (r *PartialRun) Run(ctx context.Context) error {
	if r == nil || r.Step == nil {
		_, err := (*PartialRun)(nil).find("", "", nil)
		return err
	}
	return r.Step(ctx)
}

// Close abandons the rest of the run.
func (r *PartialRun) Close() {
	if r != nil && r.End != nil {
		r.End()
	}
}

// FeedAny converts a typed feed function to an untyped one, for feed i of s.
func FeedAny[T tensor.Elem](s *Signature, i int, feed func(tensor.Of[T]) error) func(*tensor.Tensor) error {
	return func(t *tensor.Tensor) error {
		if t == nil {
			return tensor.Errorf(tensor.InvalidArgument, "%s: the tensor is nil, want %v", s.Input(i), &s.Feeds[i])
		}
		fed, err := typed[T](s, i, t)
		if err != nil {
			return err
		}
		return feed(fed)
	}
}

// FetchAny converts a typed fetch function to an untyped one, for fetch i of s.
func FetchAny[T tensor.Elem](s *Signature, i int, fetch func(context.Context) (tensor.Of[T], error)) func(context.Context) (*tensor.Tensor, error) {
	return func(ctx context.Context) (*tensor.Tensor, error) {
		t, err := fetch(ctx)
		if err != nil {
			return nil, err
		}
		got := map[string]*tensor.Tensor{}
		AddFetch(got, s, i, &t)
		return got[s.Fetches[i].Name], nil
	}
}

// NotPartial returns the error for a partial run of the named signature: FailedPrecondition if it
// was not compiled for partial runs, NotFound if it is unknown.
func NotPartial(p Program, name string) error {
	for _, s := range p.Signatures() {
		if s.Name == name {
			return tensor.Errorf(tensor.FailedPrecondition, "signature %q was not compiled to be run in steps: compile it with --partial", name)
		}
	}
	return UnknownSignature(p, name)
}
