// Package sensors has Go functions that replace the Python functions of a graph.
package sensors

import (
	"fmt"
	"slices"
)

// Python is the kernel of EagerPyFunc. token names the Python function that the node calls: pyfunc_0 is the first that
// make.py gave to tf.py_function.
func Python(y []float32, yShape []int, x []float32, xShape []int, token string, isAsync bool) error {
	switch token {
	case "pyfunc_0":
		return median(y, x, xShape)
	}
	return fmt.Errorf("no Go function for the Python function %q", token)
}

// median writes the median of each row of x. The median of an even number of elements is the mean
// of the two in the middle, as with numpy.median.
func median(y, x []float32, shape []int) error {
	if len(shape) != 2 || shape[1] == 0 {
		return fmt.Errorf("rows of readings are wanted, got the shape %v", shape)
	}
	n := shape[1]
	row := make([]float32, n)
	for i := range y {
		copy(row, x[i*n:])
		slices.Sort(row)
		y[i] = (row[(n-1)/2] + row[n/2]) / 2
	}
	return nil
}
