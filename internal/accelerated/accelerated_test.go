//go:build emitted

package accelerated

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/accelerated/model"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devicetest"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/parts"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// vector returns a tensor with one dimension and the elements v.
func vector[T tensor.Elem](v ...T) tensor.Of[T] {
	return tensor.Of[T]{Shape: tensor.Shape{len(v)}, Data: v}
}

// rows returns a tensor with n rows and k columns, whose elements are between -1 and 1.
func rows(n, k int) tensor.Of[float32] {
	t := tensor.Of[float32]{Shape: tensor.Shape{n, k}, Data: make([]float32, n*k)}
	for i := range t.Data {
		t.Data[i] = float32(math.Sin(float64(3*i + 1)))
	}
	return t
}

// near returns an error unless got and want are equal, up to the differences between a GPU's
// mathematical functions and those of the CPU.
func near(got, want []float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i, w := range want {
		if d := math.Abs(float64(got[i] - w)); !(d <= 1e-5*(1+math.Abs(float64(w)))) {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], w)
		}
	}
	return nil
}

// oracle returns the programs that compute the expected results on the CPU, keyed by signature.
// They are made from the same graph as the GPU's program.
var oracle = sync.OnceValue(func() map[string]*exec.Program {
	calls := []pipeline.Call{{Name: "dense", Feeds: []string{"x=x:0"}, Fetches: []string{"y=y:0", "h=h:0"}}}
	p, err := pipeline.Compile([]string{"testdata/steps.pbtxt"}, pipeline.Options{Calls: calls, Init: []string{"init"}})
	if err != nil {
		panic(err)
	}
	out := map[string]*exec.Program{}
	for _, s := range p.Signatures {
		if out[s.Name], err = exec.New(s.Plan); err != nil {
			panic(err)
		}
	}
	return out
})

// step runs a signature and checks the results.
type step struct {
	name string
	// run runs the signature and checks the results. The feeds have sizes that depend on n.
	run func(ctx context.Context, m *model.Model, n int) error
}

var steps = []step{
	{"dense", func(ctx context.Context, m *model.Model, n int) error {
		x := rows(n, 16)
		out, err := m.Dense(ctx, model.DenseInput{X: x})
		if err != nil {
			return err
		}
		want, err := oracle()["dense"].Run(context.Background(), map[string]*tensor.Tensor{"x:0": {DType: tensor.Float32, Shape: x.Shape, Data: x.Data}})
		if err != nil {
			return err
		}
		return errors.Join(near(out.Y.Data, want["y:0"].Data.([]float32)), near(out.H.Data, want["h:0"].Data.([]float32)))
	}},
	{"hop", func(ctx context.Context, m *model.Model, n int) error {
		p := rows(1, n)
		p.Shape = p.Shape[1:]
		out, err := m.Hop(ctx, model.HopInput{P: p})
		if err != nil {
			return err
		}
		back, beside := make([]float32, n), make([]float32, n)
		for i, v := range p.Data {
			e := math.Exp(float64(v))
			back[i], beside[i] = float32(math.Sqrt(e)*e), float32(e+1)
		}
		return errors.Join(near(out.Back.Data, back), near(out.Beside.Data, beside))
	}},
	{"loop", func(ctx context.Context, m *model.Model, n int) error {
		q := vector[float32](1, 2, -3)
		out, err := m.Loop(ctx, model.LoopInput{Q: q, N: tensor.Of[int32]{Data: []int32{int32(n)}}})
		if err != nil {
			return err
		}
		y := make([]float32, 3)
		for range n {
			for i := range y {
				y[i] = y[i]*0.5 + q.Data[i]
			}
		}
		return near(out.Looped.Data, y)
	}},
	{"far", func(ctx context.Context, m *model.Model, n int) error {
		q := vector[float32](1, 2, -3)
		out, err := m.Far(ctx, model.FarInput{Q: q, N: tensor.Of[int32]{Data: []int32{int32(n)}}})
		if err != nil {
			return err
		}
		y := make([]float64, 3)
		for range n {
			for i := range y {
				y[i] = math.Sin(y[i])*2 + float64(q.Data[i])
			}
		}
		return near(out.Far.Data, []float32{float32(y[0]), float32(y[1]), float32(y[2])})
	}},
}

