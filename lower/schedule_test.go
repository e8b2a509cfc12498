package lower

import (
	"testing"

	"github.com/graphc/graphc/ir"
)

// TestScheduleSiblings: if a branch contains two loops, both wait for the branch's condition. The condition
// is computed from the result of a branch in another branch, which the schedule would enter later than the loops.
func TestScheduleSiblings(t *testing.T) {
	g, err := ir.Parse(`graph "g" producer=1000
feed "q:0" = q:0 key="q" shape=[]
feed "r:0" = r:0 key="r" shape=[]
feed "x:0" = x:0 key="x" shape=[]
fetch "m:0" = m:0 key="m"
region "q/true" if q:0
region "r/true" in "q/true" if r:0
region "r/false" in "q/true" unless r:0
region "q/false" unless q:0
region "c/true" if c:0
region "o" in "c/true" while oc:0
region "oc/true" in "o" if oc:0
region "p" in "c/true" while pc:0
region "pc/true" in "p" if pc:0
region "c/false" unless c:0
node x = Placeholder() {dtype=f32, shape=shape[]} -> f32[]
node ten = Const() {dtype=f32, value=f32[]{10}} -> f32[] const
node q = Placeholder() {dtype=bool, shape=shape[]} -> bool[]
node r = Placeholder() {dtype=bool, shape=shape[]} -> bool[]
node y = Neg(x:0) {T=f32} in "r/true" -> f32[]
node e/yield = _Yield(y:0) in "r/true" -> f32[]
node e/yield_1 = _Yield(x:0) in "r/false" -> f32[]
node e = _Merge(e/yield:0, e/yield_1:0) in "q/true" -> f32[]
node d/yield = _Yield(e:0) in "q/true" -> f32[]
node d/yield_1 = _Yield(x:0) in "q/false" -> f32[]
node d = _Merge(d/yield:0, d/yield_1:0) -> f32[]
node c = Less(d:0, ten:0) {T=f32} -> bool[]
node v = _LoopVar(x:0, vn:0) in "o" -> f32[]
node oc = Less(v:0, ten:0) {T=f32} in "o" -> bool[]
node va = AddV2(v:0, ten:0) {T=f32} in "oc/true" -> f32[]
node vn = _Next(va:0) in "oc/true" -> f32[]
node vx/yield = _Yield(v:0) in "o" -> f32[]
node vx = _Merge(vx/yield:0) in "c/true" -> f32[]
node w = _LoopVar(x:0, wn:0) in "p" -> f32[]
node pc = Less(w:0, ten:0) {T=f32} in "p" -> bool[]
node wa = AddV2(w:0, ten:0) {T=f32} in "pc/true" -> f32[]
node wn = _Next(wa:0) in "pc/true" -> f32[]
node wx/yield = _Yield(w:0) in "p" -> f32[]
node wx = _Merge(wx/yield:0) in "c/true" -> f32[]
node s = AddV2(vx:0, wx:0) {T=f32} in "c/true" -> f32[]
node m/yield = _Yield(s:0) in "c/true" -> f32[]
node m/yield_1 = _Yield(x:0) in "c/false" -> f32[]
node m = _Merge(m/yield:0, m/yield_1:0) -> f32[]
`)
	if err != nil {
		t.Fatal(err)
	}
	order, err := Schedule(g)
	if err != nil {
		t.Fatal(err)
	}
	done := map[*ir.Node]bool{}
	for _, n := range order {
		for r := n.Region; r != nil; r = r.Parent {
			if c := r.Cond.Node; !r.Loop && !done[c] && n != c {
				t.Errorf("%s runs before %s, the condition of its branch", n.Name, c.Name)
			}
		}
		done[n] = true
	}
	if len(order) != len(g.Nodes) {
		t.Errorf("%d of %d nodes", len(order), len(g.Nodes))
	}
}
