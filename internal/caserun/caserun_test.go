package caserun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/devwork"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

func TestJudge(t *testing.T) {
	bad := tensor.Errorf(tensor.InvalidArgument, "no")
	for _, c := range []struct {
		name   string
		expect bool
		when   string
		err    error
		stage  string
		want   string
	}{
		{"passes", false, "", nil, "run", ""},
		{"unexpected", false, "", bad, "run", "InvalidArgument: no"},
		{"refused when run", true, "run", bad, "run", ""},
		{"earlier than it must", true, "run", bad, "compile", ""},
		{"refused when compiled", true, "compile", bad, "compile", ""},
		{"too late", true, "compile", bad, "run", "must be refused when compiled"},
		{"other code", true, "run", tensor.Errorf(tensor.NotFound, "x"), "run", "was with NotFound"},
		{"no code", true, "run", errors.New("x"), "run", "was with Unknown"},
		{"ran", true, "run", nil, "run", "ran, but must be refused"},
	} {
		err := Judge(&cases.Case{ExpectErr: c.expect, ErrCode: tensor.InvalidArgument, ErrWhen: c.when}, c.err, c.stage)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// runner is a model that doubles x, counts its runs, and may fail.
type runner struct {
	runs  int
	fail  int // this run fails
	panic bool
}

func (r *runner) Run(ctx context.Context, feeds map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	r.runs++
	if r.panic {
		var nothing []int
		_ = nothing[r.runs]
	}
	if r.runs == r.fail {
		if _, limited := ctx.Deadline(); limited {
			return nil, context.DeadlineExceeded
		}
		return nil, tensor.Errorf(tensor.OutOfRange, "run %d", r.runs)
	}
	x := tensor.Data[float32](feeds["x:0"])
	y := make([]float32, len(x))
	for i := range x {
		y[i] = 2 * x[i]
	}
	return map[string]*tensor.Tensor{"y:0": {DType: tensor.Float32, Shape: feeds["x:0"].Shape, Data: y}}, nil
}

func writeCase(t *testing.T, text string) *cases.Case {
	t.Helper()
	dir := t.TempDir()
	f32 := func(v ...float32) *tensor.Tensor { return tensor.Must(tensor.From(tensor.Shape{len(v)}, v)) }
	for name, m := range map[string]map[string]*tensor.Tensor{"f.npz": {"x:0": f32(1, 2)}, "g.npz": {"y:0": f32(2, 4)}, "h.npz": {"y:0": f32(2, 5)},
		"denormal.npz": {"x:0": f32(1e-40, 2)}, "zero.npz": {"y:0": f32(0, 4)}} {
		if err := npy.WriteZip(filepath.Join(dir, name), m); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]string{"case.json": text, "graph.pb": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := cases.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func runText(fetches ...string) string {
	var runs []string
	for _, f := range fetches {
		runs = append(runs, `{"feeds":"f.npz","fetches":"`+f+`","names":{"feeds":["x:0"],"fetches":["y:0"]}}`)
	}
	return `"runs":[` + strings.Join(runs, ",") + `]`
}

func TestCheck(t *testing.T) {
	refused := func(code string) string {
		return `,"expect":"error","error":{"code":"` + code + `","when":"run"}`
	}
	denormal := strings.Replace(runText("zero.npz"), "f.npz", "denormal.npz", 1)
	const flush = `,"features":["flush-denormals"]`
	for _, c := range []struct {
		name, text string
		runner     *runner
		open       error
		want       string
		runs       int
	}{
		{"one run", runText("g.npz"), &runner{}, nil, "", 1},
		{"three runs on one instance", runText("g.npz", "g.npz", "g.npz"), &runner{}, nil, "", 3},
		{"second run differs", runText("g.npz", "h.npz"), &runner{}, nil, "run 1: y:0: [1]: got 4, want 5", 2},
		{"run fails", runText("g.npz"), &runner{fail: 1}, nil, "OutOfRange: run 1", 1},
		{"refused", runText("g.npz", "g.npz") + refused("OutOfRange"), &runner{fail: 2}, nil, "", 2},
		{"refused too early", runText("g.npz", "g.npz") + refused("OutOfRange"), &runner{fail: 1}, nil, "run 0: OutOfRange", 1},
		{"not refused", runText("g.npz") + refused("OutOfRange"), &runner{}, nil, "ran, but", 1},
		{"deadline", runText("g.npz") + refused("DeadlineExceeded"), &runner{fail: 1}, nil, "", 1},
		{"does not compile", runText("g.npz"), &runner{}, errors.New("no such op"), "no such op", 0},
		{"refused when compiled", runText("g.npz") + refused("OutOfRange"), &runner{}, tensor.Errorf(tensor.OutOfRange, ""), "", 0},
		{"denormals are kept", denormal + flush, &runner{}, nil, "", 2},
		{"denormals are kept without the tag", denormal, &runner{}, nil, "e-40, want 0", 1},
		{"more than denormals differs", runText("h.npz") + flush, &runner{}, nil, "y:0: [1]: got 4, want 5", 2},
		{"panic", runText("g.npz"), &runner{panic: true}, nil, "index out of range [1] with length 0 at ", 1},
	} {
		err := Check(context.Background(), writeCase(t, "{"+c.text+"}"), func(int) (Runner, error) { return c.runner, c.open })
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || c.runner.runs != c.runs {
			t.Errorf("%s: %v after %d runs, want %q after %d", c.name, err, c.runner.runs, c.want, c.runs)
		}
		if c.runner.panic && (err == nil || !strings.Contains(err.Error(), "caserun_test.go:")) {
			t.Errorf("%s: %v does not say where", c.name, err)
		}
	}
}

func TestServe(t *testing.T) {
	var out bytes.Buffer
	err := Serve(strings.NewReader("{\"index\":3,\"dir\":\"d\"}\n{\"index\":4}\n"), &out, func(q Request) Reply {
		if q.Dir == "d" {
			return Verdict(q.Index, nil)
		}
		return Verdict(q.Index, errors.New(strings.Repeat("x", 2*maxReason)))
	})
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	var a, b Reply
	if dec.Decode(&a) != nil || dec.Decode(&b) != nil || !a.Passed || a.Index != 3 || b.Passed || b.Index != 4 || len(b.Reason) > maxReason+10 {
		t.Errorf("%+v, %+v", a, b)
	}
	if Serve(strings.NewReader("nonsense\n"), &out, nil) == nil {
		t.Error("nonsense was served")
	}
}

func TestMaxErr(t *testing.T) {
	f := func(v ...float32) *tensor.Tensor { return tensor.Must(tensor.From(tensor.Shape{len(v)}, v)) }
	i := func(v ...int32) *tensor.Tensor { return tensor.Must(tensor.From(tensor.Shape{len(v)}, v)) }
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		got, want *tensor.Tensor
		err       float64
	}{
		"same":    {f(1, 2), f(1, 2), 0},
		"off":     {f(1, 3), f(1, -4), 7.0 / 4},
		"nan":     {f(nan), f(1), math.MaxFloat64},
		"ints":    {i(1), i(1), 0},
		"int off": {i(1), i(2), math.MaxFloat64},
		"missing": {nil, f(1), math.MaxFloat64},
		"dtype":   {i(1), f(1), math.MaxFloat64},
	} {
		if got := maxErr([]string{"y"}, map[string]*tensor.Tensor{"y": c.got}, map[string]*tensor.Tensor{"y": c.want}); got != c.err {
			t.Errorf("%s: %g, want %g", name, got, c.err)
		}
	}
}

func TestServeBench(t *testing.T) {
	n := 0
	b := &rt.Bound{Run: func(context.Context) error {
		if n++; n > 1000 {
			return errors.New("enough")
		}
		return nil
	}}
	var out bytes.Buffer
	if err := serveBench(strings.NewReader("burst 0\nallocs 5\nquit\nburst 0\n"), json.NewEncoder(&out), &subject{Bound: b, threads: 1}); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	var burst Burst
	var stats Stats
	if dec.Decode(&burst) != nil || len(burst.NS) != 2 || dec.Decode(&stats) != nil || dec.More() || n != 7 {
		t.Errorf("%+v, %+v, %d runs", burst, stats, n)
	}
	for _, in := range []string{"stop\n", "burst x\n", "ops x\n", "ops -1\n", "allocs 0\n", "allocs 2000\n"} {
		if serveBench(strings.NewReader(in), json.NewEncoder(&out), &subject{Bound: b, threads: 1}) == nil {
			t.Errorf("%q was served", in)
		}
	}
}

// TestDevices measures the times of a program's GPU, in total and for each kernel.
func TestDevices(t *testing.T) {
	d := sim.New(0, sim.Options{})
	m, err := d.Alloc(1 << 10)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 1<<10)
	b := &rt.Bound{Run: func(ctx context.Context) error {
		cpu := rt.Begin(ctx, func() *rt.Info { return &rt.Info{} })
		defer cpu.Join(nil)
		return d.Run(func() (err error) {
			q, err := device.NewQueue(d, 0)
			if err != nil {
				return err
			}
			run := rt.Begin(ctx, func() *rt.Info { return &rt.Info{Device: d.Name()} })
			defer func() { run.Join(err) }()
			devwork.Measure(&run, q)
			q.At("x", "Placeholder")
			for range 2 {
				if err := device.Put(q, m.Addr(), data); err != nil {
					return err
				}
			}
			if err := device.Get(q, data, m.Addr()); err != nil {
				return err
			}
			err = devwork.Measured(&run, q, func() devwork.DeviceWork { return devwork.DeviceWork{} })
			return errors.Join(err, q.Release())
		})
	}}
	var out bytes.Buffer
	name := d.Name()
	if err := serveBench(strings.NewReader("devices 0 "+name+"\nkernels 0 "+name+" /device:GPU:7\n"), json.NewEncoder(&out), &subject{Bound: b, threads: 1}); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	var whole, items Devices
	if err := errors.Join(dec.Decode(&whole), dec.Decode(&items)); err != nil {
		t.Fatal(err)
	}
	if len(whole.Devices) != 1 || whole.Devices[0].Device != name || !slices.Equal(whole.Devices[0].NS, []int64{24, 24, 24}) || slices.Min(whole.Devices[0].Host) <= 0 || whole.Devices[0].Kernels != nil {
		t.Errorf("%+v", whole)
	}
	want := []KernelTime{{"copy in", "x", "Placeholder", "compute", 2, 2048, 16, 16}, {"copy out", "x", "Placeholder", "compute", 1, 1024, 8, 8}}
	if len(items.Devices) != 2 || len(items.Devices[0].NS) != 0 || !slices.Equal(items.Devices[1].Kernels, want) {
		t.Errorf("%+v", items)
	}
	for _, in := range []string{"devices 0\n", "devices x " + name + "\n", "kernels 0 " + device.Full("CPU", 0) + "\n"} {
		if serveBench(strings.NewReader(in), json.NewEncoder(&out), &subject{Bound: b, threads: 1}) == nil {
			t.Errorf("%q was served", in)
		}
	}
	failing := &rt.Bound{Run: func(context.Context) error { return errors.New("enough") }}
	if serveBench(strings.NewReader("devices 0 "+name+"\n"), json.NewEncoder(&out), &subject{Bound: failing, threads: 1}) == nil {
		t.Error("a run's error is lost")
	}
}

func TestMaxBytes(t *testing.T) {
	if n := MaxBytes(&cases.Case{}); n != 0 {
		t.Errorf("an ordinary case has the limit %d", n)
	}
	if n := MaxBytes(&cases.Case{Features: []string{"accept", "hostile"}}); n <= 0 || n >= 2<<30-1 {
		t.Errorf("a hostile case has the limit %d", n)
	}
}

// TestOps times a program with two steps: step 0, and step 3, a loop of two chunks with two calls
// in each.
func TestOps(t *testing.T) {
	run := func(context.Context) error {
		Step(0)
		time.Sleep(time.Millisecond)
		Step(3)
		for range 2 {
			Call(3, 0)
			Call(3, 1)
			time.Sleep(2 * time.Millisecond)
		}
		return nil
	}
	for threads, want := range map[int][]OpTime{
		1: {{Step: 0, Times: 1}, {Step: 3, Times: 2}, {Step: 3, Call: 1, Times: 2}},
		2: {{Step: 0, Times: 1}, {Step: 3, Times: 1}},
	} {
		got, err := ops(&rt.Bound{Run: run}, "0", threads)
		if err != nil || got.Runs != 3 || len(got.Calls) != len(want) {
			t.Fatalf("%d threads: %+v, %v", threads, got, err)
		}
		sum := got.OutsideNS
		for i, c := range got.Calls {
			if w := want[i]; c.Step != w.Step || c.Call != w.Call || c.Times != w.Times || c.MedianNS < c.MinNS {
				t.Errorf("%d threads: call %d is %+v, want %+v", threads, i, c, w)
			}
			sum += c.MinNS
		}
		last := got.Calls[len(got.Calls)-1].MinNS
		if last < 4e6 || got.Calls[0].MinNS < 1e6 || sum > got.RunNS {
			t.Errorf("%d threads: %+v", threads, got)
		}
		if threads == 1 && got.Calls[1].MinNS >= 2e6 {
			t.Errorf("%+v: the sleep is the second call's", got)
		}
	}
	run(context.Background()) // the clock is off, so this run must not be recorded
	if clock.on {
		t.Error("the clock is still on")
	}
}

// TestPanicsFail: a recovered panic fails a case, even if the case expects an error with the same
// code. An Internal error without a panic does not fail such a case, because TensorFlow returns
// such errors, too.
func TestPanicsFail(t *testing.T) {
	c := &cases.Case{ExpectErr: true, ErrCode: tensor.Internal, ErrWhen: "run"}
	if err := Judge(c, tensor.Errorf(tensor.Internal, "panic in kernel X: index out of range"), "run"); err == nil {
		t.Error("a panic passes")
	}
	if err := Judge(c, tensor.Errorf(tensor.Internal, "Integer division by zero"), "run"); err != nil {
		t.Error(err)
	}
}
