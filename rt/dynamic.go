package rt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Program is a model without its static types, for tools. Every emitted Model is one.
type Program interface {
	// Signatures lists the model's entry points.
	Signatures() []*Signature
	// Bind checks the feeds of a signature and prepares a run that can be repeated. The feeds are
	// keyed by tensor name or by the signature's key. The error is NotFound for an unknown
	// signature and InvalidArgument for unknown, missing or mismatched feeds.
	Bind(signature string, feeds map[string]*tensor.Tensor) (*Bound, error)
	// Run runs a signature once. The fetches are keyed by tensor name. Errors are those of Bind
	// and of the run.
	Run(ctx context.Context, signature string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// Bound is a signature with its feeds. It is not safe for concurrent use.
type Bound struct {
	Signature *Signature
	// Run runs the signature once.
	Run func(ctx context.Context) error
	// Fetches returns the results of the last run, keyed by tensor name. The next run overwrites
	// them.
	Fetches func() map[string]*tensor.Tensor
}

// RunBound runs b once and returns the fetches. The parameters b and err are the results of Bind.
// If err is not nil, RunBound only returns it.
func RunBound(ctx context.Context, b *Bound, err error) (map[string]*tensor.Tensor, error) {
	if err != nil {
		return nil, err
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return b.Fetches(), nil
}

// UnknownSignature returns the NotFound error for a name that is not a signature of p. The error
// lists the signatures of p.
func UnknownSignature(p Program, name string) error {
	var have []string
	for _, s := range p.Signatures() {
		have = append(have, fmt.Sprintf("%q", s.Name))
	}
	return tensor.Errorf(tensor.NotFound, "unknown signature %q; there are: %s", name, strings.Join(have, ", "))
}

// CheckFeeds returns InvalidArgument if the map feeds contains a name that is not a feed of the
// signature, or if it lacks a feed that a node reads.
func (s *Signature) CheckFeeds(feeds map[string]*tensor.Tensor) error {
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		if s.port(name) < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "%s %q: %s", s.of("unknown feed"), name, s.list())
		}
	}
	for i := range s.Feeds {
		if p := &s.Feeds[i]; s.Fed(feeds, i) == nil && !p.Unused {
			return tensor.Errorf(tensor.InvalidArgument, "%s is missing: %v", s.Input(i), p)
		}
	}
	return nil
}

// Fed returns the tensor for feed i, looked up by the feed's name or its key. It is nil if the
// feed is missing.
func (s *Signature) Fed(feeds map[string]*tensor.Tensor, i int) *tensor.Tensor {
	p := &s.Feeds[i]
	if t := feeds[p.Name]; t != nil || p.Key == "" {
		return t
	}
	return feeds[p.Key]
}

func (s *Signature) port(name string) int {
	for i, p := range s.Feeds {
		if p.Name == name || p.Key == name && name != "" {
			return i
		}
	}
	return -1
}

// list returns a text that lists the names, types and shapes of the signature's feeds. It is part of
// the error for an unknown feed.
func (s *Signature) list() string {
	if len(s.Feeds) == 0 {
		return "the signature has no feeds"
	}
	var out []string
	for i := range s.Feeds {
		out = append(out, fmt.Sprintf("%q %v", s.Feeds[i].Name, &s.Feeds[i]))
	}
	return "the feeds are " + strings.Join(out, ", ")
}

// SetFeeds checks the feeds. Then, for each feed s.Feeds[i] that the map contains, it calls fields[i],
// which stores the feed in a field of the signature's input struct. The error is InvalidArgument for
// an unknown name, a missing feed or a wrong element type.
func (s *Signature) SetFeeds(feeds map[string]*tensor.Tensor, fields ...FeedField) error {
	if err := s.CheckFeeds(feeds); err != nil {
		return err
	}
	for i, set := range fields {
		t := s.Fed(feeds, i)
		if t == nil { // an unused feed
			continue
		}
		if err := set(s, i, t); err != nil {
			return err
		}
	}
	return nil
}

// FeedField is a function that stores t, the tensor for feed i of s, in a field of the signature's
// input struct; see SetFeeds.
type FeedField func(s *Signature, i int, t *tensor.Tensor) error

// FeedTo returns a FeedField that stores a tensor in *dst. Afterwards *dst shares the memory of this
// tensor.
func FeedTo[T tensor.Elem](dst *tensor.Of[T]) FeedField {
	return func(s *Signature, i int, t *tensor.Tensor) error {
		fed, err := typed[T](s, i, t)
		if err == nil {
			*dst = fed
		}
		return err
	}
}

// typed converts t, the tensor for feed i, to the static type of this feed. The result shares the
// memory of t. The error is InvalidArgument if t does not have the feed's element type.
func typed[T tensor.Elem](s *Signature, i int, t *tensor.Tensor) (tensor.Of[T], error) {
	p := &s.Feeds[i]
	data, ok := t.Data.([]T)
	if !ok || t.DType != p.DType {
		return tensor.Of[T]{}, tensor.Errorf(tensor.InvalidArgument, "%s: got %v, want %v", s.Input(i), t, p)
	}
	return tensor.Of[T]{Shape: t.Shape, Data: data}, nil
}

// AddFetch stores fetch i of s in m, under the fetch's name. The fetch's value is src, a field of
// the signature's output.
func AddFetch[T tensor.Elem](m map[string]*tensor.Tensor, s *Signature, i int, src *tensor.Of[T]) {
	p := &s.Fetches[i]
	data := src.Data
	if data == nil {
		data = []T{}
	}
	m[p.Name] = &tensor.Tensor{DType: p.DType, Shape: slices.Clone(src.Shape), Data: data}
}

// Fetch copies a result into the caller's tensor. It reuses the tensor's memory if that is large
// enough.
func Fetch[T tensor.Elem](dst *tensor.Of[T], data []T, shape ...int) {
	dst.Shape = append(dst.Shape[:0], shape...)
	if cap(dst.Data) < len(data) {
		dst.Data = make([]T, len(data))
	}
	dst.Data = dst.Data[:len(data)]
	copy(dst.Data, data)
}
