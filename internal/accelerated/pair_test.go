//go:build emitted

package accelerated

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/accelerated/pair"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/parts"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// pairSteps are runs of the program for two GPUs, each with its check.
var pairSteps = []struct {
	name string
	run  func(ctx context.Context, m *pair.Model, n int) error
}{
	{"across", func(ctx context.Context, m *pair.Model, n int) error {
		p := rows(1, n)
		p.Shape = p.Shape[1:]
		out, err := m.Across(ctx, pair.AcrossInput{P: p})
		if err != nil {
			return err
		}
		back, sum, down := make([]float32, n), make([]float32, n), make([]float32, n)
		for i, v := range p.Data {
			e := math.Exp(float64(v))
			back[i], sum[i], down[i] = float32(3*math.Sqrt(e)*e), float32(e+1), float32(-e-1)
		}
		return errors.Join(near(out.Back.Data, back), near(out.Sum.Data, sum), near(out.Down.Data, down))
	}},
	{"rally", func(ctx context.Context, m *pair.Model, n int) error {
		q := vector[float32](1, 2, -3)
		n %= 8
		out, err := m.Rally(ctx, pair.RallyInput{Q: q, N: tensor.Of[int32]{Data: []int32{int32(n)}}})
		if err != nil {
			return err
		}
		y, s := make([]float32, 3), make([]float32, 3)
		for range n {
			for i := range y {
				z := y[i]*0.5 + q.Data[i]
				w := float32(math.Sin(float64(z)))
				y[i], s[i] = z+0.25, s[i]+z*z+w
			}
		}
		return errors.Join(near(out.Last.Data, y), near(out.Sums.Data, s))
	}},
}

