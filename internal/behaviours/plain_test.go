//go:build emitted

package behaviours

import (
	"reflect"
	"testing"

	"github.com/graphc/graphc/internal/behaviours/model"
	"github.com/graphc/graphc/internal/behaviours/plain"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// optimizerOptions checks that a program compiled with all passes and one compiled without the
// optional passes return the same results, to the bit, for the same feeds.
func optimizerOptions(t *testing.T, m *model.Model) {
	p, err := plain.New()
	must(t, err)
	t.Cleanup(func() { _ = p.Close() })
	runs := 0
	for _, s := range p.Signatures() {
		for turn := range 2 {
			a, errA := m.Run(t.Context(), s.Name, feeds(s, turn))
			b, errB := p.Run(t.Context(), s.Name, feeds(s, turn))
			if errA != nil || errB != nil || len(a) != len(s.Fetches) || !reflect.DeepEqual(a, b) {
				t.Errorf("%s: %v, %v, without passes %v, %v", s.Name, a, errA, b, errB)
			}
			runs++
		}
	}
	if runs != 2*15 {
		t.Errorf("%d runs", runs)
	}
}

// feeds returns feeds for a signature, with different sizes and values in each turn.
func feeds(s *rt.Signature, turn int) map[string]*tensor.Tensor {
	feeds := map[string]*tensor.Tensor{}
	for _, p := range s.Feeds {
		x := &tensor.Tensor{DType: p.DType, Shape: append(tensor.Shape{}, p.Shape...)}
		n := 1
		for i, d := range x.Shape {
			if d < 0 {
				x.Shape[i] = 2 + turn
			}
			n *= x.Shape[i]
		}
		data := reflect.MakeSlice(reflect.SliceOf(p.DType.GoType()), n, n)
		for k := range n {
			switch e := data.Index(k); {
			case e.CanInt():
				e.SetInt(int64((k + turn) % 2))
			case e.CanUint():
				e.SetUint(uint64(k + turn))
			case e.CanFloat():
				e.SetFloat(float64(k) + 0.25 - float64(turn))
			case e.CanComplex():
				e.SetComplex(complex(float64(k), float64(turn)))
			case e.Kind() == reflect.Bool:
				e.SetBool((k+turn)%2 == 0)
			default:
				e.SetString([]string{"", "a\x00", "bc"}[k%3])
			}
		}
		x.Data = data.Interface()
		feeds[p.Key] = x
	}
	return feeds
}
