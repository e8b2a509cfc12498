package rt

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Program is a model seen without its types: what tools run. Every emitted
// Model is one.
type Program interface {
	// Signatures lists the entry points.
	Signatures() []*Signature
	// Bind reads the feeds of a signature, keyed by tensor name or by the
	// signature's key, and readies a run that can be repeated.
	Bind(signature string, feeds map[string]*tensor.Tensor) (*Bound, error)
	// Run runs a signature once; the fetches are keyed by tensor name.
	Run(ctx context.Context, signature string, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error)
}

// Bound is a signature with its feeds. It must not be used by two goroutines at once.
type Bound struct {
	Signature *Signature
	// Run runs once.
	Run func(ctx context.Context) error
	// Fetches returns what the last run computed, keyed by tensor name. The
	// next run overwrites it.
	Fetches func() map[string]*tensor.Tensor
}

// RunBound runs b once.
func RunBound(ctx context.Context, b *Bound, err error) (map[string]*tensor.Tensor, error) {
	if err != nil {
		return nil, err
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return b.Fetches(), nil
}

// UnknownSignature is the error of a name no signature has.
func UnknownSignature(p Program, name string) error {
	var have []string
	for _, s := range p.Signatures() {
		have = append(have, fmt.Sprintf("%q", s.Name))
	}
	return tensor.Errorf(tensor.NotFound, "no signature %q; there are: %s", name, strings.Join(have, ", "))
}

// CheckFeeds refuses names that no feed has, and missing ones.
func (s *Signature) CheckFeeds(feeds map[string]*tensor.Tensor) error {
	for _, name := range slices.Sorted(maps.Keys(feeds)) {
		if s.port(name) < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "%s %q; there are: %s", s.of("no feed"), name, s.list())
		}
	}
	for i := range s.Feeds {
		if p := &s.Feeds[i]; s.Fed(feeds, i) == nil && !p.Unused {
			return tensor.Errorf(tensor.InvalidArgument, "%s is missing: %v", s.Input(i), p)
		}
	}
	return nil
}

// Fed returns the tensor for feed i, by the feed's name or its key; nil where there is none.
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

func (s *Signature) list() string {
	var out []string
	for i := range s.Feeds {
		out = append(out, fmt.Sprintf("%q %v", s.Feeds[i].Name, &s.Feeds[i]))
	}
	return strings.Join(out, ", ")
}

// SetFeeds checks what is fed and puts it into the fields of an input, which are given in the order of s's feeds.
func (s *Signature) SetFeeds(feeds map[string]*tensor.Tensor, fields ...FeedField) error {
	if err := s.CheckFeeds(feeds); err != nil {
		return err
	}
	for i, set := range fields {
		t := s.Fed(feeds, i)
		if t == nil { // nothing reads it
			continue
		}
		if err := set(s, i, t); err != nil {
			return err
		}
	}
	return nil
}

// FeedField sets a field of an input to what is fed to feed i of a signature; see SetFeeds.
type FeedField func(s *Signature, i int, t *tensor.Tensor) error

// FeedTo is the FeedField of the field dst. They share the memory of what is fed.
func FeedTo[T tensor.Elem](dst *tensor.Of[T]) FeedField {
	return func(s *Signature, i int, t *tensor.Tensor) error {
		fed, err := typed[T](s, i, t)
		if err == nil {
			*dst = fed
		}
		return err
	}
}

// typed returns the tensor for feed i with the feed's type. It shares the memory of t.
func typed[T tensor.Elem](s *Signature, i int, t *tensor.Tensor) (tensor.Of[T], error) {
	p := &s.Feeds[i]
	data, ok := t.Data.([]T)
	if !ok || t.DType != p.DType {
		return tensor.Of[T]{}, tensor.Errorf(tensor.InvalidArgument, "%s: got %v, want %v", s.Input(i), t, p)
	}
	return tensor.Of[T]{Shape: t.Shape, Data: data}, nil
}

// AddFetch adds fetch i of s, the field src, to m.
func AddFetch[T tensor.Elem](m map[string]*tensor.Tensor, s *Signature, i int, src *tensor.Of[T]) {
	p := &s.Fetches[i]
	data := src.Data
	if data == nil {
		data = []T{}
	}
	m[p.Name] = &tensor.Tensor{DType: p.DType, Shape: slices.Clone(src.Shape), Data: data}
}

// Fetch copies a result into the caller's tensor, whose memory is used again
// when it is large enough.
func Fetch[T tensor.Elem](dst *tensor.Of[T], data []T, shape ...int) {
	dst.Shape = append(dst.Shape[:0], shape...)
	if cap(dst.Data) < len(data) {
		dst.Data = make([]T, len(data))
	}
	dst.Data = dst.Data[:len(data)]
	copy(dst.Data, data)
}