// TestPairPartial tests partial runs on two GPUs. GPU 0 computes a result at the beginning of a
// partial run. GPU 1 receives this result later. If the partial run is closed or dropped before,
// GPU 1 never receives it.
func TestPairPartial(t *testing.T) {
	for seed := range uint64(3) {
		d := two(sim.Options{Seed: seed, Machine: new(sim.Machine)})
		m, err := openPair(d)
		if err != nil {
			t.Fatal(err)
		}
		p, r := vector[float32](0, 1, 2), vector[float32](5, 6, 7)
		step := func(late *pair.LatePartial) {
			t.Helper()
			if err := late.FeedP(p); err != nil {
				t.Fatal(err)
			}
			up, err := late.FetchUp(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := near(up.Data, []float32{1, math.E, math.E * math.E}); err != nil {
				t.Error(err)
			}
		}
		last := func(late *pair.LatePartial) {
			t.Helper()
			if err := late.FeedR(r); err != nil {
				t.Fatal(err)
			}
			got, err := late.FetchLate(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := near(got.Data, []float32{5, 6 * math.E, 7 * math.E * math.E}); err != nil {
				t.Error(err)
			}
		}
		a, b, c := m.LatePartial(), m.LatePartial(), m.LatePartial()
		step(a)
		step(b)
		last(b)
		last(a)
		step(c)
		c.Close()
		step(m.LatePartial()) // dropped
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		for i := 0; i < 500 && len(d[0].Leaks()) > 0; i++ {
			runtime.GC() // run the finalizer of the partial run that was dropped
			time.Sleep(time.Millisecond)
		}
		closedPair(t, nil, d)
	}
}

// two returns new simulated GPUs 0 and 1. The slice o has one element for each GPU, or a single
// element for both.
func two(o ...sim.Options) []*sim.Device {
	var out []*sim.Device
	for i := range 2 {
		out = append(out, sim.New(i, o[min(i, len(o)-1)]))
	}
	return out
}

// openPair opens the program on two devices.
func openPair(d []*sim.Device) (*pair.Model, error) {
	return pair.New(parts.WithDevices(d[0], d[1]))
}

// closedPair closes the model and reports leaks on the devices.
func closedPair(t *testing.T, m *pair.Model, ds []*sim.Device) {
	t.Helper()
	if m != nil {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, d := range ds {
		if l := d.Leaks(); len(l) > 0 {
			t.Errorf("left on %s: %s", d.Name(), strings.Join(l, "\n"))
		}
	}
}

// TestPair runs pairSteps for several orders in which the GPUs may execute work. It runs them on
// two GPUs of one machine, and on two GPUs without peer access.
func TestPair(t *testing.T) {
	for seed := range uint64(6) {
		for _, apart := range []bool{false, true} {
			o := sim.Options{Seed: seed, Machine: new(sim.Machine)}
			p := o
			if apart {
				p.Machine = new(sim.Machine)
			}
			d := two(o, p)
			m, err := openPair(d)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range []int{3, 3, 3, 17, 1, 7, 0, 40, 3} {
				for _, s := range pairSteps {
					if err := s.run(t.Context(), m, n); err != nil {
						t.Errorf("seed %d, apart %v: run %d: %s of %d: %v", seed, apart, i, s.name, n, err)
					}
				}
			}
			closedPair(t, m, d)
		}
	}
}

// TestPairTrace: each GPU's work, including copies from the other GPU, is timed by the GPU's own
// clock.
func TestPairTrace(t *testing.T) {
	d := two(sim.Options{Seed: 3, Machine: new(sim.Machine)})
	m, err := openPair(d)
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.New()
	ctx := rt.WithRun(t.Context(), rt.Observe(tr))
	for range 2 {
		for _, s := range pairSteps {
			if err := s.run(ctx, m, 5); err != nil {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	}
	peers := map[string]int{}
	for _, r := range tr.Runs() {
		if r.Work == nil {
			continue
		}
		for _, w := range r.Work.Items {
			if w.What == "copy from a device" && w.Node != "" && w.Bytes > 0 {
				peers[r.Device]++
			}
		}
	}
	if peers[d[0].Name()] == 0 || peers[d[1].Name()] == 0 {
		t.Errorf("copies from the other device: %v", peers)
	}
	closedPair(t, m, d)
}

// TestPairMany runs on several goroutines at once and cancels some runs.
func TestPairMany(t *testing.T) {
	d := two(sim.Options{Seed: 5, Machine: new(sim.Machine)})
	m, err := openPair(d)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 8 {
				ctx, cancel := context.WithCancel(t.Context())
				if (g+i)%3 == 0 {
					go cancel()
				}
				s := pairSteps[(g+i)%len(pairSteps)]
				if err := s.run(ctx, m, 1+(g*i)%5); err != nil && !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", s.name, err)
				}
				cancel()
			}
		}()
	}
	wg.Wait()
	closedPair(t, m, d)
}

// TestPairFaults injects faults into calls of each kind, one at a time, on either GPU.
func TestPairFaults(t *testing.T) {
	for _, call := range []sim.Call{sim.AllocFault, sim.HostFault, sim.StreamFault, sim.EventFault, sim.RecordFault, sim.LaunchFault, sim.CopyFault, sim.SyncFault} {
		for on := range 2 {
			for _, apart := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, GPU %d, apart %v", call, on, apart), func(t *testing.T) { pairFaults(t, call, on, apart) })
			}
		}
	}
}

func pairFaults(t *testing.T, call sim.Call, on int, apart bool) {
	failed, each := 0, 1
	if apart {
		each = 5
	}
	for k := 1; k < 200; k += each {
		o := []sim.Options{{Machine: new(sim.Machine)}, {}}
		if !apart {
			o[1].Machine = o[0].Machine
		}
		o[on].Faults = []sim.Fault{{Call: call, At: k}}
		d := two(o...)
		m, err := openPair(d)
		if err != nil {
			failed++
			fault(t, err, k, false)
			closedPair(t, nil, d)
			continue
		}
		wrong := 0
		for range 2 { // the second run replays work that the first run recorded
			for _, s := range pairSteps {
				if err := s.run(t.Context(), m, 3); err != nil {
					wrong++
					fault(t, err, k, call == sim.LaunchFault || call == sim.CopyFault)
					if err := s.run(t.Context(), m, 3); err != nil {
						t.Errorf("%d: the next run of %s: %v", k, s.name, err)
					}
				}
			}
		}
		closedPair(t, m, d)
		if wrong > 1 {
			t.Errorf("%d: %d runs failed", k, wrong)
		}
		if failed += wrong; wrong == 0 {
			break
		}
	}
	if failed == 0 {
		t.Error("no call failed")
	}
}

// TestPairMissingWait: if the receiver does not wait for the sender, it copies data that the sender
// has not written yet.
func TestPairMissingWait(t *testing.T) {
	missingWait(t, func(seed uint64) error {
		d := two(sim.Options{Seed: seed, Machine: new(sim.Machine)})
		m, err := pair.New(parts.WithDevices(d[0], devicetest.Hasty{Device: d[1]}))
		if err != nil {
			t.Fatal(err)
		}
		defer closeModel(t, m)
		return pairSteps[0].run(t.Context(), m, 5)
	})
}
