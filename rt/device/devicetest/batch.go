package devicetest

import (
	"bytes"
	_ "embed" // the kernels
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

//go:embed axpy.ptx
var axpyPTX string

var noPTX = "\t.version nothing"

var (
	kernels = device.Module{PTX: &axpyPTX}
	axpy    = device.Kernel{Module: &kernels, Entry: "axpy"}
	ids     = device.Kernel{Module: &kernels, Entry: "ids"}
	unknown = device.Kernel{Module: &kernels, Entry: "unknown"}
	broken  = device.Kernel{Module: &device.Module{PTX: &noPTX}, Entry: "axpy"}
)

// runsKernels reports whether a device runs kernels. If the device does not, runsKernels checks
// that it returns Unimplemented.
func runsKernels(t *testing.T, d device.Device) bool {
	t.Helper()
	must(t, d.Prepare())
	err := d.Prepare(&axpy)
	if tensor.CodeOf(err) != tensor.Unimplemented {
		must(t, err)
		return true
	}
	var b device.Batch
	b.Add(device.Item{Kind: device.FillItem, N: 1})
	if err := stream(t, d).Launch(&b); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error("a batch of a device without kernels:", err)
	}
	if a := alloc(t, d, 100); a.Addr() != 0 {
		t.Errorf("memory begins at %#x where there are no kernels", a.Addr())
	}
	return false
}

func addresses(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	type block struct{ begin, end device.Ptr }
	var all []block
	for _, n := range []int{1, 4, 256, 1000} {
		m := alloc(t, d, n)
		at := m.Addr()
		if at == 0 || at%256 != 0 {
			t.Errorf("%d bytes begin at %#x", n, at)
		}
		for _, b := range all {
			if at < b.end && b.begin < at+device.Ptr(n) {
				t.Errorf("%d bytes at %#x are another block's too", n, at)
			}
		}
		all = append(all, block{at, at + device.Ptr(n)})
	}
}

func floatsOf(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func put(b []byte, f func(i int) float32) {
	for i := range len(b) / 4 {
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(f(i)))
	}
}

// scaling adds six items to batch b. They use blocks x, y and z in device memory. The items copy the
// host's input to x, set y to zeros, add 2·x to y, add y to itself, copy y to z, and copy z to the
// host's output. The parameters in and out are the host memory of the input and of the output.
func scaling(t *testing.T, d device.Device, b *device.Batch, n int, in, out []byte) {
	t.Helper()
	x, y, z := alloc(t, d, 4*n+16), alloc(t, d, 4*n), alloc(t, d, 4*n+64)
	grid, block := device.Line(device.Blocks(n, 64, 1<<20)), device.Line(64)
	one, two := uint64(math.Float32bits(1)), uint64(math.Float32bits(2))
	b.Add(device.Item{Kind: device.InItem, Node: "in", Dst: x.Addr() + 16, Host: in, N: 4 * n})
	b.Add(device.Item{Kind: device.FillItem, Node: "fill", Dst: y.Addr(), N: 4 * n})
	b.Add(device.Item{Kind: device.LaunchItem, Node: "first", Kernel: &axpy, Grid: grid, Block: block}, uint64(y.Addr()), uint64(x.Addr()+16), two, uint64(n))
	b.Add(device.Item{Kind: device.LaunchItem, Node: "second", Kernel: &axpy, Grid: grid, Block: block}, uint64(y.Addr()), uint64(y.Addr()), one, uint64(n))
	b.Add(device.Item{Kind: device.MoveItem, Node: "move", Dst: z.Addr() + 64, Src: y.Addr(), N: 4 * n})
	b.Add(device.Item{Kind: device.OutItem, Node: "out", Src: z.Addr() + 64, Host: out, N: 4 * n})
}

// batches does the same work several times, first by launching a batch, and then by launching
// captured work.
func batches(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	const n = 1000
	s, in, out := stream(t, d), host(t, d, 4*n), host(t, d, 4*n)
	var b device.Batch
	scaling(t, d, &b, n, in, out)
	check := func(what string, seed int) {
		t.Helper()
		must(t, s.Sync())
		for i, v := range floatsOf(out) {
			if want := 4 * float32(i+seed); v != want {
				t.Fatalf("%s: element %d is %v, want %v", what, i, v, want)
			}
		}
	}
	for seed := range 3 {
		put(in, func(i int) float32 { return float32(i + seed) })
		must(t, s.Launch(&b))
		check("a launch", seed)
	}
	w, err := s.Capture(func() error { return s.Launch(&b) })
	must(t, err)
	for seed := range 3 {
		put(in, func(i int) float32 { return float32(i + seed) })
		must(t, s.Launch(w))
		check("captured work", seed)
	}
	put(in, func(i int) float32 { return float32(i + 7) })
	must(t, s.Launch(&b))
	b.Clear() // the batch may be cleared, because Launch has already read it
	scaling(t, d, &b, n, in, host(t, d, 4*n))
	check("a batch that was changed after", 7)
	must(t, s.Launch(new(device.Batch)))
	must(t, s.Sync())
}

