package ptx

import (
	_ "embed"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

//go:embed testdata/kernels.ptx
var kernelsPTX string

//go:embed testdata/half.ptx
var halfPTX string

func parse(t testing.TB, text string) *Module {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// raw returns the memory of a slice.
func raw[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

func floats(seed uint64, n int, low, high float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 7))
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(low + (high-low)*r.Float64())
	}
	return s
}

func near(t *testing.T, what string, i int, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*(1e-3+math.Abs(want))) {
		t.Fatalf("%s: element %d is %v, want %v", what, i, got, want)
	}
}

// ways are the options with which all kernels are run.
var ways = []*Options{nil, {Workers: 2}, {Seed: 1}, {Seed: 2, Workers: 3}, {Races: true}}

func run(t *testing.T, m *Module, name string, grid, block [3]int, shared int, mem Memory, o *Options, args ...uint64) {
	t.Helper()
	if err := m.Launch(name, grid, block, shared, args, mem, o); err != nil {
		t.Fatal(err)
	}
}

func TestKernels(t *testing.T) {
	m := parse(t, kernelsPTX)
	for _, o := range ways {
		elementwise(t, m, o)
		add4(t, m, o)
		softmax(t, m, o)
		transpose(t, m, o)
		sgemm(t, m, o)
		scatterAdd(t, m, o)
		atomics(t, m, o)
		doubles(t, m, o)
		philox(t, m, o)
		diverge(t, m, o)
	}
	halves(t, parse(t, halfPTX))
}

func elementwise(t *testing.T, m *Module, o *Options) {
	n := 1003
	x, y := floats(1, n, -4, 4), make([]float32, n)
	x[5], x[6], x[7] = 1e6, -3e5, 1e-20
	var f Flat
	a, b := f.Add(raw(y)), f.Add(raw(x))
	run(t, m, "elementwise", [3]int{3, 1, 1}, [3]int{128, 1, 1}, 0, &f, o, a, b, uint64(n))
	for i, v := range x {
		v := float64(v)
		w := 0.5*v*(1+math.Erf(v/math.Sqrt2)) + math.Tanh(v)*math.Exp(-v) + math.Pow(math.Abs(v)+.1, 1.7)
		if v > 0 {
			w += math.Log(v)
		} else {
			w += math.Sin(v)
		}
		if math.IsInf(w, 0) || math.Abs(w) > math.MaxFloat32 {
			if !math.IsInf(float64(y[i]), sign(w)) {
				t.Fatalf("elementwise: f(%v) = %v", v, y[i])
			}
			continue
		}
		near(t, "elementwise", i, float64(y[i]), w, 2e-6)
	}
}

func add4(t *testing.T, m *Module, o *Options) {
	n := 100
	x, z, y := floats(1, 4*n, -4, 4), floats(2, 4*n, -4, 4), make([]float32, 4*n)
	var f Flat
	run(t, m, "add4", [3]int{4, 1, 1}, [3]int{32, 1, 1}, 0, &f, o, f.Add(raw(y)), f.Add(raw(x)), f.Add(raw(z)), uint64(n))
	for i := range y {
		want := [4]float32{x[i] + z[i], x[i] * z[i], max(x[i], z[i]), x[i] / z[i]}[i%4]
		if y[i] != want {
			t.Fatalf("add4: %d: %v, want %v", i, y[i], want)
		}
	}
}

func softmax(t *testing.T, m *Module, o *Options) {
	rows, n := 5, 300
	x, y := floats(3, rows*n, -9, 9), make([]float32, rows*n)
	var f Flat
	run(t, m, "softmax", [3]int{rows, 1, 1}, [3]int{128, 1, 1}, 0, &f, o, f.Add(raw(y)), f.Add(raw(x)), uint64(n))
	for r := range rows {
		var sum float64
		for _, v := range x[r*n : r*n+n] {
			sum += math.Exp(float64(v))
		}
		for i := r * n; i < r*n+n; i++ {
			near(t, "softmax", i, float64(y[i]), math.Exp(float64(x[i]))/sum, 1e-5)
		}
	}
}

func transpose(t *testing.T, m *Module, o *Options) {
	rows, cols := 100, 70
	x, y := floats(4, rows*cols, -9, 9), make([]float32, rows*cols)
	var f Flat
	run(t, m, "transpose", [3]int{3, 4, 1}, [3]int{32, 8, 1}, 0, &f, o, f.Add(raw(y)), f.Add(raw(x)), uint64(rows), uint64(cols))
	for i := range y {
		if y[i] != x[i%rows*cols+i/rows] {
			t.Fatalf("transpose: element %d", i)
		}
	}
}

