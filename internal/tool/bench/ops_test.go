package bench

import (
	"testing"

	"github.com/graphc/graphc/internal/tool/cost"
)

func TestStepCosts(t *testing.T) {
	got := stepCosts([]*cost.Entry{
		{Step: 0, Node: "a", Kernel: "k.A", FLOPs: 1, Bytes: 10, Known: true},
		{Step: 1, Node: "b", Kernel: "k.B", FLOPs: 2, Bytes: 20, Known: true},
		{Step: 1, Call: 1, Node: "c", Kernel: "k.C", FLOPs: 3, Bytes: 30, ConstBytes: 5, Shape: "f32[2]"},
	})
	if len(got) != 2 || got[0].FLOPs != 1 || got[1].FLOPs != 5 || got[1].Bytes != 50 || got[1].ConstBytes != 5 || got[1].Known ||
		got[1].Kernel != "k.B, k.C" || got[1].Node != "c" || got[1].Shape != "f32[2]" {
		t.Errorf("%+v %+v", got[0], got[1])
	}
}

func TestOnceEach(t *testing.T) {
	row := func(node, kernel string, us float64) *callRow {
		return &callRow{Entry: &cost.Entry{Node: node, Kernel: kernel, FLOPs: 1, Macs: true}, MinUS: us}
	}
	rows := []*callRow{row("a", "array.MoveF32", 9), row("a", "gemm.F32", 1), row("a", "gemm.F32", 2), row("a", "norm.FinishF32", 5), row("b", "linalg.Solve", 1), row("b", "array.MoveF32", 3)}
	onceEach(rows)
	for i, want := range []float64{0, 0, 1, 0, 0, 1} {
		if rows[i].FLOPs != want {
			t.Errorf("row %d has %g operations, want %g", i, rows[i].FLOPs, want)
		}
	}
}
