package array

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
)

//go:generate go run -C ../_gen ./wrappers -dir ../array

// TestTypes runs every kernel at every type.
func TestTypes(t *testing.T) {
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{typed.F(xs...)}} }
	f, out, seq := typed.F, typed.Out, typed.Seq
	check := func(name string, want typed.Wants, args ...any) {
		t.Helper()
		typed.Check(t, "elements", wrappers[name], want, args...)
	}
	fails := func(name string, args ...any) {
		t.Helper()
		typed.Fails(t, "refused", wrappers[name], tensor.InvalidArgument, args...)
	}
	check("Move", w(1, 4, 2, 5, 3, 6), out(6), seq(1, 6), []int{3, 2}, []int{2, 1}, 0, []int{1, 3}, 0)
	check("Move", w(6, 5, 4, 3, 2, 1), out(6), seq(1, 6), []int{6}, []int{1}, 0, []int{-1}, 5)
	check("Broadcast", w(1, 1, 1, 2, 2, 2), out(6), f(1, 2), []int{2, 3}, []int{2, 1})
	fails("Broadcast", out(6), f(1, 2), []int{2, 3}, []int{1, 2})
	check("Fill", w(7, 7, 7), out(3), f(7))
	check("Fill", w(), out(0), f(7))
	check("Pad", w(9, 9, 9, 9, 1, 2, 9, 3, 4), out(9), seq(1, 4), []int{2, 2}, []int{1, 1}, []int{0, 0}, typed.Struct{"Value": f(9)})
	check("Pad", w(1, 2, 3, 4), out(4), seq(1, 4), []int{2, 2}, []int{0, 0}, []int{0, 0}, typed.Struct{"Value": f(9)})
	check("Pad", w(0, 1, 2, 0, 3, 4), out(6), seq(1, 4), []int{2, 2}, []int{0, 1}, []int{0, 0}, typed.Struct{})
	check("MirrorPad", w(3, 2, 1, 2, 3, 2), out(6), seq(1, 3), []int{3}, []int{2}, []int{1}, 1)
	check("MirrorPad", w(1, 2, 1, 2, 3, 4, 3, 4), out(8), seq(1, 4), []int{2, 2}, []int{1, 0}, []int{1, 0}, 0)
	check("MirrorPad", w(1, 2), out(2), seq(1, 2), []int{2}, []int{0}, []int{0}, 0)
	check("MirrorPadGrad", w(2, 9, 4), out(3), seq(1, 5), []int{3}, []int{1}, []int{1}, 1)
	check("MirrorPadGrad", w(1, 2), out(2), seq(1, 2), []int{2}, []int{0}, []int{0}, 0)
	block := BlockParams{Batch: 1, Inner: 1}
	two, none := []int{2, 2}, []int{0, 0}
	check("SpaceToBatch", w(1, 3, 9, 11, 2, 4, 10, 12, 5, 7, 13, 15, 6, 8, 14, 16), out(16), seq(1, 16), two, []int{4, 4}, two, none, block)
	check("BatchToSpace", w(1, 5, 2, 6, 9, 13, 10, 14, 3, 7, 4, 8, 11, 15, 12, 16), out(16), seq(1, 16), two, []int{4, 4}, two, none, block)
	check("Roll", w(3, 1, 2, 6, 4, 5), out(6), seq(1, 6), []int{2, 3}, []int{1}, []int{1})
	check("Roll", w(5, 6, 1, 2, 3, 4), out(6), seq(1, 6), []int{3, 2}, []int{-2}, []int{0})
	fails("Roll", out(6), seq(1, 6), []int{2, 3}, []int{1}, []int{2})
	p := SequenceParams{Outer: 1, Mid: 1, Inner: 1, Batch: 2, Seq: 3}
	check("ReverseSequence", w(3, 2, 1, 4, 5, 6), out(6), seq(1, 6), f(2, 1), p)
	p.BatchFirst = true
	check("ReverseSequence", w(2, 1, 3, 6, 5, 4), out(6), seq(1, 6), f(2, 3), p)
	fails("ReverseSequence", out(6), seq(1, 6), f(2, 4), p)
	fails("ReverseSequence", out(6), seq(1, 6), f(-1, 1), p)
	check("OneHot", w(0, 1, 0, 0, 0, 0), out(6), f(1, 3), f(1), f(0), 3, 1)
	check("OneHot", w(5, 2, 5, 5, 2, 5), out(6), f(2, 0), f(2), f(5), 3, 2)
	check("OneHot", w(), out(0), f(), f(1), f(0), 3, 1)
	check("Where", typed.Wants{Outs: []typed.E{f(0, 1, 1, 0, 99, 99)}, Results: "2"}, out(6), f(0, 3, 1, 0), []int{2, 2})
	check("InvertPermutation", w(2, 0, 1), out(3), f(1, 2, 0))
	fails("InvertPermutation", out(3), f(1, 1, 0))
	fails("InvertPermutation", out(3), f(1, 3, 0))
	fails("InvertPermutation", out(3), f(1, -1, 0))
	check("PermuteRows", w(3, 4, 1, 2), out(4), seq(1, 4), []int{1, 0}, []int{0}, 2)
	check("PermuteRows", w(1, 2), out(2), seq(1, 2), []int{1, 0}, []int{0}, 1)
	fails("PermuteRows", out(6), seq(1, 6), []int{1, 0}, []int{0}, 3)
	check("DimMap", w(2, 0, 1), out(3), f(0, 1, -1), []int{2, 0, 1})
	fails("DimMap", out(1), f(3), []int{2, 0, 1})
	fails("DimMap", out(1), f(-4), []int{2, 0, 1})
	check("UnravelIndex", w(1, 0, 2, 1), out(4), f(5, 1), f(2, 3))
	fails("UnravelIndex", out(2), f(6), f(2, 3))
	fails("UnravelIndex", out(2), f(-1), f(2, 3))
	fails("UnravelIndex", out(2), f(0), f(2, 0))
	check("BroadcastArgs", w(4, 2, 3), out(3), f(2, 1), f(4, 1, 3))
	fails("BroadcastArgs", out(1), f(2), f(3))
	check("Turned", typed.Wants{Results: "1"}, f(0, -1), 3, 2)
	check("Turned", typed.Wants{Results: "0"}, f(0, -1), 3, 1)
	fails("Turned", f(3), 3, 1)
	fails("Turned", f(1, -2), 3, 1)
	check("Range", w(1, 3, 5), out(3), f(1), f(2))
	check("Range", w(1, -1, -3), out(3), f(1), f(-2))
	check("RangeLen", typed.Wants{Results: "3"}, f(1), f(6), f(2))
	check("RangeLen", typed.Wants{Results: "2"}, f(6), f(2), f(-2))
	fails("RangeLen", f(1), f(6), f(0))
	fails("RangeLen", f(1), f(6), f(-1))
	fails("RangeLen", f(6), f(1), f(1))
	check("LinSpace", w(1, 1.5, 2), out(3), f(1), f(2))
	check("LinSpace", w(1), out(1), f(1), f(2))
	check("LinSpace", w(), out(0), f(1), f(2))
	for _, k := range wrappers["Conj"] {
		outs, _ := typed.Call(k, typed.Buf{1 + 2i, 3 - 4i})
		if got := typed.Read(outs[0]); got[0] != 1-2i || got[1] != 3+4i {
			t.Errorf("%s: %v", typed.Name(k), got)
		}
	}
	patch := PatchParams{Batch: 1, Channels: 1, In: [3]int{1, 2, 2}, Out: [3]int{1, 1, 2}, Kernel: [3]int{1, 2, 2}, Stride: [3]int{1, 1, 1}, Rate: [3]int{1, 1, 1}}
	check("Patches", w(1, 2, 3, 4, 2, 0, 4, 0), out(8), seq(1, 4), patch)

	d := DiagParams{Batch: 1, Rows: 2, Cols: 3, Lo: -1, Hi: 0, Len: 2}
	check("DiagPart", w(1, 5, 4, 9), out(4), seq(1, 6), f(9), d)
	check("Diag", w(1, 9, 9, 3, 2, 9), out(6), seq(1, 4), f(9), d)
	check("SetDiag", w(11, 2, 3, 13, 12, 6), out(6), seq(1, 6), f(11, 12, 13, 9), d)
	check("BandPart", w(1, 2, 0, 4, 5, 6, 0, 8, 9), out(9), seq(1, 9), 3, 3, 1, 1)
	check("BandPart", w(1, 0, 0, 4, 5, 0, 7, 8, 9), out(9), seq(1, 9), 3, 3, -1, 0)

	n := UniqueScratch(4)
	check("Unique", typed.Wants{Outs: []typed.E{f(1, 0, 99, 99), f(0, 1, 0, 0), f(3, 1, 0, 0)}, Results: "2"}, out(4), out(4), f(1, 0, 1, 1), make([]int32, n),
		typed.Struct{"Outer": 1, "N": 4, "Inner": 1, "Counts": out(4)})
	check("Unique", typed.Wants{Outs: []typed.E{f(1, 0, 1, 1, 99, 99), f(0, 1, 0)}, Results: "2"}, out(6), out(3), f(1, 0, 1, 1, 1, 0), make([]int32, n),
		typed.Struct{"Outer": 1, "N": 3, "Inner": 2})
	check("ListDiff", typed.Wants{Outs: []typed.E{f(5, 7, 99, 99), f(1, 3, 99, 99)}, Results: "2"}, out(4), out(4), f(1, 5, 2, 7), f(2, 1), make([]int32, 9))
}
