//go:build emitted

package partial

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/partial/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

func matrix(rows int, v ...float32) tensor.Of[float32] {
	return tensor.Of[float32]{Shape: tensor.Shape{rows, len(v) / rows}, Data: v}
}

// TestSizes checks feeds with a common dimension size. The first of them that is fed determines the
// size. A feed that was rejected can be fed again.
func TestSizes(t *testing.T) {
	ctx := t.Context()
	m := instance(t)
	p := m.SharedPartial()
	_, err := p.FetchQShape(ctx)
	refused(t, err, tensor.InvalidArgument, `"q:0" must be fed`)
	ok(t, p.FeedQ(matrix(1, 1, 2, 3)))
	refused(t, p.FeedP(matrix(2, 1, 2, 3, 4, 5, 6)), tensor.InvalidArgument, `input P ("p:0"): dimension 0 is 2, want n = 1 as in the other feeds`)
	refused(t, p.FeedP(tensor.Of[float32]{Shape: tensor.Shape{1, 3}, Data: []float32{1}}), tensor.InvalidArgument, "1 elements given")
	refused(t, p.FeedW(matrix(1, 1, 2, 3)), tensor.InvalidArgument, `input W ("w:0")`)
	ok(t, p.FeedP(matrix(1, 1, 2, 3)))
	shape, err := p.FetchQShape(ctx)
	if ok(t, err); !slices.Equal(shape.Data, []int32{1, 3}) {
		t.Errorf("the shape is %v", shape.Data)
	}
	same, err := p.FetchP(ctx)
	if ok(t, err); !slices.Equal(same.Data, []float32{1, 2, 3}) {
		t.Errorf("what is fed is %v", same.Data)
	}
	// Another run, with other sizes, feeds P before Q.
	p = m.SharedPartial()
	refused(t, p.FeedP(matrix(1, 1, 2)), tensor.InvalidArgument)
	ok(t, p.FeedP(matrix(2, 1, 2, 3, 4, 5, 6)))
	twice, err := p.FetchP2(ctx)
	if ok(t, err); !slices.Equal(twice.Data, []float32{2, 4, 6, 8, 10, 12}) {
		t.Errorf("%v", twice.Data)
	}
	refused(t, p.FeedQ(matrix(1, 1, 2, 3)), tensor.InvalidArgument, "want n = 2")
	ok(t, p.FeedQ(matrix(2, 1, 2, 3, 4, 5, 6)), p.FeedW(matrix(3, 1, 1, 1, 1, 1, 1)))
	rows, err := p.FetchRows(ctx)
	if ok(t, err); !slices.Equal(rows.Shape, []int{4, 3}) {
		t.Errorf("%v", rows.Shape)
	}
}

// TestFails: the first error of a step is the error of the run.
func TestFails(t *testing.T) {
	ctx := t.Context()
	m := instance(t)
	p := m.FailPartial()
	ok(t, p.FeedAt(scalar[int32](7)))
	for range 2 {
		_, err := p.FetchGot(ctx)
		refused(t, err, tensor.InvalidArgument, `node "got"`)
	}
	refused(t, p.FeedC(scalar[float32](1)), tensor.InvalidArgument, `node "got"`)
	p.Close()
	q := m.FailPartial()
	ok(t, q.FeedAt(scalar[int32](2)), q.FeedC(scalar[float32](2)))
	x, err := q.FetchGotC(ctx)
	if v := one(t, x, err); v != 6 {
		t.Errorf("%v, want 6", v)
	}
	for name, prog := range programs(t) {
		p, err := prog.Partial("fail")
		ok(t, err, p.Feed("at:0", tensor.Must(tensor.From(tensor.Shape{}, []int32{9}))), p.Feed("c:0", tensor.Must(tensor.From(tensor.Shape{}, []float32{9}))))
		if _, err = p.Fetch(ctx, "got_c:0"); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
		refused(t, p.Feed("c:0", nil), tensor.InvalidArgument)
		refused(t, p.Feed("c:0", tensor.Must(tensor.From(tensor.Shape{}, []int32{9}))), tensor.InvalidArgument, "want f32[]")
	}
}

// TestContext: a context that ends during a step ends the run. If the context has ended before the
// step, the step fails, but the run can continue.
func TestContext(t *testing.T) {
	m := instance(t)
	over, cancel := context.WithCancel(context.Background())
	cancel()
	p := m.TwoPartial()
	ok(t, p.FeedA(scalar[float32](1)), p.FeedB(scalar[float32](2)))
	if _, err := p.FetchR1(over); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	x, err := p.FetchR1(t.Context())
	if v := one(t, x, err); v != 3 {
		t.Errorf("r1 is %v", v)
	}
	for name, make := range map[string]func() (context.Context, context.CancelFunc){
		"deadline": func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 20*time.Millisecond)
		},
		"option": func() (context.Context, context.CancelFunc) {
			return rt.WithRun(context.Background(), rt.Timeout(20*time.Millisecond)), func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := make()
			defer cancel()
			q := m.WaitPartial()
			ok(t, q.FeedA(scalar[float32](1)), q.FeedB(scalar[float32](1)))
			if _, err := q.FetchWaited(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v", err)
			}
			if err := q.Run(context.Background()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestBounded: steps wait for a slot if the number of concurrent runs is limited.
func TestBounded(t *testing.T) {
	for _, prog := range programs(t, rt.WithConcurrency(1), rt.WithThreads(1)) {
		done := make(chan bool)
		all := load(t)
		const n = 4
		for range n {
			go func() {
				for _, c := range all {
					if signatures[c.Name] != "" && c.Name != "state" {
						replay(t, prog, c)
					}
				}
				done <- true
			}()
		}
		for range n {
			<-done
		}
	}
}

// TestWhole: the signature's method runs all steps at once.
func TestWhole(t *testing.T) {
	out, err := instance(t).Two(t.Context(), model.TwoInput{A: scalar[float32](1), B: scalar[float32](2), C: scalar[float32](51)})
	if ok(t, err); out.R1.Data[0] != 3 || out.R2.Data[0] != 153 {
		t.Errorf("%v", out)
	}
	for _, c := range load(t) {
		name := signatures[c.Name]
		if name == "" {
			continue
		}
		for of0, prog := range programs(t) {
			sig := signature(prog, name)
			feeds, want := map[string]*tensor.Tensor{}, map[string]*tensor.Tensor{}
			for _, s := range c.Steps {
				for f, v := range s.Feeds {
					feeds[f] = of(t, port(sig.Feeds, f).DType, v)
				}
				for f, v := range s.Fetches {
					want[f] = of(t, port(sig.Fetches, f).DType, v)
				}
			}
			got, err := prog.Run(t.Context(), name, feeds)
			if err != nil {
				t.Errorf("%s of %s: %v", c.Name, of0, err)
				continue
			}
			for f, w := range want {
				if !same(got[f], w) {
					t.Errorf("%s of %s: %s is %v, want %v", c.Name, of0, f, got[f].Data, w.Data)
				}
			}
		}
	}
}
