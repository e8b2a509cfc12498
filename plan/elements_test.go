package plan

import (
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// sum returns the call that adds two views.
func sum(t *testing.T, out, a, b View) *Call {
	t.Helper()
	w := &scalar.Work{Sizes: []*sym.Expr{out.Len}}
	w.Dims = 1
	e := scalar.NewBuilder(&w.Program)
	w.Ins = []scalar.Input{{DType: tensor.Float32}, {DType: tensor.Float32}}
	w.In = []scalar.Place{{Tensor: 1}, {Tensor: 2}}
	w.Outs = []scalar.Output{{DType: tensor.Float32, Value: e.Bin(scalar.Add, e.Load(0), e.Load(1))}}
	w.Out = []scalar.Place{{Tensor: 0}}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	out.Mode, a.Mode, b.Mode = Write, Read, Read
	return MapElements(Unresolved("elementwise.Map"), "n", "Add", w, []View{out, a, b})
}

// TestFuseElements checks that calls are joined if nothing else reads the values between them.
// Calls that use two parts of one buffer stay unchanged.
func TestFuseElements(t *testing.T) {
	four := sym.Int(4)
	p := &Plan{}
	buf := func(n int) *Buf {
		b := &Buf{ID: len(p.Bufs), Place: Device, DType: tensor.Float32, Len: sym.Int(n)}
		p.Bufs = append(p.Bufs, b)
		return b
	}
	all := func(b *Buf) View { return View{Buf: b, Len: b.Len} }
	a, mid, out, both, sums := buf(4), buf(4), buf(4), buf(8), buf(4)
	half := func(k int) View { return View{Buf: both, Off: sym.Int(4 * k), Len: four} }
	p.Fetches = []Fetch{{Name: "out", Buf: out}, {Name: "sums", Buf: sums}}
	p.Steps = []Step{sum(t, all(mid), all(a), all(a)), sum(t, all(out), all(mid), all(a)), sum(t, all(sums), half(0), half(1))}
	p.FuseElements()
	if len(p.Steps) != 2 {
		t.Fatalf("%d steps, want 2:\n%s", len(p.Steps), p)
	}
	writes := func(s Step) (bs []*Buf) {
		s.Views(func(v View) {
			if v.Mode == Write {
				bs = append(bs, v.Buf)
			}
		})
		return bs
	}
	for i, want := range []*Buf{out, sums} {
		if got := writes(p.Steps[i]); len(got) != 1 || got[0] != want {
			t.Errorf("step %d writes %v", i, got)
		}
	}
}
