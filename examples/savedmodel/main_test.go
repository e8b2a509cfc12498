package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/examples/savedmodel/model"
	"github.com/graphc/graphc/rt/tensor"
)

// wantY and wantY2 are TensorFlow's results for xs. The tests require exactly these values.
var (
	xs     = []float32{0, 1, -3.5, 1e6, 0.1}
	wantY  = []float32{2, 2.5, 0.25, 500002, 2.049999952316284}
	wantY2 = []float32{3, 3.5, 1.25, 500003, 3.049999952316284}
)

func newModel(t *testing.T) *model.Model {
	t.Helper()
	m, err := model.New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRegress(t *testing.T) {
	y, y2, err := regress(context.Background(), newModel(t), xs)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(y, wantY) {
		t.Errorf("y = %v, TensorFlow says %v", y, wantY)
	}
	if !slices.Equal(y2, wantY2) {
		t.Errorf("y2 = %v, TensorFlow says %v", y2, wantY2)
	}
}

func TestNumbers(t *testing.T) {
	m, ctx := newModel(t), context.Background()
	for i, x := range xs {
		in := model.Tensor[float32]{Shape: []int{1}, Data: []float32{x}}
		a, err := m.ServingDefault(ctx, model.ServingDefaultInput{X: in})
		if err != nil || !slices.Equal(a.Y.Data, wantY[i:i+1]) {
			t.Errorf("x = %g: y = %v, %v, TensorFlow says %v", x, a.Y.Data, err, wantY[i])
		}
		b, err := m.RegressX2ToY3(ctx, model.RegressX2ToY3Input{Inputs: in})
		if err != nil || !slices.Equal(b.Outputs.Data, wantY2[i:i+1]) {
			t.Errorf("x2 = %g: y3 = %v, %v, TensorFlow says %v", x, b.Outputs.Data, err, wantY2[i])
		}
	}
}

// TestExample compares the result of the function example with the bytes that tf.train.Example
// writes.
func TestExample(t *testing.T) {
	const want = "\n\x0f\n\r\n\x01x\x12\x08\x12\x06\n\x04\x00\x00\xc0?"
	if got := example("x", 1.5); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMissingFeature feeds an example without the feature that the model requires.
func TestMissingFeature(t *testing.T) {
	_, err := newModel(t).RegressXToY(context.Background(), model.RegressXToYInput{
		Inputs: model.Tensor[string]{Shape: []int{1}, Data: []string{example("x2", 1)}},
	})
	if tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "Feature: x ") {
		t.Errorf("the error is %v", err)
	}
}
