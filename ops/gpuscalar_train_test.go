package ops_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/ops/bytype"
	trainops "github.com/graphc/graphc/ops/train"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// updateRun is a variable update: its scalar program, its inputs, and the new values that the CPU
// computes.
type updateRun struct {
	work     *scalar.Work
	ins      []*tensor.Tensor // the variables' old values, the other scalar inputs, the gradient
	variable []*tensor.Tensor // the new values
}

const updateItems = 37

// runUpdate builds an update of variables of updateItems elements and runs it on the CPU.
func runUpdate(t *testing.T, op string, u trainops.Update, d tensor.DType, attrs map[string]ir.Attr, numbers []float64, seed uint64) updateRun {
	t.Helper()
	g := opstest.New(t)
	r := rand.New(rand.NewPCG(seed, 1))
	feeds := map[string]*tensor.Tensor{}
	var run updateRun
	var ins []ir.Out
	var assigns, vars []*ir.Node
	feed := func(i int, x *tensor.Tensor) ir.Out {
		dims := make([]any, len(x.Shape))
		for k, n := range x.Shape {
			dims[k] = n
		}
		name := fmt.Sprintf("x%d", i)
		feeds[name+":0"] = x
		run.ins = append(run.ins, x)
		return g.Feed(name, d, dims...)
	}
	random := func(positive bool) *tensor.Tensor {
		x := samples(d, updateItems, seed)
		x.Shape = tensor.Shape{updateItems}
		for i := range updateItems {
			f := r.NormFloat64()
			if positive {
				f = math.Abs(f) + 0.1
			}
			if v := reflect.ValueOf(x.Data).Index(i); v.CanComplex() {
				v.SetComplex(complex(f, r.NormFloat64()))
			} else {
				set(v, d, f, r)
			}
		}
		return x
	}
	for i := range u.Vars {
		x := feed(i, random(i > 0 && op != "ResourceApplyFtrl" && op != "ResourceApplyFtrlV2" && i != 1 || i > 0 && strings.Contains(op, "Ada") || strings.Contains(op, "Ftrl") && i == 1))
		v := g.NewNode(fmt.Sprintf("v%d", i), "VarHandleOp", map[string]ir.Attr{"dtype": d, "shape": ir.PartialShape{Dims: []int64{updateItems}}}, 1)
		a := g.NewNode(fmt.Sprintf("a%d", i), "AssignVariableOp", map[string]ir.Attr{"dtype": d}, 0, ir.Out{Node: v}, x)
		vars, assigns = append(vars, v), append(assigns, a)
		ins = append(ins, ir.Out{Node: v})
	}
	for i, v := range numbers {
		if at := u.Vars + i; at == u.Grad {
			ins = append(ins, feed(at, random(false)))
		}
		x := &tensor.Tensor{DType: d, Shape: tensor.Shape{}, Data: tensor.MakeSlice(d, 1)}
		if e := reflect.ValueOf(x.Data).Index(0); e.CanComplex() {
			e.SetComplex(complex(v, 0))
		} else {
			set(e, d, v, r)
		}
		ins = append(ins, feed(len(ins), x))
	}
	if len(ins) == u.Grad {
		ins = append(ins, feed(u.Grad, random(false)))
	}
	attrs["T"] = d
	n := g.NewNode("update", op, attrs, 0, ins...)
	n.Controls = assigns
	var reads []ir.Out
	for i, v := range vars {
		y := g.NewNode(fmt.Sprintf("r%d", i), "ReadVariableOp", map[string]ir.Attr{"dtype": d}, 1, ir.Out{Node: v})
		y.Controls = []*ir.Node{n}
		reads = append(reads, ir.Out{Node: y})
		g.Fetches = append(g.Fetches, ir.Fetch{Name: y.Name, Key: y.Name, Out: reads[i]})
	}
	if err := ops.Ops().Infer(g.Graph); err != nil {
		t.Fatal(err)
	}
	p, err := ops.Ops().Lower(g.Graph, "test")
	if err != nil {
		t.Fatal(err)
	}
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Run(context.Background(), feeds)
	if err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	for _, o := range reads {
		run.variable = append(run.variable, got[o.Node.Name])
	}
	if run.work, err = ops.Ops().ScalarWork(g.Graph, n); err != nil {
		t.Fatalf("%s: %v", op, err)
	}
	return run
}

