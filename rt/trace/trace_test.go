package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/devwork"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
	"github.com/graphc/graphc/rt/trace"
)

// dims, sizes and state stand for the types that emitted code would declare.
type (
	dims  struct{ B int }
	sizes struct{ n int }
	state = rt.State[dims, sizes, struct{}, struct{}, struct{}]
	pool  = rt.Pool[dims, sizes, struct{}, struct{}, struct{}]
)

var code = rt.Code[dims]{
	Name:   "serve",
	Device: "/job:localhost/replica:0/task:0/device:CPU:1",
	Steps: []rt.Step{
		{Node: "x", Op: "MatMul", Outputs: []string{"f32[2*B,3]"}},
		{Node: "y", Op: "Where", Outputs: []string{"i64[n,1]", "bool[]"}},
		{Node: "z", Op: "If"},
	},
	Lives: []mem.Life{{First: 0, Last: 1}},
	Sizes: func(d *dims, n []int) { n[0] = 24 * d.B },
	Grow:  1, Strings: 1,
}

func newPool(t *testing.T, opts ...rt.Option) *pool {
	t.Helper()
	b, err := rt.Open(nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	p := new(pool)
	p.Init(b, &code, nil)
	return p
}

func run(ctx context.Context, p *pool, b int, f func(s *state) error) (err error) {
	s, err := p.Get(ctx, dims{b})
	if err != nil {
		return err
	}
	defer p.Put(s, &err)
	s.At(0)
	time.Sleep(time.Millisecond)
	s.V.n = 7 * b
	s.At(1)
	s.GrowTo(0, s.V.n, 8)
	s.At(2)
	return f(s)
}

func fine(*state) error { return nil }

func TestTrace(t *testing.T) {
	tr := trace.New()
	p := newPool(t)
	ctx := rt.WithRun(context.Background(), rt.Observe(tr))
	for _, b := range []int{1, 4} {
		if err := run(ctx, p, b, fine); err != nil {
			t.Fatal(err)
		}
	}
	bad := errors.New("bad")
	_ = run(ctx, p, 4, func(*state) error { return bad })
	if err := run(context.Background(), p, 4, fine); err != nil { // without a hook
		t.Fatal(err)
	}
	runs := tr.Runs()
	if len(runs) != 3 {
		t.Fatalf("%d runs are recorded, want 3", len(runs))
	}
	for i, r := range runs {
		b := []int{1, 4, 4}[i]
		if r.Signature != "serve" || r.Device != code.Device || len(r.Steps) != 3 || r.Thread != 0 || (r.Err != nil) != (i == 2) {
			t.Fatalf("run %d is %+v", i, r)
		}
		last := r.Start
		for k, s := range r.Steps {
			if s.Start < last || s.End < s.Start || s.End > r.End || r.Start <= 0 {
				t.Errorf("run %d from %v to %v: step %d from %v to %v, after one that ends at %v", i, r.Start, r.End, k, s.Start, s.End, last)
			}
			last = s.End
		}
		if d := r.Steps[0].End - r.Steps[0].Start; d < time.Millisecond {
			t.Errorf("a step of a millisecond takes %v", d)
		}
		for k, want := range [][]trace.Output{
			{{DType: tensor.Float32, Shape: []int{2 * b, 3}, Bytes: 24 * b}},
			{{DType: tensor.Int64, Shape: []int{7 * b, 1}, Bytes: 56 * b}, {DType: tensor.Bool, Shape: []int{}, Bytes: 1}},
			nil,
		} {
			if !reflect.DeepEqual(r.Steps[k].Outputs, want) {
				t.Errorf("run %d: step %d makes %v, want %v", i, k, r.Steps[k].Outputs, want)
			}
		}
		grown := r.Steps[1].Grown
		if (grown >= 56*b) != (i < 2) || r.Grown != grown || r.Steps[0].Grown != 0 || r.Peak < r.Arena+56*b || r.Arena != 24*b+(-24*b&63) {
			t.Errorf("run %d: arena %d, grown %d, in step 1 %d, peak %d", i, r.Arena, r.Grown, grown, r.Peak)
		}
	}
}

// TestThreads: concurrent runs are on different threads, and so are the tasks of a run.
func TestThreads(t *testing.T) {
	tr := trace.New()
	p := newPool(t, rt.WithConcurrency(4), rt.WithHook(tr))
	var wg, in sync.WaitGroup
	in.Add(4)
	for range 4 {
		wg.Go(func() {
			if err := run(context.Background(), p, 1, func(s *state) error {
				in.Done()
				in.Wait()
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var threads []int
	for _, r := range tr.Runs() {
		threads = append(threads, r.Thread)
	}
	slices.Sort(threads)
	if !slices.Equal(threads, []int{0, 1, 2, 3}) {
		t.Errorf("threads %v", threads)
	}
	if err := run(context.Background(), p, 1, func(s *state) error {
		var wg sync.WaitGroup
		for range 2 {
			m := s.Fork()
			wg.Go(func() {
				m.At(0)
				time.Sleep(time.Millisecond)
				m.Join(nil)
			})
		}
		wg.Wait()
		s.At(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	runs := tr.Runs()
	last := runs[len(runs)-1]
	seen := map[int]int{}
	for i, s := range last.Steps {
		seen[s.Thread]++
		if i > 0 && s.Start < last.Steps[i-1].Start || s.Start < last.Start || s.End > last.End {
			t.Errorf("step %d of tasks is from %v to %v", i, s.Start, s.End)
		}
	}
	if len(last.Steps) != 6 || seen[last.Thread] != 4 || len(seen) != 3 {
		t.Errorf("steps by thread: %v", seen)
	}
}

func TestLimit(t *testing.T) {
	tr := trace.New(trace.Limit(7))
	p := newPool(t, rt.WithHook(tr))
	for range 5 {
		if err := run(context.Background(), p, 2, fine); err != nil {
			t.Fatal(err)
		}
	}
	if len(tr.Runs()) != 2 || tr.Left() != 3 {
		t.Errorf("%d runs are kept and %d left, want 2 and 3", len(tr.Runs()), tr.Left())
	}
	var text bytes.Buffer
	if err := tr.WriteText(&text); err != nil || !strings.Contains(text.String(), "3 more runs") || strings.Index(text.String(), "MatMul") > strings.Index(text.String(), "Where") {
		t.Errorf("%v\n%s", err, &text)
	}
	c := tr.Profile().Nodes[0]
	if want := (trace.Cost{Signature: "serve", Device: code.Device, Node: "x", Op: "MatMul", Runs: 5, Times: 5, NS: c.NS, Bytes: 48}); c != want || c.Mean() < time.Millisecond {
		t.Errorf("%+v, want %+v", c, want)
	}
}

func TestProfile(t *testing.T) {
	p := &trace.Profile{Nodes: []trace.Cost{
		{"", "/device:CPU:0", "a", "Add", 2, 2, 3000, 8},
		{"s", "/device:CPU:0", "a … <b>", "Add … Mul", 1, 1, 10, 0},
		{"s", "/device:CPU:1", "a", "Add", 4, 40, 8000, 8},
	}}
	var a, b bytes.Buffer
	if err := p.Write(&a); err != nil {
		t.Fatal(err)
	}
	text := a.String()
	q, err := trace.ReadProfile(&a)
	if err != nil || !reflect.DeepEqual(p, q) {
		t.Errorf("%v, %+v", err, q)
	}
	if err := q.Write(&b); err != nil || b.String() != text {
		t.Errorf("written again it is\n%s\nwant\n%s", &b, text)
	}
	if got, want := q.PerRun(), map[string]float64{"a": 11000. / 6, "a … <b>": 10}; !reflect.DeepEqual(got, want) {
		t.Errorf("nodes take %v, want %v", got, want)
	}
	twice := `{"graphc_profile": 1, "nodes": [{"signature":"","device":"","node":"n","op":"Add","runs":1,"times":1,"ns":5,"bytes":0},
		{"signature":"","device":"","node":"n","op":"Add","runs":2,"times":2,"ns":7,"bytes":4}]}`
	if q, err := trace.ReadProfile(strings.NewReader(twice)); err != nil || len(q.Nodes) != 1 || q.Nodes[0] != (trace.Cost{"", "", "n", "Add", 3, 3, 12, 4}) {
		t.Errorf("put together: %v, %v", q, err)
	}
	for _, bad := range []string{``, `{"graphc_profile": 1, "nodes": []} {}`, `{"graphc_profile": 1, "nodes": []}}`, `{"graphc_profile": 2, "graphc_profile": 1, "nodes": []}`, `[]`, `{"graphc_profile": 2}`, `{"nodes": []}`, `{"graphc_profile": 1, "x": 1}`, `{"graphc_profile": 1, "nodes": [{"node": "a", "runs": 0}]}`, `{"graphc_profile": 1, "nodes": [{"node": "a", "runs": 2, "times": 1}]}`, `{"graphc_profile": 1, "nodes": [{"node": "a", "runs": 1, "times": 1, "ns": -4}]}`} {
		if _, err := trace.ReadProfile(strings.NewReader(bad)); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestChrome(t *testing.T) {
	tr := trace.New()
	p := newPool(t, rt.WithHook(tr))
	for range 2 {
		if err := run(context.Background(), p, 2, fine); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := tr.WriteChrome(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		TraceEvents []struct {
			Name, Ph string
			PID, TID int
			TS, Dur  float64
			Args     map[string]any
		} `json:"traceEvents"`
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &b)
	}
	count := map[string]int{}
	for _, e := range got.TraceEvents {
		count[e.Ph+" "+e.Name]++
		switch {
		case e.Ph == "M" && e.Name == "process_name" && e.Args["name"] != code.Device,
			e.Name == "MatMul" && (e.Args["node"] != "x" || e.Args["outputs"] != "f32[4,3]" || e.Args["bytes"] != 48.0 || e.Dur < 1000 || e.TS <= 0 || e.PID != 1),
			e.Name == "serve" && (e.Args["arena_bytes"] != 64.0 || e.Dur < 1000):
			t.Errorf("%+v", e)
		}
	}
	for name, n := range map[string]int{"X serve": 2, "X MatMul": 2, "X Where": 2, "X If": 2, "M process_name": 1, "M thread_name": 1, "C memory": 4} {
		if count[name] != n {
			t.Errorf("%d of %s, want %d", count[name], name, n)
		}
	}
}

// TestLabels: during a run, the goroutine of the run has the labels of the run and of the step, and
// those of the context. After the run, it has only the labels of the context.
func TestLabels(t *testing.T) {
	p := newPool(t)
	pprof.Do(context.Background(), pprof.Labels("request", "7"), func(ctx context.Context) {
		err := run(rt.WithRun(ctx, rt.Observe(trace.Labels())), p, 1, func(*state) error {
			if got := goroutine(t); !strings.Contains(got, `"node":"z"`) || !strings.Contains(got, `"op":"If"`) || !strings.Contains(got, `"request":"7"`) || !strings.Contains(got, `"signature":"serve"`) {
				t.Errorf("in a step: %s", got)
			}
			return nil
		})
		if got := goroutine(t); err != nil || strings.Contains(got, `"node"`) || !strings.Contains(got, `"request":"7"`) {
			t.Errorf("after the run: %v, %s", err, got)
		}
	})
}

// goroutine returns the calling goroutine's part of the goroutine profile. It contains the labels.
func goroutine(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&b, 1); err != nil {
		t.Fatal(err)
	}
	for _, g := range strings.Split(b.String(), "\n\n") {
		if strings.Contains(g, "trace_test.goroutine") {
			return g
		}
	}
	return ""
}

// TestFullNames checks that traces contain the full node names of the model. Two traces get the same
// items of device work, and each of them must contain the full names.
func TestFullNames(t *testing.T) {
	info := &rt.Info{Device: "gpu", Steps: []rt.Step{{Node: "a … b", Op: "Op … Op"}, {Node: "/x", Op: "Op"}}, Scopes: []rt.Scope{{Left: "call/model/"}}}
	a, b := trace.New(), trace.New()
	work := &devwork.DeviceWork{Times: &device.Times{Begun: time.Now(), Items: []device.Timed{{Node: "a", Op: "Op", End: 5}}}}
	for _, tr := range []*trace.Trace{a, b} {
		o := tr.Begin(context.Background(), info).(devwork.DeviceObserver)
		o.Step(0)
		o.Step(1)
		o.Worked(work)
		o.End(nil)
	}
	for _, tr := range []*trace.Trace{a, b} {
		r := tr.Runs()[0]
		got := []string{r.Steps[0].Node, r.Steps[1].Node, r.Work.Items[0].Node}
		if want := []string{"call/model/a … call/model/b", "x", "call/model/a"}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		for _, c := range tr.Profile().Nodes {
			if !slices.Contains(got, c.Node) {
				t.Errorf("the cost of %q", c.Node)
			}
		}
	}
}

// TestDevice: the times of the work of a device are relative to the call of New, like those of runs.
// The profile lists this work under a separate device name, and PerRun leaves it out.
func TestDevice(t *testing.T) {
	tr := trace.New()
	info := &rt.Info{Signature: "serve", Device: "/job:localhost/replica:0/task:0/device:GPU:1", Steps: []rt.Step{{Node: "x", Op: "MatMul", Outputs: []string{"f32[2,3]"}}}}
	for range 2 {
		o := tr.Begin(context.Background(), info).(devwork.DeviceObserver)
		if !o.Items() {
			t.Error("items are of no interest")
		}
		o.Step(0)
		o.Worked(&devwork.DeviceWork{Block: 100, Own: 20, InUse: 500, Times: &device.Times{Begun: time.Now(), Items: []device.Timed{
			{Node: "x", Op: "MatMul", What: "copy in", Stream: "compute", Start: 0, End: 5, Bytes: 24},
			{Node: "x", Op: "MatMul", What: "gemm", Stream: "compute", Start: 5, End: 50},
			{Node: "x/_send", Op: "_Send", What: "copy out", Stream: "out", Start: 50, End: 60, Bytes: 24}}}})
		o.End(nil)
	}
	for _, r := range tr.Runs() {
		if w := r.Work; w == nil || len(w.Items) != 3 || w.Begun < r.Start || w.Begun > r.End || w.Items[1].Start != w.Begun+5 || w.Items[2].End != w.Begun+60 || w.Block != 100 || w.Own != 20 || w.InUse != 500 {
			t.Errorf("%+v", r.Work)
		}
	}
	var of []trace.Cost
	for _, c := range tr.Profile().Nodes {
		if strings.HasSuffix(c.Device, trace.AllStreams) {
			of = append(of, c)
		}
	}
	on := info.Device + trace.AllStreams
	if want := []trace.Cost{{"serve", on, "x", "MatMul", 2, 4, 100, 0}, {"serve", on, "x/_send", "_Send", 2, 2, 20, 24}}; !slices.Equal(of, want) {
		t.Errorf("%+v", of)
	}
	if n := tr.Profile().PerRun(); len(n) != 0 {
		t.Errorf("the compiler gets %v", n)
	}
	var chrome, text bytes.Buffer
	if err := errors.Join(tr.WriteChrome(&chrome), tr.WriteText(&text)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"` + on + `"`, `{"name":"gemm","cat":"kernel","ph":"X","pid":2,"tid":0,`, `{"name":"copy out","cat":"kernel","ph":"X","pid":2,"tid":1,`, `"args":{"name":"out"}`, `"args":{"bytes":120}`} {
		if !strings.Contains(chrome.String(), want) {
			t.Errorf("%s is not in %s", want, chrome.String())
		}
	}
	if !regexp.MustCompile(`(?m)^75\.0% +90ns +2 +45ns +0 +gemm +MatMul +x +GPU:1$`).MatchString(text.String()) || strings.Contains(text.String(), trace.AllStreams) {
		t.Error(text.String())
	}
	if tr := trace.New(trace.Limit(2)); true {
		o := tr.Begin(context.Background(), info).(devwork.DeviceObserver)
		o.Worked(&devwork.DeviceWork{Times: &device.Times{Items: make([]device.Timed, 3)}})
		o.End(nil)
		if tr.Left() != 1 {
			t.Error("items of devices take no room")
		}
	}
}
