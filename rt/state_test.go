package rt

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// dims and found stand for the types that emitted code would declare.
type (
	dims  struct{ B int }
	found struct{}
	input struct{ X tensor.Of[float32] }
	vars  struct{}
	state = State[dims, found, input, vars, struct{}]
)

// testCode returns the data of a signature. Its block contains two buffers with B and 2·B bytes, which
// are in use at the same time. It also has two buffers of each kind outside the block.
func testCode() *Code[dims] {
	return &Code[dims]{
		Steps: []Step{{Node: "a", Op: "Relu"}, {Node: "b", Op: "AddV2"}, {Node: "check", Op: "Reshape"}},
		Lives: []mem.Life{{First: 0, Last: 1}, {First: 1, Last: 2}},
		Sizes: func(d *dims, n []int) {
			n[0], n[1] = d.B, Mul(d.B, 2)
			if d.B == 13 {
				n[0] = Div(1, d.B-13)
			}
		},
		Check: func(d *dims, step *int) error {
			*step = 2
			if d.B == 7 {
				return tensor.Errorf(tensor.OutOfRange, "seven")
			}
			return nil
		},
		Grow: 2, Strings: 2, Handles: 2,
	}
}

func newPool(t *testing.T, opts ...Option) *Pool[dims, found, input, vars, struct{}] {
	t.Helper()
	b, err := Open(nil, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	p := new(Pool[dims, found, input, vars, struct{}])
	p.Init(b, testCode(), nil)
	return p
}

func TestPoolLaysOut(t *testing.T) {
	p := newPool(t, WithMaxBytes(1<<20), WithConcurrency(1))
	for range 3 {
		for b := range 3 * maxLayouts { // more layouts than the pool remembers
			if b == 7 || b == 13 {
				continue
			}
			s, err := p.Get(context.Background(), dims{b})
			if err != nil {
				t.Fatal(err)
			}
			x, y := At[byte](s.Arena, s.Off[0], b), At[byte](s.Arena, s.Off[1], 2*b)
			if s.D.B != b || b > 0 && (uintptr(unsafe.Pointer(&x[0]))%mem.Align != 0 || s.Off[1]%mem.Align != 0) {
				t.Errorf("%d: offsets %v of %d bytes", b, s.Off, len(s.Arena))
			}
			for i := range x {
				x[i] = 1
			}
			for i := range y {
				y[i] = 2
			}
			if slices.Contains(x, 2) {
				t.Errorf("%d: the buffers overlap", b)
			}
			p.Put(s, new(error))
		}
	}
	if len(p.layouts) != maxLayouts || len(p.idle) != 1 {
		t.Errorf("%d layouts and %d states are kept", len(p.layouts), len(p.idle))
	}
}

func TestPoolRefuses(t *testing.T) {
	p := newPool(t, WithMaxBytes(1000), WithConcurrency(1))
	for _, c := range []struct {
		b    int
		code tensor.Code
		text string
	}{
		{7, tensor.OutOfRange, `node "check" (Reshape): OutOfRange: seven`},
		{13, tensor.InvalidArgument, "a size is divided by zero"},
		{-1, tensor.InvalidArgument, `node "a" (Relu): InvalidArgument: the fed shapes make a size negative`},
		{400, tensor.ResourceExhausted, `node "b" (AddV2): ResourceExhausted: 1280 bytes of scratch are needed, the limit of a run is 1000; rt.WithMaxBytes, or the flag max-bytes, raises it`},
		{1 << 62, tensor.ResourceExhausted, "limit"},
	} {
		_, err := p.Get(context.Background(), dims{c.b})
		if tensor.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%d: %v, want %s", c.b, err, c.text)
		}
	}
	if s, err := p.Get(context.Background(), dims{100}); err != nil { // the failed calls must not count as runs in progress
		t.Error(err)
	} else {
		p.Put(s, new(error))
	}
}

