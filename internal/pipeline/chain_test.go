package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TestLongChain checks a long chain of element-wise ops. The compiler divides it into loops of
// limited length, so that compile time is linear in the length of the chain. The results must not
// depend on the optional passes.
func TestLongChain(t *testing.T) {
	const n = 300
	var text strings.Builder
	text.WriteString(feed("x", "dim { size: -1 } dim { size: 4 }"))
	in := "x"
	for i := range n {
		name := fmt.Sprintf("a%d", i)
		fmt.Fprintf(&text, "node { name: %q op: %q input: %q attr { key: \"T\" value { type: DT_FLOAT } } }\n", name, []string{"Tanh", "Cos", "Sigmoid"}[i%3], in)
		in = name
	}
	path := write(t, text.String())
	x := map[string]*tensor.Tensor{"x:0": f32(tensor.Shape{1, 4}, -1, 0, 0.5, 3)}
	var answers [2]*tensor.Tensor
	for i, noOpt := range []bool{false, true} {
		p, err := Compile([]string{path}, Options{NoOpt: noOpt})
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		plan.Walk(p.Signatures[0].Plan.Steps, func(_ int, s plan.Step) {
			if l, ok := s.(*plan.Par); ok {
				if calls += len(l.Body); len(l.Body) > 64 {
					t.Errorf("a loop has %d calls", len(l.Body))
				}
			}
		})
		if calls < n {
			t.Errorf("loops have %d calls", calls)
		}
		out, err := run(t, p, x)
		if err != nil {
			t.Fatal(err)
		}
		answers[i] = out[in+":0"]
	}
	for k, want := range tensor.Data[float32](answers[1]) {
		if got := tensor.Data[float32](answers[0])[k]; got != want {
			t.Errorf("%d: %v, want %v", k, got, want)
		}
	}
}
