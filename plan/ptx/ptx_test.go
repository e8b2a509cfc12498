package ptx

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/plan/scalar"
	sim "github.com/graphc/graphc/rt/device/sim/ptx"
	"github.com/graphc/graphc/rt/tensor"
)

var update = flag.Bool("update", false, "write the goldens anew")

// TestGolden compiles the programs in testdata and compares their PTX code with golden files in the
// same directory.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) < 8 {
		t.Fatalf("only %d programs", len(files))
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		p, err := scalar.Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		got, err := Compile(p, strings.TrimSuffix(filepath.Base(f), ".txt"))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		if _, err := sim.Parse(got); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		golden := strings.TrimSuffix(f, ".txt") + ".ptx"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, _ := os.ReadFile(golden); string(want) != got {
			t.Errorf("%s is not what is printed now: go test ./plan/ptx -update", golden)
		}
	}
}

// memory is a set of blocks that begin at multiples of 2³².
type memory [][]byte

func (m memory) Find(addr uint64) (uint64, []byte) {
	if i := int(addr>>32) - 1; i >= 0 && i < len(m) {
		return uint64(i+1) << 32, m[i]
	}
	return 0, nil
}

// TestVectors copies elements of every type, in whole vectors and in remainders, at aligned and at
// unaligned addresses.
func TestVectors(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32,
		tensor.Int64, tensor.Uint64, tensor.Bool, tensor.Complex64, tensor.Complex128, tensor.QInt8, tensor.QInt32} {
		p := &scalar.Program{Dims: 1, Ins: []scalar.Input{{DType: d}}}
		p.Outs = []scalar.Output{{DType: d, Value: scalar.NewBuilder(p).Load(0)}}
		text, err := Compile(p, "copy")
		if err != nil {
			t.Fatal(err)
		}
		m, err := sim.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		size := d.Size()
		for _, n := range []int{0, 1, 7, 64, 77} {
			for _, off := range []int{0, size} {
				src, dst := make([]byte, off+n*size), make([]byte, off+n*size)
				r := rand.New(rand.NewPCG(1, 2))
				for i := range src {
					src[i] = byte(r.Uint32()) & 0x3f // avoids NaN, because a NaN's bits may change
					if d == tensor.Bool {
						src[i] &= 1
					}
				}
				args := []uint64{uint64(n), 1<<32 + uint64(off), 2<<32 + uint64(off)}
				if err := m.Launch("copy", [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, args, memory{dst, src}, nil); err != nil {
					t.Fatalf("%v %d: %v", d, n, err)
				}
				if !bytes.Equal(dst[off:], src[off:]) {
					t.Errorf("%v, %d elements from byte %d on: %v, want %v", d, n, off, dst, src)
				}
			}
		}
	}
}

// TestRows checks operands that are broadcast by rows, with row lengths that are multiples of a
// vector's length and others that are not, and with operands that begin at any element.
func TestRows(t *testing.T) {
	p, err := scalar.Parse(`dims 2 args 0
in 0 f32 strided/1
in 1 f32 strided/1
in 2 f32 strided/0
%0 = load f32 0
%1 = load f32 1
%2 = load f32 2
%3 = sub f32 %0 %1
%4 = mul f32 %3 %2
out 0 f32 strided/1 %4
`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := Compile(p, "rows")
	if err != nil {
		t.Fatal(err)
	}
	m, err := sim.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ rows, cols, pitch, off int }{{3, 8, 8, 0}, {3, 8, 12, 4}, {3, 7, 9, 0}, {5, 4, 8, 1}, {2, 8, 9, 0}} {
		size := c.off + c.rows*c.pitch
		blocks := memory{make([]byte, 4*size), make([]byte, 4*size), make([]byte, 4*c.cols), make([]byte, 4*c.rows)}
		put := func(b []byte, i int, v float32) { binary.Encode(b[4*i:], binary.LittleEndian, v) }
		at := func(b []byte, i int) (v float32) {
			binary.Decode(b[4*i:], binary.LittleEndian, &v)
			return v
		}
		for i := range size {
			put(blocks[1], i, float32(i*i%101))
		}
		for i := range c.cols {
			put(blocks[2], i, float32(i))
		}
		for i := range c.rows {
			put(blocks[3], i, float32(10+i))
		}
		u := func(vs ...int) (out []uint64) {
			for _, v := range vs {
				out = append(out, uint64(v))
			}
			return out
		}
		args := u(c.rows*c.cols, 1<<32, 2<<32, 3<<32, 4<<32, c.rows, c.cols, c.off, c.pitch, 1, 0, 0, 1, 0, 1, 0, c.off, c.pitch, 1)
		if err := m.Launch("rows", [3]int{2, 1, 1}, [3]int{32, 1, 1}, 0, args, blocks, nil); err != nil {
			t.Fatal(err)
		}
		for i := range c.rows {
			for j := range c.cols {
				k := c.off + i*c.pitch + j
				if want := (at(blocks[1], k) - float32(j)) * float32(10+i); at(blocks[0], k) != want {
					t.Errorf("%+v: [%d,%d] is %v, want %v", c, i, j, at(blocks[0], k), want)
				}
			}
		}
	}
}

