package main

import (
	"math"
	"testing"

	"github.com/graphc/graphc/examples/emotion/face"
	"github.com/graphc/graphc/examples/emotion/model"
)

// TestAstronaut compares the scores of a picture with TensorFlow's scores for the same pixels.
func TestAstronaut(t *testing.T) {
	m, err := model.New()
	if err != nil {
		t.Fatal(err)
	}
	got, err := classify(m, "astronaut.png")
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{1.5371455e-05, 2.7038656e-09, 4.0503292e-05, 9.9899238e-01, 2.8540462e-05, 1.3868774e-04, 7.8445609e-04}
	if len(got) != len(want) {
		t.Fatalf("%d scores, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-5+1e-4*float64(want[i]) {
			t.Errorf("%s: %g, TensorFlow says %g", face.Labels[i], got[i], want[i])
		}
	}
	if a := answer(got); a != "happy 99.9 %, neutral 0.1 %, surprised 0.0 %" {
		t.Errorf("the answer is %q", a)
	}
}
