package main

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/examples/pyfunc/sensors"
)

// TestRun compares the output with the values that TensorFlow computed with the Python function;
// see make.py.
func TestRun(t *testing.T) {
	var b strings.Builder
	if err := run(&b, [][5]float32{{3, 1, 2, 5, 4}, {10, 10, 11, 9, 90}}); err != nil {
		t.Fatal(err)
	}
	if want := "[0 2 1 2 1]\n[0 0 1 1 80]\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestToken checks that a node returns an error if its Python function has no counterpart in Go.
func TestToken(t *testing.T) {
	y := make([]float32, 1)
	if err := sensors.Python(y, []int{1}, []float32{1, 2, 4, 8}, []int{1, 4}, "pyfunc_0", false); err != nil || y[0] != 3 {
		t.Errorf("%v, %v", y, err)
	}
	if err := sensors.Python(y, []int{1}, []float32{1}, []int{1, 1}, "pyfunc_7", false); err == nil || !strings.Contains(err.Error(), "pyfunc_7") {
		t.Error(err)
	}
}
