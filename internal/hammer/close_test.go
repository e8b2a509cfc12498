//go:build emitted

package hammer

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/graphc/graphc/internal/hammer/model"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// TestClose closes instances while runs of all kinds are running, waiting, cancelled or timed out:
// all of them end before Close returns, and no goroutine leaks.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	named, err := rt.NewPool("hammer", 3)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 30 {
		rng := rand.New(rand.NewPCG(9, uint64(round)))
		opts := []rt.Option{rt.WithConcurrency(1 + rng.IntN(3)), rt.WithThreads(1 + rng.IntN(3))}
		if rng.IntN(2) == 0 {
			opts = append(opts, rt.WithTimeout(time.Duration(1+rng.IntN(3))*time.Millisecond))
		}
		if rng.IntN(2) == 0 {
			opts = append(opts, rt.WithPool(named))
		}
		m, err := model.New(opts...)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range workers {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(g)))
			wg.Go(func() {
				for {
					ctx, cancel := context.WithCancel(context.Background())
					switch rng.IntN(4) {
					case 0:
						ctx = rt.WithRun(ctx, rt.Timeout(time.Duration(rng.IntN(2000))*time.Microsecond+1))
					case 1:
						ctx = rt.WithRun(ctx, rt.OnPool(named), rt.Threads(2))
					case 2:
						time.AfterFunc(time.Duration(rng.IntN(500))*time.Microsecond, cancel)
					}
					_, err := interrupted(ctx, m, rng)
					cancel()
					var e *tensor.Error
					switch {
					case errors.As(err, &e) && e.Code == tensor.Cancelled && e.Msg == "session has been closed":
						return
					case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
					default:
						t.Errorf("a run ends with %v", err)
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond)
		for range 2 {
			wg.Go(func() {
				if err := m.Close(); err != nil {
					t.Error(err)
				}
				if _, err := m.Put(context.Background(), model.PutInput{Value: scalar(int64(1))}); tensor.CodeOf(err) != tensor.Cancelled {
					t.Errorf("a run after Close: %v", err)
				}
			})
		}
		wg.Wait()
		if err := m.Save(t.TempDir() + "/x"); tensor.CodeOf(err) != tensor.Cancelled {
			t.Errorf("saving after Close: %v", err)
		}
	}
	named.Close()
	noneLeft(t, before)
}

// TestReset: a reset does not affect the state of other instances.
func TestReset(t *testing.T) {
	ctx := context.Background()
	var ms [2]*model.Model
	for i := range ms {
		m, err := model.New()
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if _, err := m.Add(ctx, model.AddInput{Row: model.Tensor[int32]{Shape: []int{3}, Data: []int32{0, 1, 2}}}); err != nil {
			t.Fatal(err)
		}
		ms[i] = m
	}
	waits := make(chan error)
	go func() {
		_, err := ms[0].Take(ctx, model.TakeInput{})
		waits <- err
	}()
	if err := ms[0].Reset(); err != nil {
		t.Fatal(err)
	}
	if err := <-waits; tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a run that waits ends with %v", err)
	}
	if _, err := ms[0].Read(ctx, model.ReadInput{}); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a run after Reset: %v", err)
	}
	if out, err := ms[1].Read(ctx, model.ReadInput{}); err != nil || out.Count.Data[0] != 1 {
		t.Errorf("the other instance: %v, %v", out.Count, err)
	}
	var zero model.Model
	if _, err := zero.Read(ctx, model.ReadInput{}); tensor.CodeOf(err) != tensor.FailedPrecondition {
		t.Errorf("a model that New has not made: %v", err)
	}
	if err := zero.Close(); err != nil || tensor.CodeOf(zero.Save("x")) != tensor.FailedPrecondition {
		t.Errorf("a model that New has not made: %v, %v", err, zero.Save("x"))
	}
}

// TestHandles: tensors kept by handles belong to one instance, until they are deleted or the
// instance is closed.
func TestHandles(t *testing.T) {
	ctx := context.Background()
	m, err := model.New()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			for i := range 50 {
				v := []float32{float32(g), float32(i)}
				h, err := m.Keep(ctx, model.KeepInput{X: model.Tensor[float32]{Shape: []int{1, 2}, Data: v}})
				if err != nil {
					t.Error(err)
					return
				}
				out, err := m.Use(ctx, model.UseInput(h))
				if err != nil || !slices.Equal(out.Value.Data, v) {
					t.Errorf("the handle of %v gives %v, %v", v, out.Value, err)
				}
				if _, err := m.Forget(ctx, model.ForgetInput(h)); err != nil {
					t.Error(err)
				}
				if _, err := m.Use(ctx, model.UseInput(h)); tensor.CodeOf(err) != tensor.InvalidArgument {
					t.Errorf("a handle that was forgotten gives %v", err)
				}
			}
		})
	}
	wg.Wait()
	h, err := m.Keep(ctx, model.KeepInput{X: model.Tensor[float32]{Shape: []int{1, 2}, Data: []float32{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := model.New()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Use(ctx, model.UseInput(h)); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("a handle of another instance gives %v", err)
	}
	m.Close()
	if _, err := m.Use(ctx, model.UseInput(h)); tensor.CodeOf(err) != tensor.Cancelled {
		t.Errorf("a handle of a closed instance gives %v", err)
	}
}
