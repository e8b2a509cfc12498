package bench

import (
	"bytes"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/internal/tool/schedule"
)

func TestLosses(t *testing.T) {
	steps := []*cost.Entry{{Step: 1, Node: "a", Kernel: "k.A"}, {Step: 2, Node: "b", Kernel: "k.B"}, {Step: 3, Node: "c", Kernel: "k.C"}, {Step: 5, Node: "d", Kernel: "k.D"}}
	p := &schedule.Prediction{Loops: map[int]schedule.Loop{1: {NS: 1000, Work: 1600, Chunks: 4}, 3: {NS: 5000, Work: 5000, Chunks: 1}, 5: {NS: 700, Work: 1400, Chunks: 2}}}
	got := lossesOf(p, 2, steps)
	if len(got) != 2 || got[0] != (loss{"c", "k.C", 1, 5, 2.5}) || got[1] != (loss{"a", "k.A", 4, 1, 0.2}) {
		t.Errorf("%+v", got)
	}
	if got := lossesOf(p, 1, steps); len(got) > 0 {
		t.Errorf("on one thread: %+v", got)
	}
	var all []*cost.Entry
	many := map[int]schedule.Loop{}
	for i := range 2 * mostLosses {
		all = append(all, &cost.Entry{Step: i})
		many[i] = schedule.Loop{NS: 1000}
	}
	if got := lossesOf(&schedule.Prediction{Loops: many}, 2, all); len(got) != mostLosses {
		t.Errorf("%d losses", len(got))
	}
}

func TestSimulatedText(t *testing.T) {
	s := &simulated{Costs: schedule.Costs{Join: 200, Chunk: 10, Wake: 70000, Patience: 410000, Linger: 51000, Measured: true}, Runs: []simulatedRun{
		{Threads: 1, US: 1000, Speedup: 1, Alone: 1, Busy: 1, MeasuredUS: 1100},
		{Threads: 4, US: 400, Speedup: 2.5, Alone: 0.1, Busy: 0.625, Losses: []loss{{"c", "k.C", 1, 5, 2.5}}},
	}}
	for _, measured := range []bool{true, false} {
		var out bytes.Buffer
		s.Costs.Measured = measured
		if err := s.text(&out); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, want := range []string{"after 200ns, or after 70µs if it sleeps", "1ms      1.00        100.0%        100.0%     1.1ms       -9.1%", "400µs      2.50         10.0%         62.5%", "loops that 4 threads share least evenly", "k.C  c"} {
			if !strings.Contains(text, want) {
				t.Errorf("the text lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "as usual, because no second processor is free") == measured {
			t.Errorf("measured %v:\n%s", measured, text)
		}
	}
}
