package pipeline

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestTraining trains the networks in testdata/training, which make.py created with TensorFlow's
// gradients and optimizers. Training starts once from the initial values, and once from the
// checkpoint that TensorFlow wrote after 5 steps. Each loss must equal TensorFlow's. A restored
// checkpoint that is saved again must equal the original.
func TestTraining(t *testing.T) {
	const folder = "testdata/training"
	text, err := os.ReadFile(folder + "/losses.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		name := words[0]
		t.Run(name, func(t *testing.T) {
			p, err := Compile([]string{filepath.Join(folder, name+".pb")}, Options{Calls: []Call{
				{Name: "init", Targets: []string{"init"}},
				{Name: "train", Feeds: []string{"x:0", "y:0"}, Fetches: []string{"loss:0"}, Targets: []string{"train"}}}})
			if err != nil {
				t.Fatal(err)
			}
			shape := map[string]tensor.Shape{"mlp": {4, 12}, "conv": {4, 8, 8, 1}, "lstm": {4, 5, 3}}[name]
			n, err := shape.Len()
			if err != nil {
				t.Fatal(err)
			}
			step := func(m *trained, i int) {
				t.Helper()
				x, y := make([]float32, n), make([]int64, 4)
				for k := range x {
					x[k] = float32((k*37+i*11)%97) / 97
				}
				for k := range y {
					y[k] = int64((k*7 + i) % 3)
				}
				got, err := m.run["train"].Run(context.Background(), map[string]*tensor.Tensor{
					"x:0": tensor.Must(tensor.From(shape, x)), "y:0": tensor.Must(tensor.From(tensor.Shape{4}, y))})
				if err != nil {
					t.Fatal(err)
				}
				want, err := strconv.ParseFloat(words[1+i], 64)
				if loss := float64(tensor.Data[float32](got["loss:0"])[0]); err != nil || math.Abs(loss-want) > 2e-6*want {
					t.Errorf("step %d: the loss is %.9g, TensorFlow's %.9g", i, loss, want)
				}
			}
			fresh := newTrained(t, p, nil)
			if _, err := fresh.run["init"].Run(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			for i := range len(words) - 1 {
				step(fresh, i)
			}
			restored := newTrained(t, p, nil)
			if err := restored.vars.Restore(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
			prefix := filepath.Join(t.TempDir(), name)
			if err := restored.vars.Save(prefix); err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{".index", ".data-00000-of-00001"} {
				got, _ := os.ReadFile(prefix + s)
				if want, err := os.ReadFile(filepath.Join(folder, name) + s); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: %v, or other bytes than TensorFlow's", name+s, err)
				}
			}
			for i := 5; i < len(words)-1; i++ {
				step(restored, i)
			}
		})
	}
}
