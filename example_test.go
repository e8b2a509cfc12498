package graphc_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt/tensor"
)

// A SavedModel becomes a Go package, and runs in this process.
func Example() {
	ctx := context.Background()
	m, err := graphc.Load(ctx, "examples/savedmodel/half_plus_two", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Compile(ctx, &graphc.Options{Signatures: []string{"serving_default"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range p.Signatures() {
		fmt.Println(s.Name, s.Feeds[0].Key, &s.Feeds[0], s.Fetches[0].Key, &s.Fetches[0])
	}

	files, err := p.Files(ctx, &graphc.EmitOptions{Package: "half"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Println(name)
	}

	i, err := p.New(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer i.Close()
	x := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{1}, Data: []float32{3}}
	out, err := i.Run(ctx, "serving_default", map[string]*tensor.Tensor{"x": x})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out["y"].Shape, out["y"].Data)
	// Output:
	// serving_default x f32[1] y f32[1]
	// half.gen.go
	// half_init.gen.go
	// half_serving_default.gen.go
	// half_weights.bin
	// [1] [3.5]
}

// What is wrong with a model, or with what is asked of it, is data.
func ExampleDiagnostic() {
	ctx := context.Background()
	m, err := graphc.Load(ctx, "examples/training/moons.pbtxt", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = m.Compile(ctx, &graphc.Options{Feeds: []string{"points:0"}, Fetches: []string{"score:0"}})
	var d *graphc.Diagnostic
	if errors.As(err, &d) {
		fmt.Println("file:", d.File)
		fmt.Println("code:", d.Code)
		fmt.Println("text:", d.Text)
		fmt.Println("suggestion:", d.Suggestion)
	}
	// Output:
	// file: moons.pbtxt
	// code: InvalidArgument
	// text: fetch "score:0": the graph has no node "score"
	// suggestion: did you mean "scores"?
}
