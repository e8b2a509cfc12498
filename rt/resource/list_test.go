package resource

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// model is the expected contents of a list: the bytes of each tensor, nil for an uninitialized one.
type model [][]byte

// TestVersions makes random changes to random versions of a list, including old versions. At the end
// it compares all versions with their models. With some seeds it changes only the newest version and
// sets the parameter own, so that each change may be made in place.
func TestVersions(t *testing.T) {
	for seed := range uint64(80) {
		own := seed >= 60
		r := rand.New(rand.NewPCG(seed, 1))
		l, err := NewList(tensor.Uint8, Partial{}, 3, -1)
		if err != nil {
			t.Fatal(err)
		}
		lists, models := []*List{l}, []model{make(model, 3)}
		for range 400 {
			at := len(lists) - 1
			if !own && r.IntN(8) == 0 {
				at = r.IntN(len(lists))
			}
			l, m := lists[at], slices.Clone(models[at])
			v := []byte{byte(r.Uint32()), byte(r.Uint32())}
			if r.IntN(20) == 0 {
				v = v[:1]
			}
			switch r.IntN(7) {
			case 0, 1, 2:
				if len(m) == 0 {
					continue
				}
				k := r.IntN(len(m))
				l, err = l.Set(k, []int{len(v)}, Data{B: v}, false, own)
				m[k] = v
			case 3:
				k := r.IntN(len(m) + 3)
				l, err = l.Set(k, []int{len(v)}, Data{B: v}, true, own)
				for len(m) <= k {
					m = append(m, nil)
				}
				m[k] = v
			case 4:
				l, err = l.Push([]int{len(v)}, Data{B: v}, own)
				m = append(m, v)
			case 5:
				if len(m) == 0 {
					continue
				}
				l, err = l.Pop(own)
				m = m[:len(m)-1]
			case 6:
				n := r.IntN(8)
				l, err = l.Resize(n, own)
				m = append(m[:min(n, len(m)):min(n, len(m))], make(model, max(0, n-len(m)))...)
			}
			if err != nil {
				t.Fatal(err)
			}
			lists, models = append(lists, l), append(models, m)
			if own {
				lists, models = lists[len(lists)-1:], models[len(models)-1:]
			}
		}
		for i, l := range lists {
			if l.Len() != len(models[i]) {
				t.Fatalf("seed %d: version %d has %d tensors, want %d", seed, i, l.Len(), len(models[i]))
			}
			for k, want := range models[i] {
				c := l.cell(k)
				var got []byte
				if c.set() {
					got = l.st.dataOf(c, k).B
				}
				if !slices.Equal(got, want) || c.set() != (want != nil) {
					t.Fatalf("seed %d: version %d has %v at %d, want %v", seed, i, got, k, want)
				}
			}
		}
	}
}

// TestLinear counts allocations of lists. A thousand calls of Set must take at most 100 allocations,
// and so must a thousand calls of Push followed by a thousand calls of Pop. If the parameter own
// allows changes in place, the limit is 40 allocations.
func TestLinear(t *testing.T) {
	item := Data{B: make([]byte, 16)}
	shape := []int{4}
	const n = 1000
	own := false
	for name, f := range map[string]func() error{
		"set": func() error {
			l, err := NewList(tensor.Float32, Partial{true, shape}, n, -1)
			for k := 0; k < n && err == nil; k++ {
				l, err = l.Set(k, shape, item, false, own)
			}
			return err
		},
		"push and pop": func() error {
			l, err := NewList(tensor.Float32, Partial{}, 0, -1)
			for k := 0; k < n && err == nil; k++ {
				l, err = l.Push(shape, item, own)
			}
			for k := 0; k < n && err == nil; k++ {
				if err = l.Get(l.Len()-1, shape, Partial{}, item); err == nil {
					l, err = l.Pop(own)
				}
			}
			return err
		},
	} {
		for _, most := range []float64{n / 10, 40} {
			own = most < n/10
			allocs := testing.AllocsPerRun(3, func() {
				if err := f(); err != nil {
					t.Fatal(err)
				}
			})
			if allocs > most {
				t.Errorf("%s: %v allocations for %d changes, own %v", name, allocs, n, own)
			}
		}
	}
}

