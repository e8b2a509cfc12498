package pipeline

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestRegions lowers graphs with regions (loops and branches) and runs each plan before and after
// the plan methods Join and Layout.
func TestRegions(t *testing.T) {
	head := `graph "g" producer=0
feed "n:0" = n:0 key="n" shape=[]
feed "x:0" = x:0 key="x" shape=[B]
node n = Placeholder() {dtype=i32} -> i32[]
node x = Placeholder() {dtype=f32} -> f32[B]
node zero = Const() {value=i32[]{0}} -> i32[] const
node one = Const() {value=i32[]{1}} -> i32[] const
`
	for _, c := range []struct {
		name, text string
		want       map[string]any
	}{
		{"a loop whose tensor grows, and branches of different shapes", `
fetch "out:0" = out:0 key="out"
fetch "grown:0" = grown:0 key="grown"
fetch "m:0" = m:0 key="m"
fetch "index:0" = m:1 key="index"
region "loop" while less:0
region "body" in "loop" if less:0
region "then" if p:0
region "else" unless p:0
node i = _LoopVar(zero:0, next:0) in "loop" -> i32[]
node v = _LoopVar(x:0, vnext:0) in "loop" -> f32[*]
node less = Less(i:0, n:0) in "loop" -> bool[]
node add = AddV2(i:0, one:0) in "body" -> i32[]
node cat = ConcatV2(v:0, x:0, zero:0) {N=2} in "body" -> f32[*]
node next = _Next(add:0) in "body" -> i32[]
node vnext = _Next(cat:0) in "body" -> f32[*]
node yield = _Yield(i:0) in "loop" -> i32[]
node vyield = _Yield(v:0) in "loop" -> f32[*]
node out = _Merge(yield:0) -> i32[]
node grown = _Merge(vyield:0) -> f32[*]
node p = Less(out:0, one:0) -> bool[]
node a = Neg(x:0) in "then" -> f32[*]
node c = Neg(grown:0) in "else" -> f32[*]
node ya = _Yield(a:0) in "then" -> f32[*]
node yc = _Yield(c:0) in "else" -> f32[*]
node m = _Merge(ya:0, yc:0) -> f32[*]; i32[]
`, map[string]any{"out:0": []int32{2}, "grown:0": []float32{1, 2, 1, 2, 1, 2}, "m:0": []float32{-1, -2, -1, -2, -1, -2}, "index:0": []int32{1}}},
		{"two variables that change places", `
fetch "a:0" = a:0 key="a"
fetch "b:0" = b:0 key="b"
region "loop" while less:0
region "body" in "loop" if less:0
node y = Neg(x:0) -> f32[B]
node i = _LoopVar(zero:0, next:0) in "loop" -> i32[]
node u = _LoopVar(x:0, unext:0) in "loop" -> f32[B]
node v = _LoopVar(y:0, vnext:0) in "loop" -> f32[B]
node less = LessEqual(i:0, n:0) in "loop" -> bool[]
node add = AddV2(i:0, one:0) in "body" -> i32[]
node next = _Next(add:0) in "body" -> i32[]
node unext = _Next(v:0) in "body" -> f32[B]
node vnext = _Next(u:0) in "body" -> f32[B]
node ya = _Yield(u:0) in "loop" -> f32[B]
node yb = _Yield(v:0) in "loop" -> f32[B]
node a = _Merge(ya:0) -> f32[B]
node b = _Merge(yb:0) -> f32[B]
`, map[string]any{"a:0": []float32{-1, -2}, "b:0": []float32{1, 2}}},
		{"a loop that goes on after its body", `
fetch "v:0" = out:0 key="v"
fetch "seen:0" = seen:0 key="seen"
region "loop" while less:0
region "body" in "loop" if less:0
region "rest" in "loop" unless less:0
node i = _LoopVar(zero:0, next:0) in "loop" -> i32[]
node v = _LoopVar(x:0, vnext:0) in "loop" -> f32[*]
node s = _LoopVar(zero:0, snext:0) in "loop" -> i32[]
node less = Less(i:0, n:0) in "loop" -> bool[]
node add = AddV2(i:0, one:0) in "body" -> i32[]
node by = Cast(add:0) {DstT=f32, SrcT=i32} in "body" -> f32[]
node more = AddV2(x:0, by:0) in "body" -> f32[*]
node cat = ConcatV2(v:0, more:0, zero:0) {N=2} in "body" -> f32[*]
node set = Unique(cat:0) {T=f32, out_idx=i32} in "body" -> f32[*]; i32[*]
node next = _Next(add:0) in "body" -> i32[]
node vnext = _Next(set:0) in "body" -> f32[*]
node long = Size(set:0) {out_type=i32} in "body" -> i32[]
node ylong = _Yield(long:0) in "body" -> i32[]
node yzero = _Yield(zero:0) in "rest" -> i32[]
node size = _Merge(ylong:0, yzero:0) in "loop" -> i32[]
node sum = AddV2(s:0, size:0) in "loop" -> i32[]
node snext = _Next(sum:0) in "loop" -> i32[]
node y = _Yield(v:0) in "loop" -> f32[*]
node out = _Merge(y:0) -> f32[*]
node ys = _Yield(sum:0) in "loop" -> i32[]
node seen = _Merge(ys:0) -> i32[]
`, map[string]any{"v:0": []float32{1, 2, 3, 4}, "seen:0": []int32{7}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := ir.Parse(head + c.text)
			if err == nil {
				err = ir.Check(g)
			}
			if err == nil {
				err = ops.Ops().Infer(g)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, laid := range []bool{false, true} {
				p, err := ops.Ops().Lower(g, "test")
				if err != nil {
					t.Fatal(err)
				}
				if laid {
					p.Join()
				}
				if err := p.Check(); err != nil {
					t.Fatalf("%v\n%s", err, p)
				}
				if laid {
					if _, err := p.Layout(0); err != nil {
						t.Fatal(err)
					}
				}
				x, err := exec.New(p)
				if err != nil {
					t.Fatal(err)
				}
				got, err := x.Run(context.Background(), map[string]*tensor.Tensor{
					"n:0": tensor.Must(tensor.From(tensor.Shape{}, []int32{2})),
					"x:0": tensor.Must(tensor.From(tensor.Shape{2}, []float32{1, 2}))})
				if err != nil {
					t.Fatalf("%v\n%s", err, p)
				}
				for name, want := range c.want {
					if !reflect.DeepEqual(got[name].Data, want) {
						t.Errorf("laid out %v: %s is %v, want %v\n%s", laid, name, got[name].Data, want, p)
					}
				}
			}
		})
	}
}

// TestFetchedInBranch: a tensor fetched from a branch may have a size that the branch computes.
func TestFetchedInBranch(t *testing.T) {
	path := write(t, feed("x", "dim { size: -1 }")+`
node { name: "i" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_BOOL } } attr { key: "shape" value { shape { } } } }
node { name: "s" op: "Switch" input: "i" input: "p" attr { key: "T" value { type: DT_INT32 } } }
node { name: "y" op: "SegmentSum" input: "x" input: "s:1" attr { key: "T" value { type: DT_FLOAT } } attr { key: "Tindices" value { type: DT_INT32 } } }
`)
	p, err := Compile([]string{path}, Options{Feeds: []string{"x:0", "i:0", "p:0"}, Fetches: []string{"y:0"}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(taken bool, last int32) map[string]*tensor.Tensor {
		return map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{2}, 1, 2), "i:0": tensor.Must(tensor.From(tensor.Shape{2}, []int32{0, last})), "p:0": tensor.Must(tensor.From(tensor.Shape{}, []bool{taken}))}
	}
	for last, want := range map[int32][]float32{0: {3}, 1: {1, 2}, 3: {1, 0, 0, 2}} {
		got, err := run(t, p, at(true, last))
		if err != nil {
			t.Fatal(err)
		}
		if d := tensor.Data[float32](got["y:0"]); !slices.Equal(d, want) {
			t.Errorf("segments up to %d: %v, want %v", last, d, want)
		}
	}
	if _, err := run(t, p, at(false, 1)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("the branch is not taken: %v", err)
	}
}