func TestScalarUpdates(t *testing.T) {
	type attrs = map[string]ir.Attr
	for _, c := range []struct {
		name    string
		numbers []float64 // the inputs that are neither variables nor the gradient
		attrs   attrs
		types   int // number of element types to test: 3 for f16, f32 and f64, or 5 to include complex types
	}{
		{"GradientDescent", []float64{0.1}, attrs{}, 5},
		{"Momentum", []float64{0.1, 0.9}, attrs{}, 5},
		{"Momentum", []float64{0.1, 0.9}, attrs{"use_nesterov": true}, 5},
		{"KerasMomentum", []float64{0.1, 0.9}, attrs{}, 5},
		{"KerasMomentum", []float64{0.1, 0.9}, attrs{"use_nesterov": true}, 5},
		{"Adam", []float64{0.9, 0.99, 0.1, 0.9, 0.99, 1e-3}, attrs{}, 5},
		{"Adam", []float64{0.9, 0.99, 0.1, 0.9, 0.99, 1e-3}, attrs{"use_nesterov": true}, 5},
		{"AdamWithAmsgrad", []float64{0.9, 0.99, 0.1, 0.9, 0.99, 1e-3}, attrs{}, 3},
		{"AdaMax", []float64{0.9, 0.1, 0.9, 0.99, 1e-3}, attrs{}, 3},
		{"Adagrad", []float64{0.1}, attrs{"update_slots": true}, 5},
		{"Adagrad", []float64{0.1}, attrs{"update_slots": false}, 5},
		{"AdagradV2", []float64{0.1, 1e-3}, attrs{"update_slots": true}, 5},
		{"Adadelta", []float64{0.1, 0.9, 1e-3}, attrs{}, 5},
		{"RMSProp", []float64{0.1, 0.9, 0.8, 1e-3}, attrs{}, 5},
		{"CenteredRMSProp", []float64{0.1, 0.9, 0.8, 1}, attrs{}, 5},
		{"Ftrl", []float64{0.1, 0.2, 0.3, -0.5}, attrs{}, 3},
		{"Ftrl", []float64{0.1, 0.2, 0.3, -0.7}, attrs{"multiply_linear_by_lr": true}, 3},
		{"FtrlV2", []float64{0.1, 0.2, 0.3, 0.1, -0.5}, attrs{}, 3},
		{"AddSign", []float64{0.1, 0.9, 0.8, 0.7}, attrs{}, 3},
		{"PowerSign", []float64{0.1, 0.9, 0.8, 0.7}, attrs{}, 3},
		{"ProximalGradientDescent", []float64{0.1, 0.2, 0.3}, attrs{}, 3},
		{"ProximalAdagrad", []float64{0.1, 0.2, 0.3}, attrs{}, 3},
		{"ProximalAdagrad", []float64{0.1, 0, 0.3}, attrs{}, 3},
	} {
		var u trainops.Update
		for _, v := range trainops.Updates {
			if v.Name == c.name {
				u = v
			}
		}
		op := "ResourceApply" + c.name
		for _, d := range []tensor.DType{tensor.Half, tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128}[:c.types] {
			if _, err := bytype.Train[u.Name].Get(d); err != nil {
				continue // nothing to compare with
			}
			run := runUpdate(t, op, u, d, c.attrs, c.numbers, 5)
			launch(t, run.work, func(i int) *tensor.Tensor { return run.ins[i] })
			for i := range u.Vars {
				compare(t, fmt.Sprintf("%s of %v, variable %d", op, d, i), run.variable[i], run.ins[i], 300, nil)
			}
		}
	}
}
