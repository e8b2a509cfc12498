package graphc_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/graphc/graphc"
	"github.com/graphc/graphc/rt/tensor"
)

// The function library contains the example of README.md that uses graphc as a library.
func library(ctx context.Context, x *tensor.Tensor, use func(files map[string][]byte, out map[string]*tensor.Tensor)) error {
	m, err := graphc.Load(ctx, "examples/savedmodel/half_plus_two", nil)
	if err != nil {
		// The error is a *graphc.Error. It lists everything that is wrong, each with file, node,
		// op, code and suggestion.
		return err
	}
	p, err := m.Compile(ctx, &graphc.Options{Signatures: []string{"serving_default"}})
	if err != nil {
		return err
	}
	files, err := p.Files(ctx, &graphc.EmitOptions{Package: "model"}) // the Go package
	if err != nil {
		return err
	}
	i, err := p.NewInstance(ctx, nil) // or run the model in this process
	if err != nil {
		return err
	}
	defer i.Close()
	out, err := i.Run(ctx, "serving_default", map[string]*tensor.Tensor{"x": x})
	if err != nil {
		return err
	}
	use(files, out)
	return nil
}

// TestReadme: the function library compiles and runs, and README.md shows the same code.
func TestReadme(t *testing.T) {
	ran := false
	err := library(context.Background(), &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{1}, Data: []float32{3}}, func(files map[string][]byte, out map[string]*tensor.Tensor) {
		ran = len(files) > 0 && out["y"].Data.([]float32)[0] == 3.5
	})
	if err != nil || !ran {
		t.Errorf("it does not run: %v", err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## As a library\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var shown []string
	for l := range strings.Lines(section) {
		if code, ok := strings.CutPrefix(l, "    "); ok {
			shown = append(shown, "\t"+strings.ReplaceAll(code, "    ", "\t"))
		}
	}
	if len(shown) < 10 || !strings.Contains(string(source), strings.Join(shown, "")) {
		t.Errorf("README.md shows what this file does not have:\n%s", strings.Join(shown, ""))
	}
}
