package rt_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	half "github.com/graphc/graphc/examples/savedmodel/model"
	moons "github.com/graphc/graphc/examples/training/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// Every emitted model is a Program: tools run it without its types.
func ExampleProgram() {
	m, err := half.New(rt.WithThreads(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	var p rt.Program = m
	for _, s := range p.Signatures() {
		if s.Name == "serving_default" {
			fmt.Println(s.Feeds[0].Key, &s.Feeds[0])
		}
	}
	x := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{1}, Data: []float32{3}}
	out, err := p.Run(context.Background(), "serving_default", map[string]*tensor.Tensor{"x": x})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, y := range out {
		fmt.Println(y, y.Data)
	}
	// Output:
	// x f32[1]
	// f32[1] [3.5]
}

// Options of a run are passed in its context.
func ExampleWithRun() {
	m, err := half.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := rt.WithRun(context.Background(), rt.Threads(1), rt.Timeout(time.Minute))
	out, err := m.ServingDefault(ctx, half.ServingDefaultInput{X: tensor.Vector([]float32{1})})
	fmt.Println(out.Y.Data, err)
	// Output: [2.5] <nil>
}

// A run that needs more memory than its limit ends with an error of code ResourceExhausted.
func ExampleWithMaxBytes() {
	m, err := half.New(rt.WithMaxBytes(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.ServingDefault(context.Background(), half.ServingDefaultInput{X: tensor.Vector([]float32{1})})
	fmt.Println(tensor.CodeOf(err))
	// Output: ResourceExhausted
}

// A model that has variables is a Saver.
func ExampleSaver() {
	m, err := moons.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	var s rt.Saver = m
	fmt.Println(slices.Contains(s.Variables(), "layer0/w"))
	// Output: true
}

// Runs of a closed model fail.
func ExampleCloser() {
	m, err := half.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	var c rt.Closer = m
	fmt.Println(c.Close())
	_, err = m.ServingDefault(context.Background(), half.ServingDefaultInput{X: tensor.Vector([]float32{1})})
	fmt.Println(err)
	// Output:
	// <nil>
	// Cancelled: session has been closed
}
