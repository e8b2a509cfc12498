// Training teaches a small network which of two half circles a point belongs to.
// TensorFlow wrote the graph, its gradients and Adam's update (make.py). The
// program has two signatures, train and predict, which share the variables.
package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strconv"
	"strings"

	"github.com/graphc/graphc/examples/training/model"
)

//go:generate go tool graphc generate

//go:embed points.csv
var points string

func main() {
	log.SetFlags(0)
	steps := flag.Int("steps", 200, "how many steps to train")
	load := flag.String("load", "", "start with the variables of this `checkpoint`")
	save := flag.String("save", "", "write the variables to this `checkpoint`, which TensorFlow can also load")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: training [flags]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, *steps, *load, *save); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, steps int, load, save string) error {
	xy, labels, err := read(points)
	if err != nil {
		return err
	}
	m, err := model.New() // runs the graph's init, which sets the variables
	if err != nil {
		return err
	}
	if load != "" {
		if err := m.Restore(load); err != nil {
			return err
		}
	}
	ctx := context.Background()
	in := model.TrainInput{Points: xy, Labels: labels}
	var out model.TrainOutput // reused in each step
	for i := range steps {
		if err := m.TrainInto(ctx, &in, &out); err != nil {
			return err
		}
		if i%40 == 0 || i == steps-1 {
			fmt.Fprintf(w, "step %3d: loss %.4f\n", i+1, out.Loss.Data[0])
		}
	}
	got, err := m.Predict(ctx, model.PredictInput{Points: xy})
	if err != nil {
		return err
	}
	right := 0
	for i, label := range labels.Data {
		if scores := got.Scores.Data[2*i:]; scores[label] > scores[1-label] {
			right++
		}
	}
	fmt.Fprintf(w, "%d of %d points are classified correctly\n", right, len(labels.Data))
	if save != "" {
		return m.Save(save)
	}
	return nil
}

// read reads lines of x, y and label.
func read(text string) (xy model.Tensor[float32], labels model.Tensor[int32], err error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment, r.FieldsPerRecord = '#', 3
	rows, err := r.ReadAll()
	if err != nil {
		return xy, labels, err
	}
	for _, row := range rows {
		for _, s := range row[:2] {
			v, err := strconv.ParseFloat(s, 32)
			if err != nil {
				return xy, labels, err
			}
			xy.Data = append(xy.Data, float32(v))
		}
		label, err := strconv.ParseInt(row[2], 10, 32)
		if err != nil {
			return xy, labels, err
		}
		labels.Data = append(labels.Data, int32(label))
	}
	xy.Shape, labels.Shape = []int{len(rows), 2}, []int{len(rows)}
	return xy, labels, nil
}
