package graphc_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
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

	i, err := p.NewInstance(ctx, nil)
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

// The fields of a Diagnostic describe an error in a model or in a request.
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

// A model can be part of the program that compiles it.
func ExampleLoadFS() {
	ctx := context.Background()
	models := os.DirFS("examples") // an embed.FS is also a file system
	m, err := graphc.LoadFS(ctx, models, "savedmodel/half_plus_two", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Kind(), m.Signatures()[:2])
	// Output: saved_model [classify_x2_to_y3 classify_x_to_y]
}

// A report describes a model's inputs, outputs and state.
func ExampleModel_Inspect() {
	ctx := context.Background()
	m, err := graphc.Load(ctx, "examples/savedmodel/half_plus_two", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := m.Inspect(ctx, &graphc.Options{Signatures: []string{"serving_default"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range r.Signatures {
		for _, f := range s.Feeds {
			fmt.Println(s.Name, "takes", f.Key, f.DType+f.Shape)
		}
	}
	fmt.Println(r.Nodes, "nodes,", *r.Parameters, "parameters, assets", r.Assets)
	// Output:
	// serving_default takes x f32[1]
	// 29 nodes, 2 parameters, assets [foo.txt]
}

// Runs of an instance share its variables: here they train a model.
func ExampleInstance_Run() {
	ctx := context.Background()
	m, err := graphc.Load(ctx, "examples/training/moons.pbtxt", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := m.Compile(ctx, &graphc.Options{
		Init:   []string{"init"},
		Calls:  []graphc.Call{{Name: "train", Feeds: []string{"points", "labels"}, Fetches: []string{"loss"}, Targets: []string{"train"}}},
		Shapes: map[string]string{"points": "n,2", "labels": "n"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	i, err := p.NewInstance(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer i.Close()
	in := map[string]*tensor.Tensor{
		"points": {DType: tensor.Float32, Shape: tensor.Shape{2, 2}, Data: []float32{0, 1, 2, -1}},
		"labels": {DType: tensor.Int32, Shape: tensor.Shape{2}, Data: []int32{0, 1}},
	}
	var losses []float32
	for range 10 {
		out, err := i.Run(ctx, "train", in)
		if err != nil {
			fmt.Println(err)
			return
		}
		losses = append(losses, out["loss"].Data.([]float32)[0])
	}
	fmt.Println(losses[9] < losses[0])
	// Output: true
}
