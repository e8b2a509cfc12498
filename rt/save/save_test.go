package save

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/bundle"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func newVar[T tensor.Elem](shape []int, data ...T) *[1]tensor.Handle {
	v := &resource.Var{DType: tensor.DTypeOf[T](), Declared: shape, Set: data != nil, Shape: shape, Data: data}
	return &[1]tensor.Handle{{V: v}}
}

func heldBy(h *[1]tensor.Handle) any { return h[0].V.(*resource.Var).Data }

func instance(x float32) *Checkpoint {
	return &Checkpoint{
		Variables: []Variable{
			{Key: "w", Handle: newVar([]int{2}, x, x+1)},
			{Key: "part", Slice: "3 2,1", Handle: newVar([]int{1}, int64(x))},
			{Key: "part", Slice: "3 0,2", Handle: newVar([]int{2}, int64(x)+1, int64(x)+2)},
			{Key: "s", Handle: newVar([]int{}, "text")},
			{Key: "half", Handle: newVar([]int{1}, tensor.ToF16(x))},
		},
		Carried: []Carried{{Key: "frozen", Tensor: tensor.Must(tensor.From(tensor.Shape{}, []bool{true}))}},
	}
}

func TestSaveRestore(t *testing.T) {
	dir := t.TempDir()
	a, b := instance(1), instance(5)
	if want := []string{"half", "part", "s", "w"}; !slices.Equal(a.Keys(), want) {
		t.Errorf("%q, want %q", a.Keys(), want)
	}
	prefix := filepath.Join(dir, "new", "a")
	if err := a.Save(prefix); err != nil {
		t.Fatal(err)
	}
	if err := b.Restore(prefix); err != nil {
		t.Fatal(err)
	}
	for i := range a.Variables {
		if got, want := heldBy(b.Variables[i].Handle), heldBy(a.Variables[i].Handle); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", a.Variables[i].Key, got, want)
		}
	}
	r, err := bundle.Open(prefix)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := r.Read("part"); err != nil || !reflect.DeepEqual(x.Data, []int64{2, 3, 1}) {
		t.Errorf("part: %v, %v", x, err)
	}
	if x, err := r.Read("frozen"); err != nil || !reflect.DeepEqual(x.Data, []bool{true}) {
		t.Errorf("frozen: %v, %v", x, err)
	}
	// The order of b.Variables has no influence on the bytes of the checkpoint.
	slices.Reverse(b.Variables)
	if err := b.Save(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{".index", ".data-00000-of-00001"} {
		x, _ := os.ReadFile(prefix + s)
		y, _ := os.ReadFile(filepath.Join(dir, "b") + s)
		if len(x) == 0 || !bytes.Equal(x, y) {
			t.Errorf("%s differs", s)
		}
	}
}

// TestSaveErrors: after an error of Restore, the variables are unchanged. After an error of Save, the
// files are unchanged.
func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "a")
	a := instance(1)
	if err := a.Save(prefix); err != nil {
		t.Fatal(err)
	}
	refused := func(c *Checkpoint, code tensor.Code, text ...string) {
		t.Helper()
		before := heldBy(c.Variables[0].Handle)
		err := c.Restore(prefix)
		if tensor.CodeOf(err) != code {
			t.Errorf("%v, want %v", err, code)
		}
		for _, s := range text {
			if err == nil || !strings.Contains(err.Error(), s) {
				t.Errorf("%v, want %q in it", err, s)
			}
		}
		if !reflect.DeepEqual(heldBy(c.Variables[0].Handle), before) {
			t.Error("a variable is changed")
		}
	}
	with := func(v Variable) *Checkpoint {
		c := instance(5)
		c.Variables = append(c.Variables, v)
		return c
	}
	refused(with(Variable{Key: "other", Handle: newVar([]int{1}, 1.0)}), tensor.NotFound, `lacks "other"`, `it has "frozen", "half", "part", "s", "w"`)
	refused(with(Variable{Key: "w", Handle: newVar([]int{2}, 1.0, 2)}), tensor.InvalidArgument, `"w" is f32[2], the variable f64`)
	refused(with(Variable{Key: "w", Handle: newVar[float32]([]int{3})}), tensor.InvalidArgument, `"w" is f32[2], the variable is declared [3]`)
	refused(with(Variable{Key: "part", Slice: "4 0,1", Handle: newVar[int64]([]int{1})}), tensor.InvalidArgument, `"part"`)

	c := with(Variable{Key: "none", Handle: newVar[float32]([]int{1})})
	if err := c.Save(prefix); tensor.CodeOf(err) != tensor.FailedPrecondition || !strings.Contains(err.Error(), `"none"`) {
		t.Errorf("a variable without a value: %v", err)
	}
	if err := c.Restore(filepath.Join(dir, "missing")); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no checkpoint: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("files are left: %v", left)
	}
	refused(a, tensor.OK)
	data := prefix + ".data-00000-of-00001"
	raw, _ := os.ReadFile(data)
	os.WriteFile(data, raw[:len(raw)-1], 0o666)
	refused(instance(5), tensor.OutOfRange)
	raw[len(raw)-1] ^= 1
	os.WriteFile(data, raw, 0o666)
	refused(instance(5), tensor.DataLoss)
}

// TestSaveWhileUpdated saves a variable while other goroutines update it. The saved value must not
// contain a part of an update.
func TestSaveWhileUpdated(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "a")
	h := newVar([]int{1000}, make([]int32, 1000)...)
	c := &Checkpoint{Variables: []Variable{{Key: "v", Handle: h}}}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				v := h[0].V.(*resource.Var)
				v.Lock()
				for i := range v.Data.([]int32) {
					v.Data.([]int32)[i]++
				}
				v.Unlock()
			}
		})
	}
	for range 20 {
		if err := c.Save(prefix); err != nil {
			t.Fatal(err)
		}
		r, err := bundle.Open(prefix)
		if err != nil {
			t.Fatal(err)
		}
		x, err := r.Read("v")
		if err != nil {
			t.Fatal(err)
		}
		d := x.Data.([]int32)
		if slices.Min(d) != slices.Max(d) {
			t.Fatalf("an update is seen in part: %d to %d", slices.Min(d), slices.Max(d))
		}
		if err := c.Restore(prefix); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
}

// TestClosed: Save and Restore return an error for a closed instance, and for a nil instance.
func TestClosed(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "a")
	b, err := rt.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := instance(1)
	if err := Save(b, c, prefix); err != nil {
		t.Error(err)
	}
	if err := Restore(b, c, prefix); err != nil {
		t.Error(err)
	}
	b.Close()
	for _, x := range []struct {
		b    *rt.Base
		want tensor.Code
	}{{b, tensor.Cancelled}, {nil, tensor.FailedPrecondition}} {
		for _, err := range []error{Save(x.b, c, prefix), Restore(x.b, c, prefix)} {
			if tensor.CodeOf(err) != x.want {
				t.Errorf("%v, want %v", err, x.want)
			}
		}
	}
}
