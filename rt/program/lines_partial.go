package program

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// maxPartial bounds how many partial runs may be open.
const maxPartial = 1 << 10

// partialRun is an open partial run. If a line fetches some tensors and then fails, got keeps the
// fetched tensors for a later line.
type partialRun struct {
	run *rt.PartialRun
	got map[string]*tensor.Tensor
}

// setup begins a partial run,
//
//	{"partial": "signature"}
//
// and answers {"handle": 1}.
func (s *server) setup(name string) ([]byte, error) {
	sig, err := signatureOf(s.p, name)
	if err != nil {
		return nil, tensor.Errorf(tensor.NotFound, "%s", err.Error())
	}
	p, ok := s.p.(rt.Partialer)
	if !ok {
		return nil, rt.NotPartial(s.p, sig.Name)
	}
	if len(s.partial) >= maxPartial {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "%d partial runs are open: close some of them", len(s.partial))
	}
	r, err := p.Partial(sig.Name)
	if err != nil {
		return nil, err
	}
	s.last++
	s.partial[s.last] = &partialRun{run: r, got: map[string]*tensor.Tensor{}}
	return fmt.Appendf(nil, `{"handle":%d}`, s.last), nil
}

// step handles an input line such as
//
//	{"handle": 1, "feeds": {"a": 1, "b": 2}, "fetches": ["r1"]}
//
// It feeds and fetches tensors in the partial run with the given handle. The answer has the same form
// as the answer to a run. A line without fetches only feeds tensors. After a line with "close": true,
// the partial run is closed. If an error occurs, the tensors that the line fed before the error stay
// fed.
func (s *server) step(ctx context.Context, handle int, ask *question) ([]byte, error) {
	r := s.partial[handle]
	if r == nil {
		return nil, tensor.Errorf(tensor.InvalidArgument, "there is no partial run %d: it was never begun, or is closed", handle)
	}
	if ask.Close {
		defer r.run.Close()
		defer delete(s.partial, handle)
	}
	sig := r.run.Signature
	feeds, err := s.readFeeds(sig, ask.Feeds)
	if err != nil {
		return nil, err
	}
	fetched := rt.Signature{}
	for _, name := range ask.Fetches {
		i := slices.IndexFunc(sig.Fetches, func(p rt.Port) bool { return p.Name == name || p.Key == name || p.Name == name+":0" })
		if i < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "fetch %q was not specified in the setup of the partial run", name)
		}
		if slices.ContainsFunc(fetched.Fetches, func(p rt.Port) bool { return p.Name == sig.Fetches[i].Name }) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "fetch %q is asked for twice", name)
		}
		fetched.Fetches = append(fetched.Fetches, sig.Fetches[i])
	}
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		if err := r.run.Feed(name, feeds[name]); err != nil {
			return nil, err
		}
	}
	if err := s.c.observe.run(ctx, func(ctx context.Context) error {
		for i := range fetched.Fetches {
			p := &fetched.Fetches[i]
			if r.got[p.Name] != nil {
				continue
			}
			t, err := r.run.Fetch(ctx, p.Name)
			if err != nil {
				return err
			}
			r.got[p.Name] = t
		}
		return nil
	}); err != nil {
		return nil, err
	}
	answer, err := fetchesLine(&fetched, r.got)
	for i := range fetched.Fetches {
		delete(r.got, fetched.Fetches[i].Name)
	}
	return answer, err
}
