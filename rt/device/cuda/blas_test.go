//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/fakegpu/control"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// The function named multiplies skips the test if there is no cuBLAS.
func multiplies(t *testing.T, d device.Device) {
	none := false
	within(t, d, func() { none = library() == 0 })
	if none {
		t.Skip("there is no cuBLAS here")
	}
}

// TestNewerLibrary checks that an older cuBLAS is used if a newer one needs a newer driver. It runs
// itself in another process, which finds the newer cuBLAS first. That process must use the older
// cuBLAS and print a message.
func TestNewerLibrary(t *testing.T) {
	d := open(t, Options{})
	if os.Getenv("GRAPHC_TEST_NEWER") != "" {
		within(t, d, func() {
			if v := library(); v != 12 {
				t.Errorf("version %d is used", v)
			}
		})
		return
	}
	fake(t)
	path := os.Getenv("LD_LIBRARY_PATH")
	cmd := exec.Command(os.Args[0], "-test.run=TestNewerLibrary")
	cmd.Env = append(os.Environ(), "GRAPHC_TEST_NEWER=1", "LD_LIBRARY_PATH="+filepath.Join(path, "newer")+":"+path)
	out, err := cmd.CombinedOutput()
	if want := "libcublas.so.13 cannot be started here, and is not used: the library was not initialized\n"; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestGemm compares products of cuBLAS with products that the host computes. It uses all
// combinations of transposes, matrices that are parts of wider matrices, and launches with and
// without capture.
func TestGemm(t *testing.T) {
	d := open(t, Options{NoTF32: true})
	multiplies(t, d)
	const m, n, k, ld, batch, size = 5, 7, 3, 9, 2, 9 * 9
	a, b, c := make([]float32, batch*size), make([]float32, batch*size), make([]float32, batch*size)
	for i := range a {
		a[i], b[i], c[i] = float32(i%13)-6, float32(i%11)/4, float32(i%5)
	}
	within(t, d, func() {
		q, err := device.NewQueue(d, 1)
		must(t, err)
		s, err := d.NewStream()
		must(t, err)
		var mem [3]device.Memory
		for i, v := range [][]float32{a, b, c} {
			mem[i], err = d.Alloc(4 * len(v))
			must(t, err)
			must(t, s.CopyIn(mem[i], 0, floats(v...)))
		}
		got := make([]byte, 4*len(c))
		for mode := range 16 {
			g := device.Gemm{DType: tensor.Float32, TransA: mode&1 != 0, TransB: mode&2 != 0, M: m, N: n, K: k, Batch: 1, A: mem[0].Addr(), B: mem[1].Addr(), C: mem[2].Addr(),
				LDA: ld, LDB: ld, LDC: ld, StrideA: size, StrideB: 0, StrideC: size, Alpha: 2, Beta: 0.5}
			if mode&4 != 0 {
				g.Batch = batch
			}
			if mode&8 != 0 {
				g.Beta = 0
			}
			want := append([]float32(nil), c...)
			for p := range g.Batch {
				for i := range m {
					for j := range n {
						sum := 0.0
						for l := range k {
							x, y := p*size+i*ld+l, l*ld+j
							if g.TransA {
								x = p*size + l*ld + i
							}
							if g.TransB {
								y = j*ld + l
							}
							sum += float64(a[x]) * float64(b[y])
						}
						at := p*size + i*ld + j
						want[at] = float32(g.Alpha*sum + g.Beta*float64(c[at]))
					}
				}
			}
			must(t, s.CopyIn(mem[2], 0, floats(c...)))
			q.Begin(0, false)
			q.At("mul", "MatMul")
			if !q.Gemm(g) {
				t.Fatalf("mode %d: no product", mode)
			}
			must(t, q.End())
			must(t, q.Finish())
			must(t, s.CopyOut(got, mem[2], 0))
			for i, v := range values(got) {
				if math.Abs(float64(v-want[i])) > 1e-4 {
					t.Fatalf("mode %d: element %d is %v, not %v", mode, i, v, want[i])
				}
			}
		}
		// The stream has no cuBLAS handle yet when a product is captured. It must interrupt the
		// driver's capture to create the handle.
		other, err := d.NewStream()
		must(t, err)
		var bt device.Batch
		bt.Add(device.Item{Kind: device.GemmItem, Gemm: device.Gemm{DType: tensor.Float32, M: m, N: n, K: k, Batch: 1, A: mem[0].Addr(), B: mem[1].Addr(), C: mem[2].Addr(), LDA: ld, LDB: ld, LDC: ld, Alpha: 1}})
		w, err := other.Capture(func() error {
			if err := other.CopyIn(mem[0], 0, floats(1, 2, 3)); err != nil { // begins the capture
				return err
			}
			return other.Launch(&bt)
		})
		must(t, err)
		for range 2 {
			must(t, other.Launch(w))
		}
		must(t, other.Sync())
		must(t, other.CopyOut(got[:4], mem[2], 0))
		if v, want := values(got[:4])[0], 1*b[0]+2*b[ld]+3*b[2*ld]; v != want {
			t.Errorf("captured: %v, not %v", v, want)
		}
		must(t, other.Close())
		must(t, q.Release())
		must(t, s.Close())
		for _, m := range mem {
			must(t, m.Free())
		}
	})
	if u := d.Usage(); u.InUse != 0 {
		t.Errorf("%d bytes are in use", u.InUse)
	}
}

// TestTypes multiplies one number by another for each type, and tests unsupported types.
func TestTypes(t *testing.T) {
	d := open(t, Options{})
	multiplies(t, d)
	g := device.Gemm{M: 1, N: 1, K: 1, Batch: 1, LDA: 1, LDB: 1, LDC: 1, Alpha: 1}
	within(t, d, func() {
		s, err := d.NewStream()
		must(t, err)
		m, err := d.Alloc(1024)
		must(t, err)
		for _, c := range []struct {
			typ       tensor.DType
			a, b, out []byte
		}{
			{tensor.Half, []byte{0, 0x40}, []byte{0, 0x42}, []byte{0, 0x46}},           // 2·3
			{tensor.BFloat16, []byte{0, 0x40}, []byte{0x40, 0x40}, []byte{0xc0, 0x40}}, // 2·3
			{tensor.Float32, floats(2), floats(3), floats(6)},
			{tensor.Complex64, floats(0, 2), floats(0, 3), floats(-6, 0)},
			{tensor.Float64, []byte{7: 0x40}, []byte{6: 8, 7: 0x40}, []byte{6: 0x18, 7: 0x40}}, // 2·3
			{tensor.Complex128, []byte{7: 0x40, 15: 0}, []byte{6: 8, 7: 0x40, 15: 0}, []byte{6: 0x18, 7: 0x40, 15: 0}},
		} {
			g.DType, g.A, g.B, g.C = c.typ, m.Addr(), m.Addr()+256, m.Addr()+512
			must(t, s.CopyIn(m, 0, c.a))
			must(t, s.CopyIn(m, 256, c.b))
			var b device.Batch
			b.Add(device.Item{Kind: device.GemmItem, Gemm: g})
			must(t, s.Launch(&b))
			got := make([]byte, len(c.out))
			must(t, s.CopyOut(got, m, 512))
			if fmt.Sprint(got) != fmt.Sprint(c.out) {
				t.Errorf("%v: %v, not %v", c.typ, got, c.out)
			}
		}
		var b device.Batch
		b.Add(device.Item{Kind: device.GemmItem, Node: "mul", Op: "MatMul", Gemm: device.Gemm{DType: tensor.Int32, M: 1, N: 1, K: 1, Batch: 1}})
		if err := s.Launch(&b); tensor.CodeOf(err) != tensor.Unimplemented || !strings.Contains(err.Error(), `"mul"`) {
			t.Error(err)
		}
		s.Reset()
		if control.Fake() {
			b.Clear()
			b.Add(device.Item{Kind: device.GemmItem, Node: "mul", Op: "MatMul", Gemm: g})
			control.Inject("launch:1=1")
			err := s.Launch(&b)
			control.Inject("")
			if tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), "cuBLAS") || !strings.Contains(err.Error(), `"mul"`) {
				t.Error(err)
			}
			s.Reset()
		}
		must(t, s.Close())
		must(t, m.Free())
	})
	mul := d.(device.Multiplier)
	for _, bad := range []device.Gemm{
		{DType: tensor.Int32, M: 1, N: 1, K: 1, Batch: 1}, {DType: tensor.Float32, M: 0, N: 1, K: 1, Batch: 1}, {DType: tensor.Float32, M: 1, N: 1, K: 0, Batch: 1},
		{DType: tensor.Float32, M: 1 << 31, N: 1, K: 1, Batch: 1}, {DType: tensor.Float32, M: 1, N: 1, K: 1},
	} {
		if mul.Multiplies(&bad) {
			t.Errorf("%+v", bad)
		}
	}
	g.DType = tensor.Float32
	if !mul.Multiplies(&g) || open(t, Options{NoBLAS: true}).(device.Multiplier).Multiplies(&g) {
		t.Error("Multiplies")
	}
}

