package devicetest

import (
	"bytes"
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// staged tests segments that copy small and large blocks of memory between the host and the device,
// in a loop. A segment overwrites a part of block a with the bytes of block b. This part begins in
// the middle of block a. The result of the segment is block a.
func staged(t *testing.T, d device.Device) {
	if !runsKernels(t, d) {
		return
	}
	const large = 9 << 20 // more bytes than the staging memory has
	for _, c := range []struct {
		name   string
		na, nb int
		early  bool // whether a is also copied back to the host in the middle of the segment
		again  bool // whether b is copied to the device twice, the first time before a
	}{{"small", 4096, 100, false, false}, {"nothing", 512, 0, false, false}, {"large", large, 100, true, false}, {"larger", large, large / 2, false, false},
		{"again", large, 100, false, true}, {"large again", large, large / 2, false, true}} {
		a, b := alloc(t, d, c.na), alloc(t, d, max(1, c.nb))
		q, err := device.NewQueue(d, 1)
		must(t, err)
		for run := range 4 {
			// The copies of the first iteration may still be in progress when the second iteration
			// begins.
			for range 2 {
				in, in2 := pattern(c.na, run), pattern(c.nb, 3*run+1)
				if q.Begin(0, true) {
					if run > 0 {
						t.Errorf("%s: run %d is recorded anew", c.name, run)
					}
					if c.again {
						q.At("b", "Placeholder")
						q.Upload(4, b.Addr(), c.nb)
					}
					q.At("a", "Placeholder")
					q.Upload(0, a.Addr(), c.na)
					if c.early {
						q.At("early", "Identity")
						q.Download(3, a.Addr(), c.na)
					}
					q.At("b", "Placeholder")
					// Fill b first, so that the second copy to b is not at the beginning of the
					// segment.
					if c.again {
						q.Fill(b.Addr(), min(c.nb, 8), 0)
					}
					q.Upload(1, b.Addr(), c.nb)
					q.At("c", "Concat")
					q.Move(a.Addr()+device.Ptr(c.na/2), b.Addr(), c.nb)
					q.At("c", "Fetch")
					q.Download(2, a.Addr(), c.na)
				}
				if c.again {
					q.Feed(4, pattern(c.nb, 99))
				}
				q.Feed(0, in)
				q.Feed(1, in2)
				clear(in)
				clear(in2)
				must(t, q.End())
			}
			got := make([]byte, c.na)
			if c.early {
				must(t, q.Fetch(3, got))
				if !bytes.Equal(got, pattern(c.na, run)) {
					t.Errorf("%s: run %d: the copy in the middle is wrong", c.name, run)
				}
			}
			must(t, q.Fetch(2, got))
			want := pattern(c.na, run)
			copy(want[c.na/2:], pattern(c.nb, 3*run+1))
			if !bytes.Equal(got, want) {
				t.Errorf("%s: run %d is wrong", c.name, run)
			}
		}
		q.Begin(0, true)
		q.Feed(0, make([]byte, c.na+1))
		if err := q.End(); tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: another size: %v", c.name, err)
		}
		must(t, q.Reset())
		if err := q.Fetch(2, make([]byte, 1)); tensor.CodeOf(err) != tensor.Internal {
			t.Errorf("%s: another size: %v", c.name, err)
		}
		must(t, q.Reset())
		must(t, q.Release())
		must(t, a.Free())
		must(t, b.Free())
	}
}
