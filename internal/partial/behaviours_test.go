//go:build emitted

package partial

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/partial/model"
	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/rt/tensor"
)

// one returns the only element of x. The test fails if err is not nil or x has another number of
// elements.
func one[T tensor.Elem](t *testing.T, x tensor.Of[T], err error) T {
	t.Helper()
	if err != nil || len(x.Data) != 1 {
		t.Errorf("%v %v", x, err)
		var zero T
		return zero
	}
	return x.Data[0]
}

// goroutines waits until the number of goroutines is at most the second argument. After a second,
// it reports an error.
func goroutines(t *testing.T, before int) {
	t.Helper()
	for range 200 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left, there were %d", runtime.NumGoroutine(), before)
}

// twoSteps runs r1 = a + b, then r2 = r1·c.
func twoSteps(t *testing.T, m *model.Model, a, b float32) {
	t.Helper()
	ctx := t.Context()
	p := m.TwoPartial()
	ok(t, p.FeedA(scalar(a)), p.FeedB(scalar(b)))
	x, err := p.FetchR1(ctx)
	r1 := one(t, x, err)
	if r1 != a+b {
		t.Errorf("r1 is %v, want %v", r1, a+b)
	}
	ok(t, p.FeedC(scalar(r1*17)))
	x, err = p.FetchR2(ctx)
	if r2 := one(t, x, err); r2 != r1*r1*17 {
		t.Errorf("r2 is %v, want %v", r2, r1*r1*17)
	}
}

