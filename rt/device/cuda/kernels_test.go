//go:build cuda && cgo && linux

package cuda

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt/device"
)

// source has three kernels. The kernel named add computes dst[i] = a[i] + b[i] for i < n. The kernel
// named last stores 77 in the last word of n bytes of shared memory, and copies this word to
// dst[0]. The kernel named astray writes to the invalid address 64.
var source = `.version 8.0
.target sm_80
.address_size 64

.visible .entry add(.param .u64 dst, .param .u64 a, .param .u64 b, .param .u64 n)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %d<8>;
	.reg .f32 %f<4>;
	ld.param.u64 %d0, [dst];
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	ld.param.u64 %d3, [n];
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %ntid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.u32 %r3, %r0, %r1, %r2;
	cvt.u64.u32 %d4, %r3;
	setp.ge.u64 %p, %d4, %d3;
	@%p bra END;
	shl.b64 %d4, %d4, 2;
	add.u64 %d5, %d1, %d4;
	ld.global.f32 %f0, [%d5];
	add.u64 %d6, %d2, %d4;
	ld.global.f32 %f1, [%d6];
	add.rn.f32 %f2, %f0, %f1;
	add.u64 %d7, %d0, %d4;
	st.global.f32 [%d7], %f2;
END:
	ret;
}

.extern .shared .align 4 .b8 room[];

.visible .entry last(.param .u64 dst, .param .u64 n)
{
	.reg .b32 %r<3>;
	.reg .b64 %d<4>;
	ld.param.u64 %d0, [dst];
	ld.param.u64 %d1, [n];
	cvt.u32.u64 %r0, %d1;
	mov.u32 %r1, room;
	add.u32 %r1, %r1, %r0;
	mov.u32 %r2, 77;
	st.shared.u32 [%r1+-4], %r2;
	ld.shared.u32 %r2, [%r1+-4];
	st.global.u32 [%d0], %r2;
	ret;
}

.visible .entry astray()
{
	.reg .b64 %d;
	mov.u64 %d, 64;
	st.global.u64 [%d], %d;
	ret;
}
`