func sgemm(t *testing.T, m *Module, o *Options) {
	M, N, K := 70, 90, 33
	a, b, c := floats(5, M*K, -1, 1), floats(6, K*N, -1, 1), make([]float32, M*N)
	var f Flat
	run(t, m, "sgemm", [3]int{2, 2, 1}, [3]int{16, 16, 1}, 0, &f, o, f.Add(raw(c)), f.Add(raw(a)), f.Add(raw(b)), uint64(M), uint64(N), uint64(K))
	for i := range c {
		var s float32
		for k := range K {
			s = fma32(a[i/N*K+k], b[k*N+i%N], s)
		}
		if c[i] != s {
			t.Fatalf("sgemm: element %d is %v, want %v", i, c[i], s)
		}
	}
}

func scatterAdd(t *testing.T, m *Module, o *Options) {
	n, width, rows := 100, 8, 20
	index, x, y, want := make([]int32, n), make([]float32, n*width), make([]float32, rows*width), make([]float32, rows*width)
	for i := range index {
		index[i] = int32(i * 7 % rows)
	}
	for i := range x {
		x[i] = float32(i % 100) // small whole numbers, so that sums are exact in any order
		want[int(index[i/width])*width+i%width] += x[i]
	}
	var f Flat
	run(t, m, "scatter_add", [3]int{7, 1, 1}, [3]int{128, 1, 1}, 0, &f, o, f.Add(raw(y)), f.Add(raw(index)), f.Add(raw(x)), uint64(n), uint64(width))
	for i := range y {
		if y[i] != want[i] {
			t.Fatalf("scatter_add: element %d is %v, want %v", i, y[i], want[i])
		}
	}
}

func atomics(t *testing.T, m *Module, o *Options) {
	n := 333
	u, s, w, d := make([]uint32, 6), make([]int32, 2), make([]uint64, 1), make([]float64, 1)
	u[3] = math.MaxUint32
	wu, ws, ww := []uint32{0, 0, 0, math.MaxUint32, uint32(3 * n), uint32(n % 7)}, []int32{0, int32(n)}, uint64(n*(n-1)/2)
	for i := range n {
		h := uint32(uint64(i) * 2654435761)
		wu[0] = max(wu[0], h)
		wu[1] ^= uint32(i)
		wu[2] |= 1 << (i & 31)
		wu[3] &^= 1 << (i & 15)
		ws[0] = min(ws[0], int32(h))
	}
	var f Flat
	run(t, m, "atomics", [3]int{4, 1, 1}, [3]int{96, 1, 1}, 4, &f, o, f.Add(raw(u)), f.Add(raw(s)), f.Add(raw(w)), f.Add(raw(d)), uint64(n))
	for i := range u {
		if u[i] != wu[i] {
			t.Errorf("atomics: u[%d] = %#x, want %#x", i, u[i], wu[i])
		}
	}
	if s[0] != ws[0] || s[1] != ws[1] || w[0] != ww || d[0] != float64(n)/2 {
		t.Errorf("atomics: %v %v %v, want %v %v %v", s, w, d, ws, ww, float64(n)/2)
	}
}

func doubles(t *testing.T, m *Module, o *Options) {
	n := 200
	x, y := make([]float64, n), make([]float64, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = 5 * r.Float64()
	}
	x[3] = 1e12
	var f Flat
	run(t, m, "doubles", [3]int{4, 1, 1}, [3]int{64, 1, 1}, 0, &f, o, f.Add(raw(y)), f.Add(raw(x)), uint64(n))
	for i, v := range x {
		w := math.Exp(v) + math.Log(v+1)*math.Sqrt(v)/(1+v) + math.Pow(v, 1.5) + math.Sin(v)
		if math.IsInf(w, 0) && math.IsInf(y[i], 0) {
			continue
		}
		near(t, "doubles", i, y[i], w, 2e-15)
	}
}