// grids launches a kernel on three-dimensional grids, with dynamic shared memory, and checks the
// sum of the thread numbers of each block.
func grids(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	must(t, d.Prepare(&ids, &axpy, &ids))
	for _, c := range []struct{ grid, block device.Dim }{
		{device.Line(1), device.Line(1)}, {device.Line(5), device.Line(37)}, {device.Dim{X: 2, Y: 3, Z: 4}, device.Dim{X: 5, Y: 4, Z: 3}}, {device.Dim{X: 1, Y: 2, Z: 1}, device.Dim{X: 4, Y: 4, Z: 64}},
	} {
		blocks, threads := c.grid.X*c.grid.Y*c.grid.Z, c.block.X*c.block.Y*c.block.Z
		s, y, out := stream(t, d), alloc(t, d, 4*blocks), host(t, d, 4*blocks)
		var b device.Batch
		b.Add(device.Item{Kind: device.LaunchItem, Kernel: &ids, Grid: c.grid, Block: c.block, Shared: 4 * threads}, uint64(y.Addr()))
		b.Add(device.Item{Kind: device.OutItem, Src: y.Addr(), Host: out, N: len(out)})
		must(t, s.Launch(&b))
		must(t, s.Sync())
		for i := range blocks {
			first := i * threads
			if got, want := binary.LittleEndian.Uint32(out[4*i:]), uint32(threads*first+threads*(threads-1)/2); got != want {
				t.Errorf("grid %v of %v: block %d makes %d, want %d", c.grid, c.block, i, got, want)
			}
		}
	}
}

// refusals tests kernels that no device accepts, and batches that are refused before they run.
func refusals(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	for name, k := range map[string]*device.Kernel{"an unknown entry": &unknown, "no PTX": &broken} {
		if err := d.Prepare(k); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s is prepared: %v", name, err)
		}
		s := stream(t, d)
		var b device.Batch
		b.Add(device.Item{Kind: device.LaunchItem, Node: "a/b", Op: "Op", Kernel: k, Grid: device.Line(1), Block: device.Line(1)}, 0, 0, 0, 0)
		err := s.Launch(&b)
		if tensor.CodeOf(err) != tensor.InvalidArgument || !namesNode(err, "a/b") {
			t.Errorf("%s is launched: %v", name, err)
		}
		if e := s.Err(); e != err {
			t.Errorf("%s: the stream's error is %v", name, e)
		}
		s.Reset()
		must(t, s.Sync())
	}
	s, a := stream(t, d), alloc(t, d, 64)
	var b device.Batch
	b.Add(device.Item{Kind: device.InItem, Node: "a/b", Dst: a.Addr(), Host: make([]byte, 64), N: 64})
	if err := s.Launch(&b); tensor.CodeOf(err) != tensor.Internal || !namesNode(err, "a/b") {
		t.Error("a batch with memory that is not AllocHost's:", err)
	}
	must(t, d.Err())
}

// namesNode reports whether an error names a node.
func namesNode(err error, node string) bool {
	e, ok := err.(*tensor.Error)
	return ok && e.Node == node
}

// The function named times checks Event.Since, which measures the time between two events.
func times(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	s, first, last := stream(t, d), event(t, d), event(t, d)
	in, out := host(t, d, 4000), host(t, d, 4000)
	var b device.Batch
	scaling(t, d, &b, 1000, in, out)
	must(t, s.Record(first))
	must(t, s.Launch(&b))
	must(t, s.Record(last))
	must(t, s.Sync())
	took, err := last.Since(first)
	if err != nil || took <= 0 {
		t.Errorf("the work takes %v, %v", took, err)
	}
	must(t, first.Close())
	must(t, last.Close())
	must(t, s.Close())
}