var (
	module = device.Module{PTX: &source}
	add    = device.Kernel{Module: &module, Entry: "add"}
	last   = device.Kernel{Module: &module, Entry: "last"}
	astray = device.Kernel{Module: &module, Entry: "astray"}
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The function named within calls f inside the device's Run. The function f is a part of a test.
func within(t *testing.T, d device.Device, f func()) {
	t.Helper()
	must(t, d.Run(func() error { f(); return nil }))
}

func floats(v ...float32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func values(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// work is a queue with the memory for computing dst = a + b on vectors of n numbers.
type work struct {
	q            *device.Queue
	mem          [3]device.Memory
	in, in2, out []byte
	n, runs      int
	kernel       *device.Kernel
}

// newWork returns a new value of type work. After a failure it frees what it has allocated.
func newWork(d device.Device, n int) (w *work, err error) {
	w = &work{n: n, kernel: &add}
	defer func() {
		if err != nil {
			_ = w.close()
		}
	}()
	if w.q, err = device.NewQueue(d, 1); err != nil {
		return w, err
	}
	for i := range w.mem {
		if w.mem[i], err = d.Alloc(4 * n); err != nil {
			return w, err
		}
	}
	for _, b := range []*[]byte{&w.in, &w.in2, &w.out} {
		*b = make([]byte, 4*n)
	}
	return w, nil
}

func (w *work) close() error {
	var err error
	if w.q != nil {
		err = w.q.Release()
	}
	for _, m := range w.mem {
		if m == nil {
			continue
		}
		if e := m.Free(); err == nil {
			err = e
		}
	}
	return err
}

// run runs the work once and checks the result.
func (w *work) run() error {
	w.runs++
	for i := range w.n {
		copy(w.in[4*i:], floats(float32(i)))
		copy(w.in2[4*i:], floats(float32(w.runs)))
	}
	if w.q.Begin(0, true) {
		w.q.At("up", "Feed")
		w.q.Upload(0, w.mem[0].Addr(), len(w.in))
		w.q.Upload(1, w.mem[1].Addr(), len(w.in2))
		w.q.At("scope/sum", "AddV2")
		w.q.Launch(w.kernel, device.Line(device.Blocks(w.n, 128, 1<<20)), device.Line(128), 0, uint64(w.mem[2].Addr()), uint64(w.mem[0].Addr()), uint64(w.mem[1].Addr()), uint64(w.n))
		w.q.At("down", "Fetch")
		w.q.Download(2, w.mem[2].Addr(), len(w.out))
	}
	w.q.Feed(0, w.in)
	w.q.Feed(1, w.in2)
	if err := w.q.End(); err != nil {
		return err
	}
	if err := w.q.Fetch(2, w.out); err != nil {
		return err
	}
	for i, v := range values(w.out) {
		if v != float32(i+w.runs) {
			return errWrong
		}
	}
	return nil
}

type wrong struct{}

func (wrong) Error() string { return "the result is wrong" }

var errWrong error = wrong{}

// TestLaunch launches a segment repeatedly: first as a batch, and from the second launch on as
// captured work.
func TestLaunch(t *testing.T) {
	for _, o := range []Options{{}, {Check: true}} {
		d := open(t, o)
		must(t, d.Prepare(&add, &last))
		within(t, d, func() {
			w, err := newWork(d, 1000)
			must(t, err)
			for range 5 {
				must(t, w.run())
			}
			w.q.Forget() // the number of elements changes below, so the segment must be recorded again
			w.n = 500
			w.out, w.in, w.in2 = w.out[:2000], w.in[:2000], w.in2[:2000]
			for range 3 {
				must(t, w.run())
			}
			must(t, w.close())
		})
	}
}

// TestItems tests, in a separate batch, the kinds of items that TestLaunch does not use.
func TestItems(t *testing.T) {
	d := open(t, Options{})
	within(t, d, func() {
		s, err := d.NewStream()
		must(t, err)
		m, err := d.Alloc(64)
		must(t, err)
		out, err := d.AllocHost(64)
		must(t, err)
		var b device.Batch
		b.Add(device.Item{Kind: device.FillItem, Dst: m.Addr(), N: 64, Value: 3})
		const shared = 64 << 10 // more shared memory than a block may use by default
		b.Add(device.Item{Kind: device.LaunchItem, Kernel: &last, Grid: device.Line(1), Block: device.Line(1), Shared: shared}, uint64(m.Addr()), shared)
		b.Add(device.Item{Kind: device.MoveItem, Dst: m.Addr() + 32, Src: m.Addr(), N: 8})
		b.Add(device.Item{Kind: device.OutItem, Src: m.Addr(), Host: out, N: 64})
		for range 2 {
			clear(out)
			must(t, s.Launch(&b))
			must(t, s.Sync())
			for at, want := range map[int]byte{0: 77, 1: 0, 4: 3, 31: 3, 32: 77, 36: 3, 40: 3, 63: 3} {
				if out[at] != want {
					t.Errorf("byte %d is %d, not %d", at, out[at], want)
				}
			}
		}
		for name, it := range map[string]device.Item{
			"not from AllocHost": {Kind: device.OutItem, Src: m.Addr(), Host: make([]byte, 8), N: 8, Node: "a", Op: "B"},
			"items of kind 99":   {Kind: 99, Node: "a", Op: "B"},
			"shared memory":      {Kind: device.LaunchItem, Kernel: &last, Grid: device.Line(1), Block: device.Line(1), Shared: 1 << 40, Node: "a", Op: "B"},
			"has no kernel":      {Kind: device.LaunchItem, Kernel: &device.Kernel{Module: &module, Entry: "none"}, Grid: device.Line(1), Block: device.Line(1), Node: "a", Op: "B"},
		} {
			var b device.Batch
			b.Add(it)
			err := s.Launch(&b)
			if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), `"a"`) {
				t.Errorf("%s: %v", name, err)
			}
			s.Reset()
		}
		must(t, m.Free())
		must(t, s.Close())
	})
}
