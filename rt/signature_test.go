package rt

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestCheckShape: a feed is refused if it has a wrong rank, dimension or number of elements. It is also
// refused if a dimension differs from a dimension of the same name in another feed.
func TestCheckShape(t *testing.T) {
	s := &Signature{Feeds: []Port{{Name: "x:0", DType: tensor.Float32, Shape: []int{-1, 2}, Dims: []string{"B", ""}}}}
	for _, c := range []struct {
		shape []int
		n     int
		says  string
	}{
		{[]int{3, 2}, 6, ""},
		{[]int{0, 2}, 0, ""},
		{[]int{6}, 6, "got f32[6], want f32[B,2]"},
		{[]int{3, 2, 1}, 6, "got f32[3,2,1]"},
		{nil, 1, "got f32[]"},
		{[]int{2, 3}, 6, "got f32[2,3]"},
		{[]int{-3, 2}, -6, "got f32[-3,2]"},
		{[]int{3, 2}, 5, "5 elements given for the shape [3,2]"},
		{[]int{1 << 62, 2}, 0, "has too many elements"},
	} {
		err := s.CheckShape(0, c.shape, c.n)
		if c.says == "" && err != nil || c.says != "" && (tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v with %d elements: %v, want %q", c.shape, c.n, err, c.says)
		}
	}
	if err := s.CheckDim(0, 0, 3, 3); err != nil {
		t.Error(err)
	}
	if err := s.CheckDim(0, 0, 3, 4); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "dimension 0 is 3, want B = 4 as in the other feeds") {
		t.Error(err)
	}
}

// TestSetFeeds: SetFeeds finds a field by the name or the key of a feed, and lets the field share the
// memory of the fed tensor. An unused feed may be missing. A tensor of a wrong type is refused.
func TestSetFeeds(t *testing.T) {
	s := &Signature{Feeds: []Port{
		{Name: "x:0", Key: "x", Field: "X", DType: tensor.Float32, Shape: []int{2}},
		{Name: "skip:0", Field: "Skip", DType: tensor.Int32, Shape: []int{}, Unused: true},
		{Name: "n:0", Field: "N", DType: tensor.Int64, Shape: []int{1}},
	}}
	x := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{1, 2}}
	n := &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{1}, Data: []int64{3}}
	for _, c := range []struct {
		feeds map[string]*tensor.Tensor
		says  string
	}{
		{map[string]*tensor.Tensor{"x:0": x, "n:0": n}, ""},
		{map[string]*tensor.Tensor{"x": x, "n:0": n}, ""},
		{map[string]*tensor.Tensor{"x": x}, `input N ("n:0") is missing`},
		{map[string]*tensor.Tensor{"x": x, "n:0": n, "z": n}, `unknown feed "z"`},
		{map[string]*tensor.Tensor{"x": x, "n:0": x}, `input N ("n:0"): got f32[2]`},
		{map[string]*tensor.Tensor{"x": x, "n:0": {DType: tensor.Int64, Shape: tensor.Shape{1}, Data: []int32{3}}}, `input N ("n:0"): got`},
	} {
		var in struct {
			x    tensor.Of[float32]
			skip tensor.Of[int32]
			n    tensor.Of[int64]
		}
		err := s.SetFeeds(c.feeds, FeedTo(&in.x), FeedTo(&in.skip), FeedTo(&in.n))
		switch {
		case c.says != "":
			if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v: got %v, want %q", c.feeds, err, c.says)
			}
		case err != nil || &in.x.Data[0] != &x.Data.([]float32)[0] || in.n.Data[0] != 3 || in.n.Shape[0] != 1 || in.skip.Data != nil:
			t.Errorf("%v: set to %v, %v", c.feeds, in, err)
		}
	}
}

// TestGrowRefuses: if the size of a buffer is negative or exceeds the limit, the run ends before
// anything is allocated.
func TestGrowRefuses(t *testing.T) {
	p := newPool(t, WithMaxBytes(1<<20))
	for name, c := range map[string]struct {
		grow func(s *state)
		code tensor.Code
	}{
		"negative":          {func(s *state) { s.GrowTo(0, -1, 4) }, tensor.InvalidArgument},
		"too large":         {func(s *state) { s.GrowTo(0, 1<<30, 4) }, tensor.ResourceExhausted},
		"that wraps around": {func(s *state) { s.GrowTo(0, 1<<62, 4) }, tensor.ResourceExhausted},
		"negative strings":  {func(s *state) { s.GrowStrings(0, -1) }, tensor.InvalidArgument},
		"too many strings":  {func(s *state) { s.GrowStrings(0, 1<<40) }, tensor.ResourceExhausted},
		"negative handles":  {func(s *state) { s.GrowHandles(0, -1) }, tensor.InvalidArgument},
		"handles that wrap": {func(s *state) { s.GrowHandles(0, 1<<61) }, tensor.ResourceExhausted},
	} {
		s, err := p.Get(t.Context(), dims{1})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || tensor.CodeOf(err) != c.code {
					t.Errorf("%s: %v, want %v", name, err, c.code)
				}
			}()
			c.grow(s)
		}()
		p.Put(s, new(error))
	}
}

// TestDecodeStrings: encoded strings begin with their number, and each string begins with its length.
// If the data is too short for the number or for a length, the error is DataLoss.
func TestDecodeStrings(t *testing.T) {
	if got, err := decodeStrings([]byte("\x02\x01a\x00")); err != nil || len(got) != 2 || got[0] != "a" || got[1] != "" {
		t.Errorf("%q, %v", got, err)
	}
	for _, b := range []string{"", "\xff", "\x05a", "\x01\x02a", "\x02\x01a", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if got, err := decodeStrings([]byte(b)); tensor.CodeOf(err) != tensor.DataLoss {
			t.Errorf("%q: %q, %v", b, got, err)
		}
	}
}