// open makes a model on a simulated GPU.
func open(o sim.Options) (*model.Model, *sim.Device, error) {
	d := sim.New(0, o)
	m, err := model.New(parts.WithDevices(d))
	return m, d, err
}

// closed closes the model, and fails the test if memory or other resources of the device have not
// been freed.
func closed(t *testing.T, m *model.Model, d *sim.Device) {
	t.Helper()
	if m != nil {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if l := d.Leaks(); len(l) > 0 {
		t.Errorf("left on the device: %s", strings.Join(l, "\n"))
	}
}

// TestRuns runs all signatures with a sequence of sizes, some of which are repeated. It does so for
// several orders in which the device may execute work.
func TestRuns(t *testing.T) {
	for seed := range uint64(4) {
		m, d, err := open(sim.Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range []int{3, 3, 3, 17, 1, 3, 0, 40, 3} {
			for _, s := range steps {
				if err := s.run(t.Context(), m, n); err != nil {
					t.Errorf("seed %d: run %d: %s of %d: %v", seed, i, s.name, n, err)
				}
			}
		}
		closed(t, m, d)
	}
}

// TestTrace: a trace contains the device's work, by node and kernel, between the start and the end
// of the run. Runs without a trace, before and after a run with a trace, also return correct
// results.
func TestTrace(t *testing.T) {
	m, d, err := open(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tr := trace.New()
	ctx := rt.WithRun(t.Context(), rt.Observe(trace.Labels()), rt.Observe(tr)) // several hooks, one of which observes the device
	for i, ctx := range []context.Context{t.Context(), ctx, t.Context(), ctx, t.Context()} {
		for _, s := range steps {
			if err := s.run(ctx, m, 5); err != nil {
				t.Errorf("run %d of %s: %v", i, s.name, err)
			}
		}
	}
	kernels := map[string]int{}
	for _, r := range tr.Runs() {
		if device.IsCPU(r.Device) != (r.Work == nil) {
			t.Fatalf("what %s did is %v", r.Device, r.Work)
		}
		if r.Work == nil {
			continue
		}
		if r.Work.Begun < r.Start || r.Work.Begun > r.End || r.Work.Block == 0 || r.Work.InUse < r.Work.Block+r.Work.Own {
			t.Errorf("%s from %v to %v: %+v", r.Signature, r.Start, r.End, r.Work)
		}
		ends := map[string]time.Duration{}
		for _, w := range r.Work.Items {
			if w.Node == "" || w.Op == "" || w.Start < max(r.Work.Begun, ends[w.Stream]) || w.End < w.Start {
				t.Errorf("%s: %+v", r.Signature, w)
			}
			ends[w.Stream] = w.End
			kernels[w.What]++
		}
	}
	for _, what := range []string{"copy in", "copy out", "elements0"} {
		if kernels[what] == 0 {
			t.Errorf("there is no %s among %v", what, kernels)
		}
	}
	var text bytes.Buffer
	if err := tr.WriteText(&text); err != nil || !strings.Contains(text.String(), "kernel") || !strings.Contains(text.String(), "elements0") {
		t.Errorf("%v: %s", err, text.String())
	}
	closed(t, m, d)
}

// TestPreload: New loads the kernels. If the device rejects a kernel, the error names the node that
// needs it.
func TestPreload(t *testing.T) {
	m, d, err := open(sim.Options{Faults: []sim.Fault{{Call: sim.PrepareFault, At: 1}}})
	var e *tensor.Error
	if !errors.As(err, &e) || e.Node == "" || e.Op == "" || !strings.Contains(err.Error(), "injected") {
		t.Errorf("New: %v, %v", m, err)
	}
	closed(t, nil, d)
}

// TestState: all signatures share a variable.
func TestState(t *testing.T) {
	m, d, err := open(sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := m.Count(t.Context(), model.CountInput{Q: vector[float32](1, 2, 3)}); err != nil {
			t.Fatal(err)
		}
	}
	out, err := m.Now(t.Context(), model.NowInput{})
	if err != nil || !slices.Equal(out.Now.Data, []float32{3, 6, 9}) {
		t.Errorf("%v, %v", out.Now, err)
	}
	closed(t, m, d)
}

// TestVariableFaults: if a run that changes a variable fails, the variable has either its old or
// its new value. Later runs continue with that value.
func TestVariableFaults(t *testing.T) {
	q := vector[float32](1, 2, 3)
	for _, call := range []sim.Call{sim.AllocFault, sim.HostFault, sim.StreamFault, sim.EventFault, sim.RecordFault, sim.LaunchFault, sim.CopyFault, sim.SyncFault} {
		for k := 1; k < 40; k++ {
			m, d, err := open(sim.Options{Faults: []sim.Fault{{Call: call, At: k}}})
			if err != nil {
				closed(t, nil, d)
				continue
			}
			done, failed := 0, 0
			for range 4 {
				if _, err := m.Count(t.Context(), model.CountInput{Q: q}); err != nil {
					failed++
				} else {
					done++
				}
			}
			out, err := m.Now(t.Context(), model.NowInput{})
			if err != nil {
				failed++
				out, err = m.Now(t.Context(), model.NowInput{})
			}
			if err != nil || failed > 1 || len(out.Now.Data) != 3 || out.Now.Data[1] != 2*out.Now.Data[0] ||
				int(out.Now.Data[0]) < done || int(out.Now.Data[0]) > done+failed {
				t.Errorf("%v %d: %d runs and %d with faults: %v, %v", call, k, done, failed, out.Now.Data, err)
			}
			closed(t, m, d)
			if failed == 0 {
				break
			}
		}
	}
}

// TestVariableMany: no change of a variable by concurrent runs is lost.
func TestVariableMany(t *testing.T) {
	m, d, err := open(sim.Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				if _, err := m.Count(t.Context(), model.CountInput{Q: vector[float32](1, 2, 3)}); err != nil {
					t.Error(err)
				}
				if _, err := m.Now(t.Context(), model.NowInput{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	out, err := m.Now(t.Context(), model.NowInput{})
	if err != nil || !slices.Equal(out.Now.Data, []float32{20, 40, 60}) {
		t.Errorf("%v, %v", out.Now, err)
	}
	closed(t, m, d)
}

// TestMany runs signatures on several goroutines at once.
func TestMany(t *testing.T) {
	m, d, err := open(sim.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 6 {
				s := steps[(g+i)%len(steps)]
				if err := s.run(t.Context(), m, 1+(g*i)%5); err != nil {
					t.Errorf("%s: %v", s.name, err)
				}
			}
		}()
	}
	wg.Wait()
	closed(t, m, d)
}

// TestFaults injects faults into calls of each kind, one at a time: the run returns the error,
// nothing leaks, and the next run works.
func TestFaults(t *testing.T) { faults(t, t.Context(), 1) }

// TestTracedFaults is TestFaults for runs whose kernels are measured.
func TestTracedFaults(t *testing.T) {
	faults(t, rt.WithRun(t.Context(), rt.Observe(trace.New())), 7)
}

// faults makes calls of the device fail. For each kind of call, it opens several instances, and one
// call fails in each instance: call 1 in the first instance, call 1+every in the second, call
// 1+2·every in the third, and so on.
func faults(t *testing.T, ctx context.Context, every int) {
	for _, call := range []sim.Call{sim.AllocFault, sim.HostFault, sim.StreamFault, sim.EventFault, sim.RecordFault, sim.LaunchFault, sim.CopyFault, sim.SyncFault} {
		t.Run(call.String(), func(t *testing.T) {
			failed := 0
			for k := 1; k < 1000; k += every {
				m, d, err := open(sim.Options{Faults: []sim.Fault{{Call: call, At: k}}})
				if err != nil {
					failed++
					fault(t, err, k, false)
					closed(t, nil, d)
					continue
				}
				wrong := 0
				for range 2 { // the second run replays work that the first run recorded
					for _, s := range steps {
						if err := s.run(ctx, m, 4); err != nil {
							wrong++
							fault(t, err, k, call == sim.LaunchFault || call == sim.CopyFault)
							if err := s.run(ctx, m, 4); err != nil {
								t.Errorf("%d: the next run of %s: %v", k, s.name, err)
							}
						}
					}
				}
				closed(t, m, d)
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
		})
	}
}

// fault checks an error that an injected fault has caused. If node is true, the error must contain
// the name of a node.
func fault(t *testing.T, err error, k int, node bool) {
	t.Helper()
	var e *tensor.Error
	if !strings.Contains(err.Error(), "injected") || !errors.As(err, &e) {
		t.Errorf("%d: %v", k, err)
	} else if node && e.Node == "" {
		t.Errorf("%d: no node: %v", k, err)
	}
}

// TestUseless: after an error that makes a device unusable, runs return an error.
func TestUseless(t *testing.T) {
	m, d, err := open(sim.Options{Faults: []sim.Fault{{Call: sim.LaunchFault, At: 3, Sticky: true}}})
	if err != nil {
		t.Fatal(err)
	}
	failed := false
	for range 3 {
		for _, s := range steps {
			err := s.run(t.Context(), m, 4)
			if failed && err == nil {
				t.Errorf("%s works on a useless device", s.name)
			}
			if err != nil && !strings.Contains(err.Error(), "injected") {
				t.Errorf("%s: %v", s.name, err)
			}
			failed = failed || err != nil
		}
	}
	if !failed || d.Err() == nil {
		t.Error("nothing failed")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestMemory: the error for a device with too little memory says how much memory is needed, and for
// which purposes.
func TestMemory(t *testing.T) {
	m, d, err := open(sim.Options{Limit: 8 << 10})
	if err != nil {
		t.Fatal(err)
	}
	err = steps[0].run(t.Context(), m, 1000)
	if tensor.CodeOf(err) != tensor.ResourceExhausted || !strings.Contains(err.Error(), "(MatMul)") || !strings.Contains(err.Error(), "bytes from node") {
		t.Errorf("%v", err)
	}
	if err := steps[0].run(t.Context(), m, 2); err != nil {
		t.Errorf("a smaller run: %v", err)
	}
	closed(t, m, d)
}

// TestMissingWait: if the host ignores events, it reads the memory for a GPU's result before the
// result has arrived.
func TestMissingWait(t *testing.T) {
	missingWait(t, func(seed uint64) error {
		m, err := model.New(parts.WithDevices(devicetest.Hasty{Device: sim.New(0, sim.Options{Seed: seed})}))
		if err != nil {
			t.Fatal(err)
		}
		defer closeModel(t, m)
		return steps[1].run(t.Context(), m, 5)
	})
}

// missingWait calls the callback with 20 seeds. The callback must run a model on a device that does
// not wait for events, so that most runs read data too early and fail. Some runs may be correct by
// chance, depending on the seed and on the host's timing. At least 5 of the 20 runs must fail.
func missingWait(t *testing.T, run func(seed uint64) error) {
	t.Helper()
	wrong := 0
	for seed := range uint64(20) {
		if run(seed) != nil {
			wrong++
		}
	}
	if wrong < 5 {
		t.Errorf("a missing wait is noticed in %d runs of 20", wrong)
	}
}

func closeModel(t *testing.T, m interface{ Close() error }) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// TestBuilt checks a program that was built without support for GPUs. Its error must say how to
// build the program for GPUs.
func TestBuilt(t *testing.T) {
	_, err := model.New()
	if err == nil {
		t.Skip("built with the tag simgpu or cuda")
	}
	if !strings.Contains(err.Error(), "-tags cuda") {
		t.Errorf("%v", err)
	}
}