// TestDivisor checks the results of operations for which hardware division may fault: an integer
// divided by 0, and the least integer divided by -1.
func TestDivisor(t *testing.T) {
	for _, c := range []struct {
		op         string
		d          string
		x, y, want int64
	}{
		{"div", "i32", 7, 0, -1}, {"rem", "i32", 7, 0, 7}, {"div", "i32", -1 << 31, -1, -1 << 31}, {"rem", "i32", -1 << 31, -1, 0}, {"div", "i64", -9, 0, -1}, {"div", "i64", -1 << 63, -1, -1 << 63},
		{"div", "u32", 7, 0, 1<<32 - 1}, {"rem", "u32", 7, 0, 7}, {"div", "i8", -128, -1, -128}, {"div", "u8", 200, 0, 255}, {"pow", "i32", 3, -1, 1}, {"pow", "i32", 3, 4, 81}, {"pow", "i8", 2, 7, -128},
	} {
		p, err := scalar.Parse(fmt.Sprintf("dims 1 args 2\n%%0 = arg i64 0\n%%1 = arg i64 1\n%%2 = cast %s %%0\n%%3 = cast %s %%1\n%%4 = %s %s %%2 %%3\n%%5 = cast i64 %%4\nout 0 i64 contiguous %%5\n", c.d, c.d, c.op, c.d))
		if err != nil {
			t.Fatal(err)
		}
		text, err := Compile(p, "k")
		if err != nil {
			t.Fatal(err)
		}
		m, err := sim.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]byte, 8)
		if err := m.Launch("k", [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, []uint64{1, 1 << 32, uint64(c.x), uint64(c.y)}, memory{out}, nil); err != nil {
			t.Fatal(err)
		}
		if got := int64(binary.LittleEndian.Uint64(out)); got != c.want {
			t.Errorf("%s of %s: %d and %d give %d, want %d", c.op, c.d, c.x, c.y, got, c.want)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	bad := &scalar.Program{}
	if _, err := Compile(bad, "k"); err == nil {
		t.Error("a program without dimensions was printed")
	}
	p := &scalar.Program{Dims: 1, Ins: []scalar.Input{{DType: tensor.Complex64}}}
	b := scalar.NewBuilder(p)
	p.Outs = []scalar.Output{{DType: tensor.Float64, Value: b.Bits(tensor.Float64, b.Load(0))}}
	if _, err := Compile(p, "k"); err == nil || !strings.Contains(err.Error(), "bits of c64") {
		t.Errorf("%v", err)
	}
}

// TestOperations compiles a program for each operation and each combination of supported types, and
// checks that its code can be parsed.
func TestOperations(t *testing.T) {
	types := []tensor.DType{tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32,
		tensor.Int64, tensor.Uint64, tensor.Bool, tensor.Complex64, tensor.Complex128}
	count := 0
	for c := scalar.Neg; c < scalar.Call; c++ {
		for _, d := range types {
			for _, e := range types {
				p := &scalar.Program{Dims: 1, Ins: []scalar.Input{{DType: e}, {DType: tensor.Bool}}}
				b := scalar.NewBuilder(p)
				x, args := b.Load(0), []scalar.Value(nil)
				switch {
				case c == scalar.Select:
					args = []scalar.Value{b.Load(1), x, x}
				case c >= scalar.Add:
					args = []scalar.Value{x, x}
				default:
					args = []scalar.Value{x}
				}
				v := b.Op(scalar.Op{Code: c, DType: d, Args: args})
				p.Outs = []scalar.Output{{DType: d, Value: v}}
				if p.Check() != nil || c == scalar.Bits && (scalar.PartType(d) != tensor.Invalid || scalar.PartType(e) != tensor.Invalid) {
					continue
				}
				count++
				text, err := Compile(p, "k")
				if err == nil {
					_, err = sim.Parse(text)
				}
				if err != nil {
					t.Errorf("%v\n%s", err, p)
				}
			}
		}
	}
	if count < 500 {
		t.Errorf("only %d operations", count)
	}
}

// TestFunctions compiles programs that call each function with each supported type, and puts
// several kernels in one module.
func TestFunctions(t *testing.T) {
	module := Header
	for i, name := range scalar.Functions() {
		for _, d := range []tensor.DType{tensor.Half, tensor.Float32, tensor.Float64} {
			p := &scalar.Program{Dims: 1, Ins: []scalar.Input{{DType: d}}}
			b := scalar.NewBuilder(p)
			x := b.Load(0)
			for n := 1; n <= 3; n++ {
				v := b.Op(scalar.Op{Code: scalar.Call, DType: d, Func: name, Args: []scalar.Value{x, x, x}[:n]})
				p.Outs = []scalar.Output{{DType: d, Value: v}}
				if p.Check() == nil {
					break
				}
				p.Ops = p.Ops[:1]
			}
			text, err := Compile(p, fmt.Sprintf("k%d_%v", i, d))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			module += strings.TrimPrefix(text, Header)
		}
	}
	m, err := sim.Parse(module)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(m.Entries()); n != 3*len(scalar.Functions()) {
		t.Errorf("%d entries", n)
	}
}