// TestTF32 checks whether float32 products use TF32 or float32. In TF32, 1+2⁻¹² is rounded to 1.
func TestTF32(t *testing.T) {
	// A real library may compute such a small product in float32 even if TF32 is allowed.
	fake(t)
	for _, no := range []bool{false, true} {
		d := open(t, Options{NoTF32: no})
		multiplies(t, d)
		within(t, d, func() {
			s, err := d.NewStream()
			must(t, err)
			m, err := d.Alloc(1024)
			must(t, err)
			x := float32(1 + 1.0/4096)
			must(t, s.CopyIn(m, 0, floats(x)))
			var b device.Batch
			b.Add(device.Item{Kind: device.GemmItem, Gemm: device.Gemm{DType: tensor.Float32, M: 1, N: 1, K: 1, Batch: 1, LDA: 1, LDB: 1, LDC: 1, Alpha: 1, A: m.Addr(), B: m.Addr(), C: m.Addr() + 512}})
			must(t, s.Launch(&b))
			got := make([]byte, 4)
			must(t, s.CopyOut(got, m, 512))
			if exact := values(got)[0] == x*x; exact != no {
				t.Errorf("NoTF32 %v: %v", no, values(got)[0])
			}
			must(t, s.Close())
			must(t, m.Free())
		})
	}
}
