package main

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/plan"
)

func TestTimeFile(t *testing.T) {
	const src = `// Package model is emitted.
package model

import "fmt"

func runSteps0(s *runState) error {
	var err error
	// "a" Add
	s.At(0)
	add(s.D)
	s.At(step + 3)
	s.Par(runLoop0, nil, 3, rt.Split{})
	if err != nil {
		return err
	}
	t.Step = 2
	return nil
}

func runLoop0(s *runState, t []int, lo, n int, m []byte) {
	a := s.Arena
	// "b" Mul
	mul(
		a[lo:],
	)
	copy(a, a)
}

func other(lo, n int) { fmt.Println() }
`
	got, err := timeFile("m.go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := src
	for _, r := range [][2]string{
		{"package model\n", "package model\n\nimport graphcClock \"github.com/graphc/graphc/internal/caserun\"\n"},
		{"s.At(0)", "s.At(0); graphcClock.Step(s.Step)"},
		{"s.At(step + 3)", "s.At(step + 3); graphcClock.Step(s.Step)"},
		{"\tmul(\n", "\tgraphcClock.Call(s.Step, 0); mul(\n"},
		{"\tcopy(", "\tgraphcClock.Call(s.Step, 1); copy("},
	} {
		want = strings.Replace(want, r[0], r[1], 1)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := timeFile("m.go", []byte("package")); err == nil {
		t.Error("a source that is none was changed")
	}
	if err := timeSteps(map[string][]byte{"m.go": []byte("package m\n"), "w.bin": nil}); err == nil {
		t.Error("sources without steps were taken")
	}
}

func TestStepCosts(t *testing.T) {
	got := stepCosts([]*callCost{
		{Step: 0, Node: "a", Kernel: "k.A", FLOPs: 1, Bytes: 10, Known: true},
		{Step: 1, Node: "b", Kernel: "k.B", FLOPs: 2, Bytes: 20, Known: true},
		{Step: 1, Call: 1, Node: "c", Kernel: "k.C", FLOPs: 3, Bytes: 30, ConstBytes: 5, Shape: "f32[2]"},
	})
	if len(got) != 2 || got[0].FLOPs != 1 || got[1].FLOPs != 5 || got[1].Bytes != 50 || got[1].ConstBytes != 5 || got[1].Known ||
		got[1].Kernel != "k.B, k.C" || got[1].Node != "c" || got[1].Shape != "f32[2]" {
		t.Errorf("%+v %+v", got[0], got[1])
	}
}

func TestProductFLOPs(t *testing.T) {
	n := sym.Var("n")
	for _, c := range []struct {
		arg  plan.Arg
		want float64
	}{
		{plan.Lit(gemm.Params{K: 4}, "M", n, "N", sym.Int(3)), 2 * 7 * 3 * 4},
		{plan.Lit(gemm.BatchParams{M: 2, K: 5, Dims: 2, D0: 2, D2: 100}, "N", sym.Int(3), "D1", n), 2 * 2 * 3 * 5 * 2 * 7},
		{plan.Lit(gemm.Params{K: 4, N: 2}, "M", sym.Var("unknown")), 0},
		{plan.Lit(norm.LayerParams{}), 0},
		{plan.Value{V: 3}, 0},
	} {
		if got := productFLOPs(&plan.Call{Args: []plan.Arg{c.arg}}, map[string]int{"n": 7}); got != c.want {
			t.Errorf("%+v: %g, want %g", c.arg, got, c.want)
		}
	}
}

func TestOnceEach(t *testing.T) {
	row := func(node, kernel string, us float64) *callRow {
		return &callRow{callCost: &callCost{Node: node, Kernel: kernel, FLOPs: 1, macs: true}, MinUS: us}
	}
	rows := []*callRow{row("a", "array.MoveF32", 9), row("a", "gemm.F32", 1), row("a", "gemm.F32", 2), row("a", "norm.FinishF32", 5), row("b", "linalg.Solve", 1), row("b", "array.MoveF32", 3)}
	onceEach(rows)
	for i, want := range []float64{0, 0, 1, 0, 0, 1} {
		if rows[i].FLOPs != want {
			t.Errorf("row %d has %g operations, want %g", i, rows[i].FLOPs, want)
		}
	}
}
