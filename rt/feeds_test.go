package rt_test

import (
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// TestErrorsOfFeeds checks that an error names a feed by the Go field, the key and the name of the
// tensor.
func TestErrorsOfFeeds(t *testing.T) {
	s := &rt.Signature{Name: "score", Method: "Score", Feeds: []rt.Port{
		{Name: "serving_default_x:0", Key: "x", Field: "X", DType: tensor.Float32, Shape: []int{-1, 4}, Dims: []string{"batch", ""}},
		{Name: "y:0", Key: "y", Field: "Y", DType: tensor.Int64, Shape: []int{-1}, Dims: []string{"batch"}},
		{Name: "z:0", Field: "Z", DType: tensor.Float32, Shape: []int{}},
	}}
	for want, err := range map[string]error{
		`InvalidArgument: Score: input X ("x", tensor "serving_default_x:0"): dimension 1 is 5, want 4: got f32[3,5], want f32[batch,4]`: s.CheckShape(0, []int{3, 5}, 15),
		`InvalidArgument: Score: input X ("x", tensor "serving_default_x:0"): got f32[4], want f32[batch,4]`:                             s.CheckShape(0, []int{4}, 4),
		`InvalidArgument: Score: input X ("x", tensor "serving_default_x:0"): 3 elements given for the shape [1,4]`:                      s.CheckShape(0, []int{1, 4}, 3),
		`InvalidArgument: Score: input Y ("y:0"): dimension 0 is -1, want batch: got i64[-1], want i64[batch]`:                           s.CheckShape(1, []int{-1}, 0),
		`InvalidArgument: Score: input Y ("y:0"): dimension 0 is 3, want batch = 2 as in the other feeds (i64[batch])`:                   s.CheckDim(1, 0, 3, 2),
		`InvalidArgument: Score: input Z ("z:0") is missing: f32[]`: s.CheckFeeds(map[string]*tensor.Tensor{
			"x": {}, "y:0": {}}),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	s.Method = ""
	if got, want := s.Input(2), `input Z ("z:0")`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
