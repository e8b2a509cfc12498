package exec_test

import (
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// dear is a profile, from names of nodes to times. Every node of a random plan takes so long that
// Fork makes tasks of all steps that can run concurrently.
var dear = map[string]float64{"add": 1e6, "sum": 1e6, "rows": 1e6, "low": 1e6, "high": 1e6, "copy": 1e6, "odd": 1e6,
	"then": 1e6, "else": 1e6, "less": 1e6, "next": 1e6, "enter": 1e6, "i": 1e6}

// TestRandomTasks compares the results of each random plan with those of variants in which steps
// run concurrently. Some variants also have joined loops, shared storage, or an arena in one block.
// Each variant runs its tasks in several orders.
func TestRandomTasks(t *testing.T) {
	forked, tasks := 0, 0
	for seed := range uint64(250) {
		var want map[string]*tensor.Tensor
		for way := range 5 {
			p := randomPlan(seed)
			made := p.String()
			if way >= 2 {
				p.Join()
			}
			if way >= 1 {
				p.Fork(dear)
				if err := p.Check(); err != nil {
					t.Fatalf("seed %d, forked: %v\n%s\nwas\n%s", seed, err, p, made)
				}
			}
			plan.Walk(p.Steps, func(_ int, s plan.Step) {
				if s, ok := s.(*plan.Tasks); ok {
					forked, tasks = forked+1, tasks+len(s.Tasks)
				}
			})
			if way >= 3 {
				l, err := p.Layout(0)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if err := p.Check(); err != nil {
					t.Fatalf("seed %d, laid out: %v\n%s", seed, err, p)
				}
				if way == 4 {
					inArena(p, l)
				}
			}
			x, err := exec.New(p)
			if err != nil {
				t.Fatal(err)
			}
			for x.Order = range uint64(4) {
				got, err := x.Run(t.Context(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{wide}, []int64{1, 22, 333, 4444}))})
				if err != nil {
					t.Fatalf("seed %d, way %d, order %d: %v\n%s\nwas\n%s", seed, way, x.Order, err, p, made)
				}
				if way == 0 {
					want = got
				}
				for name, w := range want {
					if !slices.Equal(tensor.Data[int64](w), tensor.Data[int64](got[name])) {
						t.Fatalf("seed %d, way %d, order %d: %s is %v, want %v\n%s\nwas\n%s", seed, way, x.Order, name, got[name].Data, w.Data, p, made)
					}
				}
				if way == 0 {
					break
				}
			}
		}
	}
	if forked < 400 || tasks < 3*forked {
		t.Errorf("%d times tasks, %d in all", forked, tasks)
	}
	t.Logf("%d times tasks, %d in all", forked, tasks)
}

// TestTasksFail: if several tasks fail, Run returns the error of the first task in the list, in
// whatever order the tasks run.
func TestTasksFail(t *testing.T) {
	x := &plan.Buf{Name: "x", Place: plan.Fed, DType: tensor.Int64, Len: sym.One}
	p := &plan.Plan{Bufs: []*plan.Buf{x}, Feeds: []plan.Feed{{Name: "x:0", DType: tensor.Int64, Shape: []*sym.Expr{sym.One}, Buf: x}}}
	tasks := &plan.Tasks{Node: "a", Op: "Assert"}
	for _, n := range []string{"fine", "b", "c", "d"} {
		c := &plan.Call{Node: n, Op: "Assert", Fn: Fails, Args: []plan.Arg{plan.Value{V: n != "fine"}}}
		tasks.Tasks = append(tasks.Tasks, plan.Task{Steps: []plan.Step{c}})
	}
	p.Steps = []plan.Step{tasks}
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	e, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for e.Order = range uint64(20) {
		_, err := e.Run(t.Context(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{1}, []int64{1}))})
		if want := `node "b" (Assert): FailedPrecondition: no`; err == nil || err.Error() != want {
			t.Errorf("order %d: %v, want %s", e.Order, err, want)
		}
	}
}

// Fails is a kernel that returns an error if its argument is true.
func Fails(so bool) error {
	if so {
		return tensor.Errorf(tensor.FailedPrecondition, "no")
	}
	return nil
}