func philox(t *testing.T, m *Module, o *Options) {
	n, seed := 50, uint64(0x123456789abcdef)
	y := make([]uint32, 4*n)
	var f Flat
	run(t, m, "philox", [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, &f, o, f.Add(raw(y)), seed, uint64(n))
	for i := range n {
		c, a, b := [4]uint32{uint32(i)}, uint32(seed), uint32(seed>>32)
		for range 10 {
			p, q := uint64(0xD2511F53)*uint64(c[0]), uint64(0xCD9E8D57)*uint64(c[2])
			c = [4]uint32{uint32(q>>32) ^ c[1] ^ a, uint32(q), uint32(p>>32) ^ c[3] ^ b, uint32(p)}
			a += 0x9E3779B9
			b += 0xBB67AE85
		}
		for j := range c {
			if y[4*i+j] != c[j] {
				t.Fatalf("philox: number %d of %d is %#x, want %#x", j, i, y[4*i+j], c[j])
			}
		}
	}
}

func diverge(t *testing.T, m *Module, o *Options) {
	n := 150
	table := []int32{3, 1, 4, 1, 5, 9, 2, 6}
	y := make([]int32, 2*n)
	var f Flat
	run(t, m, "diverge", [3]int{2, 1, 1}, [3]int{96, 1, 1}, 0, &f, o, f.Add(raw(y)), uint64(n))
	for i := range n {
		steps := int32(0)
		for v := i + 1; v != 1; steps++ {
			if v&1 == 1 {
				v = 3*v + 1
			} else {
				v /= 2
			}
		}
		v := table[steps&7] * int32(i)
		switch i % 7 {
		case 0:
			v += 11
		case 1:
			v *= 3
		case 2:
			v ^= 0x55
		case 3:
			v -= steps
		case 4:
			v = -v
		case 5:
			v <<= 2
		default:
			v = 2 * steps
		}
		if y[2*i] != v || y[2*i+1] != steps && y[2*i+1] != -1 {
			t.Fatalf("diverge: %d: %v, want %d, %d", i, y[2*i:2*i+2], v, steps)
		}
	}
}

func halves(t *testing.T, m *Module) {
	x := floats(8, 500, -70000, 70000)
	for i := range x {
		switch i % 4 {
		case 1:
			x[i] *= 1e-5
		case 2:
			x[i] *= 1e-10
		}
	}
	x = append(x, 0, float32(math.Inf(1)), float32(math.NaN()), 65504, 65519.99, 65520, 5.9604645e-08, 2.9802322e-08, 2.98023e-08, float32(math.Copysign(0, -1)))
	n := len(x)
	h, b, fh, fb := make([]uint16, 2*n), make([]uint16, 2*n), make([]float32, n), make([]float32, n)
	var f Flat
	run(t, m, "halves", [3]int{5, 1, 1}, [3]int{128, 1, 1}, 0, &f, nil, f.Add(raw(h)), f.Add(raw(b)), f.Add(raw(fh)), f.Add(raw(fb)), f.Add(raw(x)), uint64(n))
	for i, v := range x {
		if v != v {
			if h[i] != nan16 || b[i] != nan16 {
				t.Errorf("NaN is %#x and %#x", h[i], b[i])
			}
			continue
		}
		if d := math.Abs(float64(fh[i] - v)); math.Abs(float64(v)) < 65520 && d > max(math.Abs(float64(v))/2048, 0x1p-25) {
			t.Errorf("%v as f16 is %v", v, fh[i])
		}
		if d := math.Abs(float64(fb[i] - v)); d > math.Abs(float64(v))/256 {
			t.Errorf("%v as bf16 is %v", v, fb[i])
		}
		if got := fromF16(uint64(h[n+i])); got != 2*float64(fh[i]) && math.Abs(2*float64(fh[i])) < 65520 {
			t.Errorf("%v + %v is %v", fh[i], fh[i], got)
		}
	}
}

func BenchmarkSgemm(b *testing.B) {
	m, err := Parse(kernelsPTX)
	if err != nil {
		b.Fatal(err)
	}
	n := 128
	x, y, z := floats(5, n*n, -1, 1), floats(6, n*n, -1, 1), make([]float32, n*n)
	var f Flat
	args := []uint64{f.Add(raw(z)), f.Add(raw(x)), f.Add(raw(y)), uint64(n), uint64(n), uint64(n)}
	var count uint64
	for b.Loop() {
		if err := m.Launch("sgemm", [3]int{2, 2, 1}, [3]int{16, 16, 1}, 0, args, &f, &Options{Count: &count}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(32*count)/b.Elapsed().Seconds()/1e6, "Mlanes/s")
}

func BenchmarkSmallLaunch(b *testing.B) {
	m := parse(b, kernelsPTX)
	n := 100
	x, y := floats(5, n, -1, 1), make([]float32, n)
	var f Flat
	args := []uint64{f.Add(raw(y)), f.Add(raw(x)), uint64(n)}
	for b.Loop() {
		if err := m.Launch("elementwise", [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, args, &f, nil); err != nil {
			b.Fatal(err)
		}
	}
}