// TestAddData tests which element types can be added, and that sums of integers wrap around.
func TestAddData(t *testing.T) {
	for d := tensor.DType(1); d.Valid(); d++ {
		x, y := makeData(d, 3), makeData(d, 3)
		err := x.add(d, y)
		if want := d != tensor.Bool && d != tensor.Resource; (err == nil) != want && (err != nil) == want {
			t.Errorf("%v: %v", d, err)
		}
	}
	x, y := Data{B: []byte{1, 250}}, Data{B: []byte{2, 10}}
	if err := x.add(tensor.Uint8, y); err != nil || x.B[0] != 3 || x.B[1] != 4 {
		t.Errorf("%v %v", x.B, err)
	}
}

// TestArrayCodes tests the codes of the errors of a TensorArray.
func TestArrayCodes(t *testing.T) {
	two, four := Data{B: make([]byte, 8)}, Data{B: make([]byte, 16)}
	for _, c := range []struct {
		name string
		f    ArrayFlags
		elem Partial
		do   func(a *Array) error
		want tensor.Code
	}{
		{"write outside", ArrayFlags{}, Partial{}, func(a *Array) error { return a.Write(2, []int{2}, two) }, tensor.InvalidArgument},
		{"write behind the end", ArrayFlags{Dynamic: true}, Partial{}, func(a *Array) error { return a.Write(7, []int{2}, two) }, 0},
		{"far too large", ArrayFlags{Dynamic: true}, Partial{}, func(a *Array) error { return a.Write(1<<31-1, []int{2}, two) }, tensor.ResourceExhausted},
		{"negative", ArrayFlags{Dynamic: true}, Partial{}, func(a *Array) error { return a.Write(-1, []int{2}, two) }, tensor.InvalidArgument},
		{"another shape", ArrayFlags{}, Partial{true, []int{3}}, func(a *Array) error { return a.Write(0, []int{2}, two) }, tensor.InvalidArgument},
		{"not identical", ArrayFlags{Identical: true}, Partial{}, func(a *Array) error {
			if err := a.Write(0, []int{2}, two); err != nil {
				return nil
			}
			return a.Write(1, []int{4}, four)
		}, tensor.InvalidArgument},
		{"unwritten", ArrayFlags{}, Partial{}, func(a *Array) error { return a.Read(0, []int{2}, two) }, tensor.InvalidArgument},
		{"unwritten zeros", ArrayFlags{}, Partial{true, []int{2}}, func(a *Array) error { return a.Read(0, []int{2}, two) }, 0},
		{"write after a read", ArrayFlags{}, Partial{true, []int{2}}, func(a *Array) error {
			if err := a.Read(0, []int{2}, two); err != nil {
				return nil
			}
			return a.Write(0, []int{2}, two)
		}, tensor.InvalidArgument},
		{"gather without indices", ArrayFlags{}, Partial{true, []int{2}}, func(a *Array) error { _, err := a.GatherShape(nil, Partial{}); return err }, tensor.Unimplemented},
		{"scatter outside", ArrayFlags{}, Partial{}, func(a *Array) error { return a.Scatter([]int32{0, 2}, []int{2, 1}, two) }, tensor.InvalidArgument},
		{"split into three", ArrayFlags{}, Partial{}, func(a *Array) error { return a.Split([]int64{1, 1, 0}, []int{2}, two) }, tensor.InvalidArgument},
		{"split of more", ArrayFlags{}, Partial{}, func(a *Array) error { return a.Split([]int64{1, 2}, []int{2}, two) }, tensor.InvalidArgument},
		{"closed", ArrayFlags{}, Partial{}, func(a *Array) error { a.Close(); _, err := a.Len(); return err }, tensor.InvalidArgument},
		{"gradients of gradients", ArrayFlags{}, Partial{}, func(a *Array) error {
			g, err := a.Grad("s", nil)
			if err != nil {
				return nil
			}
			_, err = g.Grad("s", nil)
			return err
		}, tensor.InvalidArgument},
		{"a sum of other shapes", ArrayFlags{}, Partial{}, func(a *Array) error {
			g, err := a.Grad("s", nil)
			if err != nil || g.Write(0, []int{2}, two) != nil {
				return nil
			}
			return g.Write(0, []int{4}, four)
		}, tensor.InvalidArgument},
	} {
		a, err := NewArray("a", tensor.Float32, c.elem, 2, c.f)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.do(a); tensor.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want the code %v", c.name, err, c.want)
		}
	}
	if _, err := NewArray("a", tensor.Float32, Partial{}, -1, ArrayFlags{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a negative size: %v", err)
	}
}
