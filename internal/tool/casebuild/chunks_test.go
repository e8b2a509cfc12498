package casebuild

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/cases"
	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TestChunks: the number of chunks into which loops are divided does not change any bit of the results.
func TestChunks(t *testing.T) {
	cs, err := cases.Find(append(testkit.Sample(t), testkit.SharedCases(t, "models")...))
	if err != nil {
		t.Fatal(err)
	}
	loops := 0
	for _, c := range cs {
		if c.Err != nil || c.ExpectErr {
			continue
		}
		p, names, err := Options{}.Compiler(c).Compile(1)
		if err != nil {
			if tensor.CodeOf(err) != tensor.Unimplemented && !strings.Contains(err.Error(), "Unimplemented") {
				t.Errorf("%s: %v", c.Dir, err)
			}
			continue
		}
		feeds, _, err := c.LoadRun(0)
		if err != nil {
			t.Fatal(err)
		}
		s := p.Signature(names[0])
		n := 0
		for _, st := range s.Plan.Steps {
			if _, ok := st.(*plan.Par); ok {
				n++
			}
		}
		if n == 0 || len(s.Variants) > 1 {
			continue
		}
		loops += n
		run := func(chunks int) map[string]*tensor.Tensor {
			state, err := p.NewState()
			if err != nil {
				t.Fatalf("%s: %v", c.Dir, err)
			}
			x, err := exec.NewWith(state, s.Plan)
			if err != nil {
				t.Fatalf("%s: %v", c.Dir, err)
			}
			x.Chunks = chunks
			out, err := x.Run(context.Background(), feeds)
			if err != nil {
				t.Errorf("%s: %v", c.Dir, err)
			}
			return out
		}
		whole := run(1)
		if differ(whole, run(1)) != "" {
			continue // the case has random ops without a seed
		}
		for _, chunks := range []int{2, 5, 1000} {
			if d := differ(whole, run(chunks)); d != "" {
				t.Errorf("%s: in %d chunks: %s", c.Dir, chunks, d)
			}
		}
	}
	if loops < 50 {
		t.Errorf("the cases have %d loops", loops)
	}
}

// differ returns a description of the first difference between the tensors in a and b, or "" if all
// bits are equal.
func differ(a, b map[string]*tensor.Tensor) string {
	for name, x := range a {
		y := b[name]
		if y == nil || !reflect.DeepEqual(x.Shape, y.Shape) {
			return name
		}
		if x.DType == tensor.String {
			if !reflect.DeepEqual(x.Data, y.Data) {
				return name
			}
			continue
		}
		if size := x.DType.Size(); !bytes.Equal(bits(x), bits(y)) {
			for i := 0; i < x.Len(); i++ {
				if p, q := bits(x)[i*size:][:size], bits(y)[i*size:][:size]; !bytes.Equal(p, q) {
					return fmt.Sprintf("%s: element %d is %x and %x", name, i, p, q)
				}
			}
		}
	}
	return ""
}

func bits(t *tensor.Tensor) []byte {
	v := reflect.ValueOf(t.Data)
	if v.Len() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*t.DType.Size())
}
