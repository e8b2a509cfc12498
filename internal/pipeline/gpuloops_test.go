package pipeline

import (
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/plan"
)

// copiesInLoops counts steps inside loops. It adds the number of copies to a device to *puts, the
// number of copies from a device to *gets, and the number of steps that only append work to the
// device's queue to *recorded. The second argument is true if the given steps are already inside a
// loop.
func copiesInLoops(steps []plan.Step, in bool, puts, gets, recorded *int) {
	for _, s := range steps {
		_, loop := s.(*plan.Loop)
		for _, l := range plan.Lists(s) {
			copiesInLoops(*l, in || loop, puts, gets, recorded)
		}
		if !in {
			continue
		}
		if plan.Recorded(s) {
			*recorded++
		}
		switch s.(type) {
		case *plan.Put:
			*puts++
		case *plan.Get:
			*gets++
		}
	}
}

// TestCopiesInLoops: a loop whose iterations are counted on the host copies nothing between host
// and device. A loop whose condition is computed on the device copies one bool in each iteration.
func TestCopiesInLoops(t *testing.T) {
	for _, c := range []struct {
		name       string
		puts, gets int
		host       bool // the loop computes single numbers, all of which the host needs
	}{
		{"control-flow-v1/dynamic_rnn_rnn_time_major", 0, 0, false},
		{"control-flow-v1/map_fn", 0, 0, false},
		{"control-flow-v1/while_data_dependent", 0, 1, false},
		{"control-flow-v1/while_nested", 0, 0, true},
		{"control-flow-v1/while_rotates_variables", 0, 0, true},
		{"control-flow-v2/dynamic_rnn_lstm", 0, 0, false},
		{"control-flow-v2/dynamic_rnn_lstm_time_major", 0, 0, false},
		{"control-flow-v2/map_fn", 0, 0, false},
		{"control-flow-v2/tensor_array_write_read_stack", 0, 1, false}, // the element shape of the loop's TensorArray is unknown
		{"control-flow-v2/while_maximum_iterations", 0, 0, true},
		{"control-flow-v2/while_three_deep", 0, 0, true},
	} {
		k := testkit.Case(t, "features", c.name)
		p, err := Compile([]string{k.ModelPath}, Options{Devices: []string{"gpu:0", "cpu:0"}, SoftPlacement: true,
			Feeds: k.Runs[0].Feeds, Fetches: k.Runs[0].Fetches})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var puts, gets, recorded int
		for _, q := range p.Signatures[0].Plan.Parts {
			copiesInLoops(q.Steps, false, &puts, &gets, &recorded)
		}
		if puts != c.puts || gets != c.gets {
			t.Errorf("%s: %d copies to the device and %d from there in an iteration, want %d and %d", c.name, puts, gets, c.puts, c.gets)
		}
		if recorded == 0 != c.host {
			t.Errorf("%s: %d steps are the device's", c.name, recorded)
		}
	}
}