func TestPoolWaits(t *testing.T) {
	p := newPool(t, WithConcurrency(1))
	s, err := p.Get(context.Background(), dims{1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := p.Get(ctx, dims{1})
		done <- err
	}()
	runtime.Gosched()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that is given up: %v", err)
	}
	p.Put(s, new(error))
	if _, err := p.Get(ctx, dims{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is done: %v", err)
	}
}

func TestCanceledBetweenBlocks(t *testing.T) {
	p := newPool(t)
	ctx, cancel := context.WithCancel(context.Background())
	s, err := p.Get(ctx, dims{1})
	if err != nil || s.Canceled() != nil {
		t.Fatal(err, s.Canceled())
	}
	cancel()
	if err := s.Canceled(); !errors.Is(err, context.Canceled) || tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("got %v", err)
	}
	p.Put(s, &err)
	if s, err = p.Get(context.Background(), dims{1}); err != nil || s.Canceled() != nil {
		t.Errorf("the next run: %v, %v", err, s.Canceled())
	}
	p.Put(s, new(error))
}

// TestPut: errors and panics of a run name the node of the step. After Put, the state contains nothing
// of the run.
func TestPut(t *testing.T) {
	p := newPool(t, WithConcurrency(1), WithMaxBytes(1<<16))
	run := func(f func(s *state) error) (err error) {
		s, err := p.Get(context.Background(), dims{4})
		if err != nil {
			return err
		}
		defer p.Put(s, &err)
		s.In.X.Data = []float32{1}
		s.Step = 1
		return f(s)
	}
	for _, c := range []struct {
		f    func(s *state) error
		want string
	}{
		{func(*state) error { return nil }, ""},
		{func(*state) error { return tensor.Errorf(tensor.NotFound, "x") }, `node "b" (AddV2): NotFound: x`},
		{func(*state) error { return errors.New("x") }, `node "b" (AddV2): Unknown: x`},
		{func(*state) error { return context.Canceled }, "context canceled"},
		{func(*state) error { panic("x") }, `node "b" (AddV2): Internal: panic: x`},
		{func(s *state) error { _ = At[int64](s.Arena, 1<<40, 1); return nil }, `node "b" (AddV2): Internal: panic: runtime error: slice bounds out of range`},
		{func(s *state) error { _ = At[int64](s.Arena, 0, -1); return nil }, `node "b" (AddV2): Internal: panic: runtime error: slice bounds out of range`},
		{func(s *state) error { s.GrowTo(0, -1, 4); return nil }, `node "b" (AddV2): InvalidArgument: a tensor would have -1 elements`},
		{func(s *state) error { s.GrowTo(0, 1<<62, 4); return nil }, `node "b" (AddV2): ResourceExhausted`},
		{func(s *state) error {
			s.GrowTo(0, 40000, 1)
			s.GrowTo(1, 40000, 1)
			return nil
		}, `node "b" (AddV2): ResourceExhausted`},
		{func(s *state) error { s.GrowTo(0, 50000, 1); return nil }, ""},
		// the buffer fits into the limit, because the unused buffer 0 is freed
		{func(s *state) error { s.GrowTo(1, 50000, 1); return nil }, ""},
		{func(s *state) error { s.GrowStrings(1, 1<<60); return nil }, `node "b" (AddV2): ResourceExhausted`},
		{func(s *state) error {
			s.GrowStrings(0, 2)
			s.Strings[0][1] = "secret"
			return nil
		}, ""},
		{func(s *state) error { s.GrowHandles(1, -1); return nil }, `node "b" (AddV2): InvalidArgument: a tensor would have -1 elements`},
		{func(s *state) error {
			s.GrowHandles(0, 3)
			s.Handles[0][2].V = "secret"
			s.GrowHandles(0, 1)
			s.Handles[0][0].V = "secret"
			return context.Canceled
		}, "context canceled"},
	} {
		err := run(c.f)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	s := p.idle[0]
	if s.In.X.Data != nil || s.Strings[0][:2][1] != "" || s.run.caller != nil {
		t.Errorf("a run leaves %v, %q", s.In, s.Strings[0][:2])
	}
	if h := s.Handles[0][:3]; h[0].V != nil || h[2].V != nil {
		t.Errorf("a run leaves the handles %v", h)
	}
}

// TestGrowingByOne: if a buffer grows one element at a time up to the memory limit, it is reallocated
// only rarely.
func TestGrowingByOne(t *testing.T) {
	p := newPool(t, WithMaxBytes(1<<16))
	s, err := p.Get(context.Background(), dims{1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Put(s, new(error))
	const most = 1 << 16 / 16
	moves := 0
	var at *string
	for n := 1; n <= most; n++ {
		s.GrowStrings(0, n)
		if &s.Strings[0][0] != at {
			at = &s.Strings[0][0]
			moves++
		}
	}
	if moves > 60 || cap(s.Strings[0]) > most {
		t.Errorf("moved %d times, to room for %d of %d", moves, cap(s.Strings[0]), most)
	}
	if _, err := capture(func() { s.GrowStrings(0, most+1) }); err == nil {
		t.Error("more than the limit is given")
	}
}

// TestContext: the context of a run has the deadline, the end and the values of the caller's context.
// The next run of the same state inherits none of these.
func TestContext(t *testing.T) {
	type key struct{}
	p := newPool(t, WithConcurrency(1))
	ctx, cancel := context.WithDeadline(context.WithValue(context.Background(), key{}, "x"), time.Now().Add(time.Hour))
	s, err := p.Get(ctx, dims{1})
	if err != nil {
		t.Fatal(err)
	}
	c := s.Context()
	until, _ := ctx.Deadline()
	if d, ok := c.Deadline(); !ok || !d.Equal(until) || c.Err() != nil || c.Value(key{}) != "x" {
		t.Errorf("deadline %v, %v, error %v, value %v", d, ok, c.Err(), c.Value(key{}))
	}
	done := c.Done()
	cancel()
	<-done
	if c.Err() != context.Canceled {
		t.Errorf("ended with %v", c.Err())
	}
	p.Put(s, new(error))
	s, err = p.Get(context.Background(), dims{1})
	if err != nil || s.Context().Err() != nil {
		t.Fatal(err, s.Context().Err())
	}
	select {
	case <-s.Context().Done():
		t.Error("the next run has ended too")
	default:
	}
	if _, ok := s.Context().Deadline(); ok || s.Context().Value(key{}) != nil {
		t.Error("the next run has the deadline or the values of the one before")
	}
	p.Put(s, new(error))
}

// TestInitializes: Initializes is false only with the option WithoutInit.
func TestInitializes(t *testing.T) {
	for _, c := range []struct {
		opts []Option
		want bool
	}{{nil, true}, {[]Option{WithoutInit(), WithThreads(1)}, false}} {
		b, err := Open(nil, c.opts...)
		if err != nil || b.Initializes() != c.want {
			t.Errorf("%d options: %v, %v", len(c.opts), b.Initializes(), err)
		}
	}
}

func TestGrownBuffersStay(t *testing.T) {
	p := newPool(t)
	s, _ := p.Get(context.Background(), dims{1})
	defer p.Put(s, new(error))
	s.GrowTo(0, 100, 8)
	before := &s.Grown[0][0]
	s.GrowTo(0, 10, 8)
	if len(s.Grown[0]) != 80 || &s.Grown[0][0] != before {
		t.Error("a smaller size moves the buffer")
	}
	if _, err := capture(func() { At[int64](s.Grown[0], 0, 11) }); err == nil {
		t.Error("a window leaves the buffer's present size")
	}
}

func capture(f func()) (ok bool, err any) {
	defer func() { err = recover() }()
	f()
	return true, nil
}

func TestSteadyPoolAllocatesNothing(t *testing.T) {
	p := newPool(t, WithConcurrency(2))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if n := testing.AllocsPerRun(100, func() {
		for b := 1; b < 4; b++ { // alternating sizes
			s, err := p.Get(ctx, dims{b * 1000})
			if err != nil {
				t.Fatal(err)
			}
			s.ResetInts()
			_ = s.Ints(1, 2, b)
			s.GrowTo(0, b, 8)
			if err := s.Canceled(); err != nil {
				t.Fatal(err)
			}
			var e error
			p.Put(s, &e)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestLimitBeforeBlock: if the block exceeds the memory limit, Get fails before it allocates the block.
func TestLimitBeforeBlock(t *testing.T) {
	b, err := Open(nil, WithMaxBytes(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	type none struct{}
	var p Pool[none, none, none, none, none]
	p.Init(b, &Code[none]{Arena: 1 << 21}, nil)
	if _, err := p.Get(t.Context(), none{}); tensor.CodeOf(err) != tensor.ResourceExhausted {
		t.Errorf("a block beyond the limit: %v", err)
	}
	if n := len(p.all[0].Arena); n > 0 {
		t.Errorf("%d bytes were allocated", n)
	}
}
