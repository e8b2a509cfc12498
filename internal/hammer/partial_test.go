//go:build emitted

package hammer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/hammer/parted"
	"github.com/graphc/graphc/rt/tensor"
)

// ints returns n rows of three small integers.
func (w *parter) ints(n int) parted.Tensor[float32] {
	v := make([]float32, 3*n)
	for i := range v {
		v[i] = float32(w.rng.IntN(9) - 4)
	}
	return parted.Tensor[float32]{Shape: []int{n, 3}, Data: v}
}

// answers has the expected results of the signature "steps".
type answers struct{ first, second, third []float32 }

func answersOf(a, b, c []float32) (want answers) {
	want.second = make([]float32, 3)
	for i, x := range a {
		want.first = append(want.first, x+1)
		want.second[i%3] += x * b[i]
	}
	s := slices.Clone(want.second)
	for i := range s {
		s[i] = max(s[i], -s[i])
	}
	for s[0]+s[1]+s[2] < 1000 {
		for i := range s {
			s[i] = 2*s[i] + 1
		}
	}
	for i := 0; i < len(c); i += 3 {
		want.third = append(want.third, c[i]*s[0]+c[i+1]*s[1]+c[i+2]*s[2])
	}
	return want
}

// refused returns nil if err has the code InvalidArgument and its text contains the second
// argument, or if the run was cancelled or the instance closed. Otherwise it returns an error.
func refused(err error, says string) error {
	if tensor.CodeOf(err) == tensor.InvalidArgument && strings.Contains(err.Error(), says) || brokenOff(err) || isClosed(err) {
		return nil
	}
	return fmt.Errorf("%v, want InvalidArgument: … %s", err, says)
}

// steps runs the signature "steps": either all steps at once, or as a partial run with feeds and
// fetches in a random order. It abandons some of the partial runs before their end.
func (w *parter) steps(ctx context.Context) error {
	n := w.rng.IntN(6)
	a, b, c := w.ints(n), w.ints(n), w.ints(w.rng.IntN(5))
	want := answersOf(a.Data, b.Data, c.Data)
	if w.rng.IntN(4) == 0 {
		out, err := w.m.Steps(ctx, parted.StepsInput{A: a, B: b, C: c})
		if err != nil {
			return err
		}
		w.made.seen++
		if got := (answers{out.First.Data, out.Second.Data, out.Third.Data}); !slices.Equal(got.first, want.first) || !slices.Equal(got.second, want.second) || !slices.Equal(got.third, want.third) {
			return fmt.Errorf("a run of all steps at once gives %v, want %v", got, want)
		}
		return nil
	}
	p := w.m.StepsPartial()
	if w.rng.IntN(8) > 0 {
		defer p.Close()
	}
	feeds := []struct {
		feed func(parted.Tensor[float32]) error
		with parted.Tensor[float32]
	}{{p.FeedA, a}, {p.FeedB, b}, {p.FeedC, c}}
	fetches := []struct {
		fetch func(context.Context) (parted.Tensor[float32], error)
		want  []float32
		needs []int
		name  string
	}{{p.FetchFirst, want.first, []int{0}, "first"}, {p.FetchSecond, want.second, []int{0, 1}, "second"}, {p.FetchThird, want.third, []int{0, 1, 2}, "third"}}
	fed, taken, left, counted := [3]bool{}, [3]bool{}, 6, false
	for left > 0 {
		i := w.rng.IntN(3)
		switch w.rng.IntN(5) {
		case 0: // a feed
			err := feeds[i].feed(feeds[i].with)
			if fed[i] {
				if err := refused(err, "has already been fed"); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			fed[i] = true
			left--
		case 1: // a feed with a wrong shape
			bad := feeds[i].with
			bad.Shape = []int{len(bad.Data)}
			if err := refused(feeds[i].feed(bad), "input"); err != nil {
				return err
			}
		case 2:
			if w.rng.IntN(4) == 0 { // after Run, the caller may overwrite the fed data
				if err := p.Run(ctx); err != nil {
					return err
				}
				if fed[0] && fed[1] && !counted {
					w.made.seen++
					counted = true
				}
				for k, f := range fed {
					if f {
						clear(feeds[k].with.Data)
					}
				}
			}
			if w.rng.IntN(20) == 0 {
				return nil // abandoned
			}
		default:
			f := fetches[i]
			can := !slices.ContainsFunc(f.needs, func(k int) bool { return !fed[k] })
			got, err := f.fetch(ctx)
			if taken[i] || !can {
				if err := refused(err, "fetch"); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
			if fed[0] && fed[1] && !counted {
				w.made.seen++
				counted = true
			}
			if !slices.Equal(got.Data, f.want) {
				return fmt.Errorf("%s of a run in steps is %v, want %v", f.name, got, f.want)
			}
			taken[i] = true
			left--
		}
	}
	if _, err := p.FetchFirst(ctx); refused(err, "over") != nil && refused(err, "already") != nil {
		return fmt.Errorf("a run in steps that is over: %v", err)
	}
	return nil
}