// TestBehaviours tests each behaviour of a session's partial runs.
func TestBehaviours(t *testing.T) {
	ctx := context.Background()
	t.Run("prun_two_steps", func(t *testing.T) {
		m := instance(t)
		for i := range 3 {
			twoSteps(t, m, float32(i), 2)
		}
	})
	t.Run("prun_incomplete", func(t *testing.T) {
		m := instance(t)
		before := runtime.NumGoroutine()
		for range 100 {
			p := m.TwoPartial()
			ok(t, p.FeedA(scalar[float32](1)), p.FeedB(scalar[float32](2)))
			x, err := p.FetchR1(ctx)
			if r1 := one(t, x, err); r1 != 3 {
				t.Errorf("r1 is %v", r1)
			}
		}
		goroutines(t, before)
		collected := make(chan bool)
		func() {
			p := m.TwoPartial()
			ok(t, p.FeedA(scalar[float32](1)), p.FeedB(scalar[float32](2)))
			_, err := p.FetchR1(ctx)
			ok(t, err)
			runtime.AddCleanup(p, func(c chan bool) { close(c) }, collected)
		}()
		for range 100 {
			runtime.GC()
			select {
			case <-collected:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
		t.Error("the handle stays in memory")
	})
	t.Run("prun_concurrent", func(t *testing.T) {
		m := instance(t)
		p, q := m.TwoPartial(), m.TwoPartial()
		ok(t, p.FeedA(scalar[float32](1)), q.FeedA(scalar[float32](10)), p.FeedB(scalar[float32](2)), q.FeedB(scalar[float32](20)))
		x, err := q.FetchR1(ctx)
		y, err2 := p.FetchR1(ctx)
		if a, b := one(t, x, err), one(t, y, err2); a != 30 || b != 3 {
			t.Errorf("r1 is %v and %v", a, b)
		}
		ok(t, p.FeedC(scalar[float32](5)), q.FeedC(scalar[float32](7)))
		x, err = q.FetchR2(ctx)
		y, err2 = p.FetchR2(ctx)
		if a, b := one(t, x, err), one(t, y, err2); a != 210 || b != 15 {
			t.Errorf("r2 is %v and %v", a, b)
		}
		all := load(t)
		var wg sync.WaitGroup
		for _, prog := range programs(t) {
			for _, c := range all {
				if signatures[c.Name] == "" || c.Name == "state" {
					continue
				}
				for range 4 {
					wg.Add(1)
					go func() {
						defer wg.Done()
						replay(t, prog, c)
					}()
				}
			}
		}
		for i := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				twoSteps(t, m, float32(i), 1)
			}()
		}
		wg.Wait()
	})
	t.Run("prun_many_steps", manySteps)
	t.Run("prun_no_feeds", func(t *testing.T) {
		p := instance(t).NonePartial()
		x, err := p.FetchSeven(ctx)
		if v := one(t, x, err); v != 7 {
			t.Errorf("%v, want 7", v)
		}
		_, err = p.FetchSeven(ctx)
		refused(t, err, tensor.InvalidArgument)
	})
	t.Run("prun_no_fetches", func(t *testing.T) {
		_, err := pipeline.Compile([]string{"testdata/steps.pbtxt"}, pipeline.Options{Feeds: []string{"a:0"}, Partial: true})
		refused(t, err, tensor.InvalidArgument, "neither a fetch nor a target")
		// A signature may have targets and no fetches.
		m := instance(t)
		p := m.BumpPartial()
		ok(t, p.Run(ctx), p.FeedBy(vector[float32](10, 20)), p.Run(ctx))
		refused(t, p.Run(ctx), tensor.InvalidArgument, "used up")
		out, err := m.Now(ctx, model.NowInput{})
		if ok(t, err); !slices.Equal(out.V.Data, []float32{11, 21}) {
			t.Errorf("the variable is %v", out.V.Data)
		}
	})
	t.Run("prun_missing_placeholder", func(t *testing.T) {
		_, err := pipeline.Compile([]string{"testdata/steps.pbtxt"}, pipeline.Options{Feeds: []string{"a:0"}, Fetches: []string{"r1:0"}, Partial: true, SoftPlacement: true})
		refused(t, err, tensor.InvalidArgument, `"b"`, "must be fed")
	})
	t.Run("prun_unknown_feed", func(t *testing.T) {
		for name, prog := range programs(t) {
			p, err := prog.Partial("two")
			ok(t, err)
			refused(t, p.Feed("p:0", tensor.Must(tensor.From(tensor.Shape{}, []float32{1}))), tensor.InvalidArgument, `"p:0" was not specified in the setup`)
			ok(t, p.Feed("a:0", tensor.Must(tensor.From(tensor.Shape{}, []float32{1}))))
			_, err = prog.Partial("ordinary")
			refused(t, err, tensor.FailedPrecondition, "--partial")
			if _, err = prog.Partial("other"); tensor.CodeOf(err) != tensor.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("prun_unknown_fetch", func(t *testing.T) {
		for _, prog := range programs(t) {
			p, err := prog.Partial("two")
			ok(t, err)
			_, err = p.Fetch(ctx, "p2:0")
			refused(t, err, tensor.InvalidArgument, `"p2:0" was not specified in the setup`)
			x := tensor.Must(tensor.From(tensor.Shape{}, []float32{1}))
			ok(t, p.Feed("a", x), p.Feed("b", x))
			got, err := p.Fetch(ctx, "r1")
			if ok(t, err); !same(got, tensor.Must(tensor.From(tensor.Shape{}, []float32{2}))) {
				t.Errorf("r1 is %v", got.Data)
			}
		}
	})
	t.Run("prun_fed_twice", func(t *testing.T) {
		p := instance(t).TwoPartial()
		ok(t, p.FeedA(scalar[float32](1)))
		refused(t, p.FeedA(scalar[float32](5)), tensor.InvalidArgument, `input A ("a:0") has already been fed`)
		ok(t, p.FeedB(scalar[float32](2)))
		x, err := p.FetchR1(ctx)
		if v := one(t, x, err); v != 3 {
			t.Errorf("r1 is %v: the second feed counts", v)
		}
		refused(t, p.FeedB(scalar[float32](5)), tensor.InvalidArgument, `input B ("b:0") has already been fed`)
	})
	t.Run("prun_fetched_twice", func(t *testing.T) {
		p := instance(t).TwoPartial()
		ok(t, p.FeedA(scalar[float32](1)), p.FeedB(scalar[float32](2)))
		x, err := p.FetchR1(ctx)
		one(t, x, err)
		_, err = p.FetchR1(ctx)
		refused(t, err, tensor.InvalidArgument, `"r1:0" has already been fetched`)
		ok(t, p.FeedC(scalar[float32](2)))
		x, err = p.FetchR2(ctx)
		if v := one(t, x, err); v != 6 {
			t.Errorf("r2 is %v", v)
		}
	})
	t.Run("prun_feed_only_step", func(t *testing.T) {
		p := instance(t).TwoPartial()
		ok(t, p.FeedA(scalar[float32](1)), p.Run(ctx), p.FeedB(scalar[float32](2)), p.Run(ctx), p.FeedC(scalar[float32](3)), p.Run(ctx))
		x, err := p.FetchR2(ctx)
		y, err2 := p.FetchR1(ctx)
		if a, b := one(t, x, err), one(t, y, err2); a != 9 || b != 3 {
			t.Errorf("%v and %v, want 9 and 3", a, b)
		}
	})
	t.Run("prun_fetch_too_early", func(t *testing.T) {
		p := instance(t).TwoPartial()
		_, err := p.FetchR2(ctx)
		refused(t, err, tensor.InvalidArgument, `"r2:0" cannot be computed from the feeds fed so far`, `"a:0", "b:0", "c:0"`)
		ok(t, p.FeedA(scalar[float32](1)))
		_, err = p.FetchR1(ctx)
		refused(t, err, tensor.InvalidArgument, `"b:0" must be fed`)
		ok(t, p.FeedB(scalar[float32](2)))
		_, err = p.FetchR2(ctx)
		refused(t, err, tensor.InvalidArgument, `: "c:0" must be fed`)
		ok(t, p.FeedC(scalar[float32](2)))
		x, err := p.FetchR2(ctx)
		if v := one(t, x, err); v != 6 {
			t.Errorf("r2 is %v", v)
		}
	})
	t.Run("prun_output_of_switch", func(t *testing.T) {
		p := instance(t).SwitchPartial()
		ok(t, p.FeedOn(scalar[float32](5)))
		x, err := p.FetchOn(ctx)
		if v := one(t, x, err); v != 5 {
			t.Errorf("%v, want 5", v)
		}
		_, err = p.FetchOff(ctx)
		refused(t, err, tensor.InvalidArgument, `"sw:0" must be fed`)
		ok(t, p.FeedOff(scalar[float32](6)))
		x, err = p.FetchOff(ctx)
		if v := one(t, x, err); v != 6 {
			t.Errorf("%v, want 6", v)
		}
	})
	t.Run("prun_bad_handle", func(t *testing.T) {
		for _, p := range []*model.TwoPartial{nil, {}} {
			_, err := p.FetchR1(ctx)
			for _, err := range []error{err, p.FeedA(scalar[float32](1)), p.Run(ctx)} {
				refused(t, err, tensor.InvalidArgument, "there is no partial run")
				var e *tensor.Error
				if !errors.As(err, &e) || e.Node != "" {
					t.Errorf("%v names a node", err)
				}
			}
			p.Close()
		}
		p := instance(t).TwoPartial()
		p.Close()
		p.Close()
		refused(t, p.FeedA(scalar[float32](1)), tensor.InvalidArgument, "used up")
		refused(t, new(model.Model).TwoPartial().Run(ctx), tensor.FailedPrecondition, "New was not called")
	})
	t.Run("prun_ends", func(t *testing.T) {
		p := instance(t).TwoPartial()
		ok(t, p.FeedA(scalar[float32](1)), p.FeedB(scalar[float32](2)), p.FeedC(scalar[float32](3)))
		_, err := p.FetchR1(ctx)
		ok(t, err)
		_, err = p.FetchR2(ctx)
		ok(t, err, nil)
		_, err = p.FetchR2(ctx)
		refused(t, err, tensor.InvalidArgument, "used up")
		refused(t, p.FeedA(scalar[float32](1)), tensor.InvalidArgument, "used up")
		refused(t, p.Run(ctx), tensor.InvalidArgument, "used up")
	})
	t.Run("close_cancels_partial_run", func(t *testing.T) {
		m, err := model.New()
		ok(t, err)
		p, q := m.TwoPartial(), m.WaitPartial()
		ok(t, p.FeedA(scalar[float32](1)), p.FeedB(scalar[float32](2)))
		_, err = p.FetchR1(ctx)
		ok(t, err, q.FeedA(scalar[float32](1)), q.FeedB(scalar[float32](1)))
		blocked := make(chan error)
		go func() {
			_, err := q.FetchWaited(ctx) // this call waits, because the queue stays empty
			blocked <- err
		}()
		time.Sleep(20 * time.Millisecond)
		ok(t, m.Close())
		refused(t, <-blocked, tensor.Cancelled, "session has been closed")
		refused(t, p.FeedC(scalar[float32](1)), tensor.Cancelled, "session has been closed")
		_, err = p.FetchR2(ctx)
		refused(t, err, tensor.Cancelled, "session has been closed")
		refused(t, p.Run(ctx), tensor.Cancelled, "session has been closed")
		refused(t, m.TwoPartial().Run(ctx), tensor.Cancelled, "session has been closed")
	})
}
