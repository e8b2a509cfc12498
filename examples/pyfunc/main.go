// Pyfunc prints how far sensors' readings are from their medians. In the graph, a Python function
// computes the medians, by tf.py_function. In this program, the Go function sensors.Python computes
// them.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/graphc/graphc/examples/pyfunc/model"
)

//go:generate go tool graphc generate

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout, [][5]float32{{3, 1, 2, 5, 4}, {10, 10, 11, 9, 90}}); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, sensors [][5]float32) error {
	m, err := model.New()
	if err != nil {
		return err
	}
	defer m.Close()
	readings := model.Tensor[float32]{Shape: []int{len(sensors), 5}}
	for _, s := range sensors {
		readings.Data = append(readings.Data, s[:]...)
	}
	out, err := m.Predict(context.Background(), model.PredictInput{Readings: readings})
	if err != nil {
		return err
	}
	for i := range sensors {
		fmt.Fprintln(w, out.Deviations.Data[5*i:5*i+5])
	}
	return nil
}
