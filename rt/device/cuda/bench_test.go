//go:build cuda && cgo && linux

package cuda

import (
	"testing"
	"time"

	"github.com/graphc/graphc/internal/fakegpu/control"
	"github.com/graphc/graphc/rt/device"
)

// many is the number of launches in a benchmark's batch.
const many = 100

// benchLaunches measures a batch of small launches. It reports the host's time for Launch, and the
// time for Launch and Sync together.
func benchLaunches(b *testing.B, capture bool) {
	d := open(b, Options{})
	err := d.Run(func() error {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		m, err := d.Alloc(4 * 128)
		if err != nil {
			return err
		}
		var batch device.Batch
		for range many {
			batch.Add(device.Item{Kind: device.LaunchItem, Kernel: &add, Grid: device.Line(1), Block: device.Line(128)}, uint64(m.Addr()), uint64(m.Addr()), uint64(m.Addr()), 128)
		}
		if err := s.CopyIn(m, 0, make([]byte, 4*128)); err != nil {
			return err
		}
		var w device.Work = &batch
		if capture {
			if w, err = s.Capture(func() error { return s.Launch(&batch) }); err != nil {
				return err
			}
		}
		if err := s.Launch(w); err != nil {
			return err
		}
		if err := s.Sync(); err != nil {
			return err
		}
		b.ReportAllocs()
		var host time.Duration
		for b.Loop() {
			start := time.Now()
			if err := s.Launch(w); err != nil {
				return err
			}
			host += time.Since(start)
			if err := s.Sync(); err != nil {
				return err
			}
		}
		b.ReportMetric(float64(host.Nanoseconds())/float64(b.N), "host-ns/op")
		if err := s.Close(); err != nil {
			return err
		}
		return m.Free()
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkBatch100(b *testing.B) { benchLaunches(b, false) }

func BenchmarkCaptured100(b *testing.B) { benchLaunches(b, true) }

// large is the size in bytes of the blocks for measuring bandwidths.
func large() int {
	if control.Fake() {
		return 1 << 12
	}
	return 256 << 20
}

// benchStream measures the time of the work that f appends to a stream. It uses the device's clock.
func benchStream(b *testing.B, bytes int, f func(s device.Stream, m [3]device.Memory, host []byte) error) {
	d := open(b, Options{})
	err := d.Run(func() error {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		from, err := d.NewEvent()
		if err != nil {
			return err
		}
		to, err := d.NewEvent()
		if err != nil {
			return err
		}
		var m [3]device.Memory
		for i := range m {
			if m[i], err = d.Alloc(large()); err != nil {
				return err
			}
			defer m[i].Free()
			if err := s.CopyIn(m[i], 0, make([]byte, large())); err != nil {
				return err
			}
		}
		host, err := d.AllocHost(large())
		if err != nil {
			return err
		}
		var took time.Duration
		for b.Loop() {
			if err := s.Record(from); err != nil {
				return err
			}
			if err := f(s, m, host); err != nil {
				return err
			}
			if err := s.Record(to); err != nil {
				return err
			}
			if err := s.Sync(); err != nil {
				return err
			}
			t, err := to.Since(from)
			if err != nil {
				return err
			}
			took += t
		}
		b.ReportMetric(float64(bytes)*float64(b.N)/took.Seconds()/1e9, "GB/s")
		return s.Close()
	})
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkCopyIn(b *testing.B) {
	benchStream(b, large(), func(s device.Stream, m [3]device.Memory, host []byte) error { return s.CopyIn(m[0], 0, host) })
}

func BenchmarkCopyOut(b *testing.B) {
	benchStream(b, large(), func(s device.Stream, m [3]device.Memory, host []byte) error { return s.CopyOut(host, m[0], 0) })
}

func BenchmarkCopyPeer(b *testing.B) {
	benchStream(b, 2*large(), func(s device.Stream, m [3]device.Memory, host []byte) error {
		return s.CopyPeer(m[0], 0, m[1], 0, large())
	})
}
