package caserun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/rt"
)

// TestLatencies: latencies that are counted in buckets have nearly the same percentiles as the sorted
// latencies, and counting allocates nothing.
func TestLatencies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []int64
	var a, b latencies
	for i := range 20000 {
		ns := int64(math.Exp(r.Float64() * math.Log(1e11)))
		all = append(all, ns)
		if i%3 == 0 {
			a.add(ns)
		} else {
			b.add(ns)
		}
	}
	a.merge(&b)
	slices.Sort(all)
	if a.n != len(all) || a.most != all[len(all)-1] {
		t.Errorf("%d latencies up to %d, want %d up to %d", a.n, a.most, len(all), all[len(all)-1])
	}
	for k, want := range all {
		if got := a.at(k); math.Abs(float64(got-want)) > 0.005*float64(want) {
			t.Fatalf("latency %d is %d, want %d", k, got, want)
		}
	}
	for _, ns := range []int64{-1, 0, 255, 256, math.MaxInt64} {
		if n := testing.AllocsPerRun(10, func() { a.add(ns) }); n != 0 {
			t.Errorf("counting %d allocates %g times", ns, n)
		}
	}
	if last := bucket(math.MaxInt64); last != buckets-1 {
		t.Errorf("the largest latency is in bucket %d of %d", last, buckets)
	}
}

// TestCallers: each caller calls its own copy of the model's signature, and all calls are counted.
func TestCallers(t *testing.T) {
	var runs []*int
	fail := false
	s := &subject{bind: func() (*rt.Bound, error) {
		n := new(int)
		runs = append(runs, n)
		return &rt.Bound{Run: func(context.Context) error {
			if *n++; fail {
				return errors.New("as told")
			}
			return nil
		}}, nil
	}}
	var out bytes.Buffer
	if err := serveBench(strings.NewReader("callers 3 0\ncallers 2 5\ncallers 64 0\nidle 1\n"), json.NewEncoder(&out), s); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	sum := 0
	for _, n := range []int{3, 2, 64} {
		var c Callers
		if err := dec.Decode(&c); err != nil {
			t.Fatal(err)
		}
		if c.Callers != n || c.Runs < n || c.NS <= 0 || c.MedianNS > c.P99NS || c.P99NS > c.MaxNS || c.MaxNS > c.NS || c.CPUNS < -1 {
			t.Errorf("%d callers: %+v", n, c)
		}
		sum += c.Runs + n // each caller has also made a call before the measurement
	}
	for i, n := range runs {
		if *n < 2 {
			t.Errorf("caller %d has called %d times", i, *n)
		}
		sum -= *n
	}
	if len(runs) != 64 || sum != 0 {
		t.Errorf("%d callers; the counted calls exceed those made by %d", len(runs), sum)
	}
	var i Idle
	if err := dec.Decode(&i); err != nil || i.NS < 1e6 || i.CPUNS < -1 {
		t.Errorf("%+v, %v", i, err)
	}
	fail = true
	for in, want := range map[string]string{
		"callers 1 0\n": "as told", "callers 0 1\n": `"0" is not a positive number`, "callers x 1\n": `"x" is not a positive number`,
		"callers 1\n": "want N MS", "callers 1 -1\n": `"-1" is not a time`, "idle x\n": `"x" is not a time`,
	} {
		if err := serveBench(strings.NewReader(in), json.NewEncoder(&out), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	s.all, s.bind = nil, func() (*rt.Bound, error) { return nil, errors.New("no feeds") }
	if _, err := s.callers(1, 0); err == nil {
		t.Error("the error of bind is lost")
	}
}
