package tensor_test

import (
	"context"
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// A tensor consists of its shape and its elements, in row-major order.
func ExampleOf() {
	m := tensor.Of[float32]{Shape: []int{2, 3}, Data: []float32{1, 2, 3, 4, 5, 6}}
	row, col := 1, 0
	fmt.Println(m.Data[row*m.Shape[1]+col])
	fmt.Println(tensor.Vector([]int64{7, 8}), tensor.Scalar("text"))
	// Output:
	// 4
	// {[2] [7 8]} {[] [text]}
}

// From makes a Tensor, whose element type is not part of its Go type but a field.
func ExampleFrom() {
	t, err := tensor.From(tensor.Shape{2, 2}, []float64{1, 2, 3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t, t.Rank(), t.Len(), tensor.Data[float64](t))

	_, err = tensor.From(tensor.Shape{3}, []float64{1, 2})
	fmt.Println(tensor.CodeOf(err))
	// Output:
	// f64[2,2] 2 4 [1 2 3 4]
	// InvalidArgument
}

// An element type has a short name, a name in TensorFlow, and a Go type that stores the elements.
func ExampleParseDType() {
	d, ok := tensor.ParseDType("bf16")
	fmt.Println(d, ok, d.TFName(), d.Size(), d.GoType())
	fmt.Println(tensor.ToBF16(1.00390625).Float32())
	// Output:
	// bf16 true DT_BFLOAT16 2 tensor.BF16
	// 1
}

// Errors have TensorFlow's codes. CodeOf also maps the errors of contexts to such codes.
func ExampleCodeOf() {
	err := tensor.AtNode(tensor.Errorf(tensor.OutOfRange, "index %d is not in [0,%d)", 5, 3), "gather", "GatherV2")
	fmt.Println(err)
	fmt.Println(tensor.CodeOf(err), tensor.CodeOf(context.Canceled), tensor.CodeOf(nil))
	// Output:
	// node "gather" (GatherV2): OutOfRange: index 5 is not in [0,3)
	// OutOfRange Cancelled OK
}
