//go:build emitted

package accelerated

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/graphc/graphc/internal/accelerated/train"
	"github.com/graphc/graphc/internal/accelerated/trainhost"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/parts"
	"github.com/graphc/graphc/rt/tensor"
)

// batch returns the feeds of a training step.
func batch(n int) (x, t tensor.Of[float32]) {
	x, t = rows(n, 6), tensor.Of[float32]{Shape: tensor.Shape{n, 2}, Data: make([]float32, 2*n)}
	for i := range t.Data {
		t.Data[i] = float32(math.Cos(float64(5*i) + 0.5))
	}
	return x, t
}

// values saves a checkpoint of m. It returns the prefix of the checkpoint, and the saved values of
// the variables by name.
func values(t *testing.T, m interface {
	Variables() []string
	Save(prefix string) error
}) (prefix string, all map[string][]float32) {
	t.Helper()
	prefix = filepath.Join(t.TempDir(), "c")
	if err := m.Save(prefix); err != nil {
		t.Fatal(err)
	}
	r, err := bundle.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	all = map[string][]float32{}
	for _, name := range m.Variables() {
		v, err := r.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = v.Data.([]float32)
	}
	return prefix, all
}

// equal returns an error unless got and want have the same variables with equal values. The
// function near compares the values of one variable; it may allow small differences.
func equal(got, want map[string][]float32, near func(got, want []float32) error) error {
	if len(got) != len(want) || len(got) != 14 { // 14 variables: 4 weights with 2 moments each, and 2 powers of Adam's betas
		return fmt.Errorf("%d variables, want %d", len(got), len(want))
	}
	for name, w := range want {
		if err := near(got[name], w); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func same(got, want []float32) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%v, want %v", got, want)
	}
	return nil
}

// TestTrain: training on a GPU gives the same results as on the CPU. Either can resume from a
// checkpoint of the other.
func TestTrain(t *testing.T) {
	for seed := range uint64(3) {
		d := sim.New(0, sim.Options{Seed: seed})
		gpu, err := train.New(parts.WithDevices(d))
		if err != nil {
			t.Fatal(err)
		}
		cpu, err := trainhost.New()
		if err != nil {
			t.Fatal(err)
		}
		var first, last float32
		run := func(at string, n int) {
			t.Helper()
			x, y := batch(n)
			got, err := gpu.Step(t.Context(), train.StepInput{X: x, T: y})
			if err != nil {
				t.Fatal(err)
			}
			want, err := cpu.Step(t.Context(), trainhost.StepInput{X: x, T: y})
			if err != nil {
				t.Fatal(err)
			}
			if err := near(got.Loss.Data, want.Loss.Data); err != nil {
				t.Errorf("seed %d: %s: the loss: %v", seed, at, err)
			}
			last = got.Loss.Data[0]
		}
		for i, n := range []int{5, 5, 5, 3, 5, 5, 5, 5} {
			if run(fmt.Sprintf("run %d", i), n); i == 0 {
				first = last
			}
		}
		if !(last < first) {
			t.Errorf("the loss goes from %v to %v", first, last)
		}

		// The CPU resumes from the GPU's variables.
		prefix, trained := values(t, gpu)
		_, beside := values(t, cpu)
		if err := equal(trained, beside, near); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := cpu.Restore(prefix); err != nil {
			t.Fatal(err)
		}
		prefix, restored := values(t, cpu)
		if err := equal(restored, trained, same); err != nil {
			t.Errorf("seed %d: restored on the CPU: %v", seed, err)
		}
		run("after the CPU's restore", 5)

		// The GPU restores the checkpoint that the CPU wrote, and discards the values in its
		// memory.
		if err := gpu.Restore(prefix); err != nil {
			t.Fatal(err)
		}
		if _, again := values(t, gpu); equal(again, trained, same) != nil {
			t.Errorf("seed %d: restored on the GPU: %v", seed, equal(again, trained, same))
		}
		if err := cpu.Restore(prefix); err != nil {
			t.Fatal(err)
		}
		x, y := batch(5)
		got, err := gpu.Loss(t.Context(), train.LossInput{X: x, T: y})
		if err != nil {
			t.Fatal(err)
		}
		want, err := cpu.Loss(t.Context(), trainhost.LossInput{X: x, T: y})
		if err != nil {
			t.Fatal(err)
		}
		if err := near(got.Loss.Data, want.Loss.Data); err != nil {
			t.Errorf("seed %d: the loss alone: %v", seed, err)
		}
		run("after both have restored", 5)

		if err := gpu.Close(); err != nil {
			t.Error(err)
		}
		if l := d.Leaks(); len(l) > 0 {
			t.Errorf("left on the device: %s", l)
		}
		if err := cpu.Close(); err != nil {
			t.Error(err)
		}
	}
}
