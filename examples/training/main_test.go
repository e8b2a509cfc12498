package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/examples/training/model"
)

// TestRun trains the network, saves its variables, and continues the training from the saved
// variables.
func TestRun(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "moons")
	var first, second strings.Builder
	if err := run(&first, 200, "", prefix); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?s)^step   1: loss 0\.[67].*step 200: loss 0\.0.*\n(19\d|200) of 200 points are classified correctly\n$`).MatchString(first.String()) {
		t.Errorf("%s", first.String())
	}
	if err := run(&second, 1, prefix, ""); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^step   1: loss 0\.0`).MatchString(second.String()) {
		t.Errorf("after loading: %s", second.String())
	}
}

// TestLosses starts at a checkpoint that TensorFlow wrote. It compares the loss after each training
// step with TensorFlow's.
func TestLosses(t *testing.T) {
	m, err := model.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Restore(filepath.Join("testdata", "start")); err != nil {
		t.Fatal(err)
	}
	xy, labels, err := read(points)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("testdata", "losses.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Fields(string(text)) {
		want, err := strconv.ParseFloat(line, 64)
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Train(context.Background(), model.TrainInput{Points: xy, Labels: labels})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(out.Loss.Data[0]); math.Abs(got-want) > 1e-5 {
			t.Errorf("step %d: loss %v, TensorFlow's is %v", i+1, got, want)
		}
	}
}