// queues tests that a queue records a segment once, and then launches the recorded and the captured
// segment.
func queues(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	q, err := device.NewQueue(d, 2)
	must(t, err)
	const n = 300
	x, y := alloc(t, d, 4*n), alloc(t, d, 4*n)
	in, out := make([]byte, 4*n), make([]byte, 4*n)
	for r := range 5 {
		put(in, func(i int) float32 { return float32(i * r) })
		must(t, device.Put(q, x.Addr(), in))
		if q.Begin(0, true) {
			if r != 0 {
				t.Error("a segment that is recorded is asked for again")
			}
			q.At("zero", "Fill")
			q.Fill(y.Addr(), 4*n, 0)
			q.At("axpy", "Axpy")
			q.Launch(&axpy, device.Line(5), device.Line(64), 0, uint64(y.Addr()), uint64(x.Addr()), uint64(math.Float32bits(3)), n)
		}
		must(t, q.End())
		must(t, device.Get(q, out, y.Addr()))
		want := bytes.Clone(in)
		put(want, func(i int) float32 { return float32(3 * i * r) })
		if !slices.Equal(floatsOf(out), floatsOf(want)) {
			t.Fatalf("run %d: %v", r, floatsOf(out)[:4])
		}
	}
	must(t, q.Release())
}

// measured checks that a queue can measure its work, both item by item and as a whole.
func measured(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	q, err := device.NewQueue(d, 1)
	must(t, err)
	const n = 300
	x, y := alloc(t, d, 4*n), alloc(t, d, 4*n)
	in, out := make([]byte, 4*n), make([]byte, 4*n)
	put(in, func(i int) float32 { return float32(i) })
	if none, err := q.Measured(); none != nil || err != nil {
		t.Error("without a measurement:", none, err)
	}
	for r, items := range []bool{false, true, false, true, false} {
		must(t, q.Measure(items))
		must(t, device.Put(q, x.Addr(), in))
		if q.Begin(0, true) {
			q.At("zero", "Fill")
			q.Fill(y.Addr(), 4*n, 0)
			q.At("axpy", "Axpy")
			q.Launch(&axpy, device.Line(5), device.Line(64), 0, uint64(y.Addr()), uint64(x.Addr()), uint64(math.Float32bits(3)), n)
		}
		must(t, q.End())
		must(t, device.Get(q, out, y.Addr()))
		got, err := q.Measured()
		must(t, err)
		if f := floatsOf(out); f[7] != 21 {
			t.Fatalf("run %d: %v", r, f[:8])
		}
		if got.Took <= 0 || got.Enqueue <= 0 || got.Begun.IsZero() || !items && len(got.Items) > 0 {
			t.Errorf("run %d: %+v", r, got)
		}
		if !items {
			continue
		}
		want := []device.Timed{{Node: "axpy", Op: "Axpy", What: "copy in", Bytes: 4 * n}, {Node: "zero", Op: "Fill", What: "fill", Bytes: 4 * n}, {Node: "axpy", Op: "Axpy", What: "axpy"}, {Node: "axpy", Op: "Axpy", What: "copy out", Bytes: 4 * n}}
		var last time.Duration
		for i, it := range got.Items {
			if it.Start < last || it.End < it.Start || it.End > got.Took || it.Stream != "compute" {
				t.Errorf("run %d: %s from %v to %v, the one before to %v, all %v", r, it.What, it.Start, it.End, last, got.Took)
			}
			last = it.End
			it.Start, it.End, it.Stream = 0, 0, ""
			if i >= len(want) || it != want[i] {
				t.Errorf("run %d: item %d is %+v", r, i, it)
			}
		}
		if len(got.Items) != len(want) {
			t.Errorf("run %d: %d items", r, len(got.Items))
		}
	}
	must(t, q.Measure(true))
	must(t, q.Release())
	must(t, x.Free())
	must(t, y.Free())
}

// preloaded checks device.Preload, which loads kernels before a queue launches them.
func preloaded(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	record := func(k *device.Kernel) func(q *device.Queue) {
		return func(q *device.Queue) {
			q.Begin(1, true)
			q.At("some", "Axpy")
			for range 2 {
				q.Launch(k, device.Line(5), device.Line(64), 0, 1<<20, 2<<20, 0, 300)
			}
			q.Fill(1<<20, 4, 0)
		}
	}
	must(t, device.Preload(d, 2, record(&axpy)))
	text := "no PTX"
	err := device.Preload(d, 2, record(&device.Kernel{Module: &device.Module{PTX: &text}, Entry: "axpy"}))
	var e *tensor.Error
	if !errors.As(err, &e) || e.Code != tensor.InvalidArgument || e.Node != "some" || e.Op != "Axpy" {
		t.Error("a kernel that the device does not take:", err)
	}
}
