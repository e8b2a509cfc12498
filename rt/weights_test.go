package rt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/graphc/graphc/rt/tensor"
)

// weightsFile returns the bytes and the description of a weights file. The file has a section of numbers
// and a section of strings.
func weightsFile() (string, *Weights) {
	body := "\x00\x00\x80\x3f\x00\x00\x00\x40" + string(make([]byte, 56)) + "\x03\x01a\x00\x02\xff\x00"
	sum := sha256.Sum256([]byte(body))
	head := WeightsMagic + string(make([]byte, HeaderSize-32-len(WeightsMagic))) + string(sum[:])
	return head + body, &Weights{Size: len(head) + len(body), Sum: hex.EncodeToString(sum[:]),
		Sections: []Section{{64, 8, 4}}, Strings: []Section{{128, 7, 0}}}
}

func TestOpen(t *testing.T) {
	data, w := weightsFile()
	for off := range 3 { // embedded data may begin at any address
		w.Data = (string(make([]byte, off)) + data)[off:]
		b, err := Open(w)
		if err != nil {
			t.Fatal(err)
		}
		if got := At[float32](b.weights, 64, 2); !slices.Equal(got, []float32{1, 2}) {
			t.Errorf("numbers %v", got)
		}
		if uintptr(unsafe.Pointer(&b.weights[0]))%32 != 0 {
			t.Error("the weights are not aligned")
		}
		if !slices.Equal(b.strings[0], []string{"a", "", "\xff\x00"}) {
			t.Errorf("strings %q", b.strings)
		}
	}
	path := filepath.Join(t.TempDir(), "w.bin")
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	w.Data, w.File = "", "none.bin"
	if _, err := Open(w); tensor.CodeOf(err) != tensor.NotFound {
		t.Errorf("no file: %v", err)
	}
	if b, err := Open(w, WithWeights(path)); err != nil || At[float32](b.weights, 64, 2)[1] != 2 {
		t.Errorf("a file: %v", err)
	}
	w.Size++
	if _, err := Open(w, WithWeights(path)); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("another size: %v", err)
	}
	w.Size--
	w.Sum = "00" + w.Sum[2:]
	if _, err := Open(w, WithWeights(path)); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("another sum: %v", err)
	}
	w.File, w.Data = "", "version https://git-lfs.github.com/spec/v1"
	if _, err := Open(w); tensor.CodeOf(err) != tensor.DataLoss {
		t.Errorf("a pointer in place of the file: %v", err)
	}
	for _, o := range []Option{WithMaxBytes(0), WithConcurrency(0)} {
		if _, err := Open(nil, o); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("a bad option: %v", err)
		}
	}
}

// TestWeightsAreUnmapped: the weights file stays mapped as long as a run uses the model, and is unmapped
// after the model has become unreachable.
func TestWeightsAreUnmapped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the mappings of a process are read from /proc")
	}
	data, w := weightsFile()
	path := filepath.Join(t.TempDir(), "unmapped.bin")
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	w.File = "unmapped.bin"
	mapped := func() int {
		text, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), path)
	}
	type model struct {
		pool Pool[dims, found, input, vars, struct{}]
	}
	open := func() *model {
		b, err := Open(w, WithWeights(path))
		if err != nil {
			t.Fatal(err)
		}
		m := new(model)
		m.pool.Init(b, testCode(), nil)
		return m
	}
	m := open()
	s, err := m.pool.Get(context.Background(), dims{1})
	if err != nil {
		t.Fatal(err)
	}
	text := open().pool.base.strings[0]
	for range 20 {
		open()
	}
	bad := *w
	bad.Sum = "00" + bad.Sum[2:]
	if _, err := Open(&bad, WithWeights(path)); err == nil {
		t.Error("another file is taken")
	}
	for range 100 {
		if runtime.GC(); mapped() == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := mapped(); n != 1 {
		t.Errorf("%d mappings are left, want the one in use", n)
	}
	if got := At[float32](s.W, 64, 2)[1]; got != 2 {
		t.Errorf("the weights in use hold %v", got)
	}
	m.pool.Put(s, new(error))
	if !slices.Equal(text, []string{"a", "", "\xff\x00"}) {
		t.Errorf("the strings of a model that is gone are %q", text)
	}
}

func TestSwap(t *testing.T) {
	b := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	swap(b, 4)
	if !slices.Equal(b, []byte{4, 3, 2, 1, 8, 7, 6, 5}) {
		t.Errorf("got %v", b)
	}
}

func FuzzDecodeStrings(f *testing.F) {
	f.Add([]byte("\x03\x01a\x00\x02\xff\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		ss, err := decodeStrings(b)
		n := 0
		for _, s := range ss {
			n += len(s)
		}
		if err == nil && n > len(b) {
			t.Errorf("%d bytes from %d", n, len(b))
		}
	})
}

func TestSaturatingArithmetic(t *testing.T) {
	const lo, hi = math.MinInt, math.MaxInt
	for _, c := range []struct{ got, want int }{
		{Mul(3, -4), -12}, {Mul(0, lo), 0}, {Mul(hi, 2), hi}, {Mul(lo, 2), lo}, {Mul(lo, -1), hi}, {Mul(-1, lo), hi}, {Mul(-hi, 2), lo},
		{Mul(1<<32, 1<<31), hi}, {Mul(-1<<32, 1<<31), lo}, {Mul(1<<32, 1<<30), 1 << 62},
		{Add(hi, 1), hi}, {Add(lo, -1), lo}, {Add(lo, hi), -1}, {Add(hi-1, 1), hi}, {Add(lo, lo), lo},
		{Div(-7, 2), -4}, {Div(7, -2), -4}, {Div(-8, 2), -4}, {Mod(-7, 3), 2}, {Mod(7, -3), -2}, {Bcast(1, 5), 5}, {Bcast(5, 1), 5}, {Bcast(0, 1), 0},
	} {
		if c.got != c.want {
			t.Errorf("got %d, want %d", c.got, c.want)
		}
	}
}

func TestFetch(t *testing.T) {
	var out tensor.Of[int32]
	Fetch(&out, []int32{1, 2, 3}, 3)
	p := &out.Data[0]
	Fetch(&out, []int32{4}, 1, 1)
	if &out.Data[0] != p || !slices.Equal(out.Data, []int32{4}) || !slices.Equal(out.Shape, []int{1, 1}) {
		t.Errorf("got %v", out)
	}
	Fetch(&out, nil, 0, 7)
	if len(out.Data) != 0 || !slices.Equal(out.Shape, []int{0, 7}) {
		t.Errorf("got %v", out)
	}
}

// TestSizes: MulSize and AddSize panic with InvalidArgument if the result overflows int.
func TestSizes(t *testing.T) {
	if MulSize(1<<31, 1<<31) != 1<<62 || AddSize(1<<62, -1) != 1<<62-1 || MulSize(0, math.MinInt) != 0 {
		t.Error("sizes in the range are wrong")
	}
	for _, f := range []func(){func() { MulSize(1<<32, 1<<31) }, func() { AddSize(math.MaxInt, 1) }, func() { MulSize(math.MinInt, -1) }, func() { AddSize(math.MinInt, -1) }} {
		func() {
			defer func() {
				if e, _ := recover().(error); tensor.CodeOf(e) != tensor.InvalidArgument {
					t.Errorf("an overflow gives %v", e)
				}
			}()
			f()
		}()
	}
}
