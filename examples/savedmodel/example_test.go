package main_test

import (
	"context"
	"fmt"

	"github.com/graphc/graphc/examples/savedmodel/model"
)

// Each signature of the SavedModel is a method of the model.
func Example() {
	m, err := model.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := m.ServingDefault(context.Background(), model.ServingDefaultInput{
		X: model.Tensor[float32]{Shape: []int{1}, Data: []float32{3}},
	})
	fmt.Println(out.Y.Shape, out.Y.Data, err)

	_, err = m.ServingDefault(context.Background(), model.ServingDefaultInput{
		X: model.Tensor[float32]{Shape: []int{2}, Data: []float32{3, 4}},
	})
	fmt.Println(err)
	// Output:
	// [1] [3.5] <nil>
	// InvalidArgument: ServingDefault: input X ("x", tensor "serving_default_x:0"): dimension 0 is 2, want 1: got f32[2], want f32[1]
}
