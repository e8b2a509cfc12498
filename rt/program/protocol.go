package program

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/files"
	"github.com/graphc/graphc/rt/npy"
	"github.com/graphc/graphc/rt/tensor"
)

// caseFile contains the fields of a case.json file that command.speak needs: the feeds of runs, and
// the fetches that TensorFlow computed for these feeds.
type caseFile struct {
	Signature string `json:"signature"`
	Runs      []struct {
		Feeds   string `json:"feeds"`
		Fetches string `json:"fetches"`
		Names   struct {
			Feeds   []string `json:"feeds"`
			Fetches []string `json:"fetches"`
		} `json:"names"`
	} `json:"runs"`
}

// speak implements the benchmark protocol of "--protocol CASE THREADS". It runs the case's first
// run and prints a line of JSON. The line contains the load time and the largest error relative to
// the largest recorded value. Then, for each input line "burst MS", speak repeats the run for that
// many milliseconds and prints {"ns":[…]}, the time of each run in nanoseconds. The line "quit"
// ends the protocol.
func (c *command) speak(ctx context.Context, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return usagef("want --protocol CASE [THREADS]")
	}
	if len(args) == 2 {
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 {
			return usagef("%q is not a number of threads", args[1])
		}
		runtime.GOMAXPROCS(n)
	}
	start := time.Now()
	p, err := c.open()
	if err != nil {
		return err
	}
	load := time.Since(start)
	b, want, err := bindCase(p, args[0])
	if err != nil {
		return err
	}
	first := time.Now()
	if err := b.Run(ctx); err != nil {
		return err
	}
	ready := map[string]any{"ready": true, "load_s": load.Seconds(), "first_s": time.Since(first).Seconds()}
	got := b.Fetches()
	worst := 0.0
	for name, w := range want {
		g := got[name]
		if g == nil {
			return tensor.Errorf(tensor.NotFound, "the case fetches %q, the program does not", name)
		}
		worst = math.Max(worst, difference(g, w))
	}
	ready["max_err"] = worst
	for range 3 {
		if err := b.Run(ctx); err != nil {
			return err
		}
	}
	for key, field := range map[string]string{"peak_mb": "VmHWM:", "rss_mb": "VmRSS:"} {
		if n, ok := memory(field); ok {
			ready[key] = n
		}
	}
	enc := json.NewEncoder(c.out)
	if math.IsInf(worst, 0) || math.IsNaN(worst) {
		ready["max_err"] = math.MaxFloat64 // JSON has no infinity
	}
	if err := enc.Encode(ready); err != nil {
		return err
	}
	lines := bufio.NewScanner(c.in)
	var ns []int64
	for lines.Scan() {
		w := strings.Fields(lines.Text())
		if len(w) == 0 || w[0] == "quit" {
			return nil
		}
		if w[0] != "burst" || len(w) != 2 {
			return usagef("invalid command %q", lines.Text())
		}
		ms, err := strconv.ParseFloat(w[1], 64)
		if err != nil || !(ms >= 0 && ms < 1e9) {
			return usagef("%q is not a time in milliseconds", w[1])
		}
		ns = ns[:0]
		for begin := time.Now(); ; {
			t := time.Now()
			if err := b.Run(ctx); err != nil {
				return err
			}
			ns = append(ns, time.Since(t).Nanoseconds())
			if time.Since(begin) >= time.Duration(ms*1e6) && len(ns) >= 2 {
				break
			}
		}
		if err := enc.Encode(map[string]any{"ns": ns}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// bindCase finds the signature with the case's feeds and fetches, and binds the feeds.
func bindCase(p rt.Program, dir string) (*rt.Bound, map[string]*tensor.Tensor, error) {
	text, err := files.ReadFile(filepath.Join(dir, "case.json"), maxLine)
	if err != nil {
		return nil, nil, err
	}
	var c caseFile
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, nil, fmt.Errorf("case.json: %w", err)
	}
	if len(c.Runs) == 0 {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "case.json: no runs")
	}
	r := c.Runs[0]
	arrays, err := npy.ReadZip(filepath.Join(dir, r.Feeds))
	if err != nil {
		return nil, nil, err
	}
	all, err := npy.ReadZip(filepath.Join(dir, r.Fetches))
	if err != nil {
		return nil, nil, err
	}
	want := map[string]*tensor.Tensor{}
	for _, name := range r.Names.Fetches {
		if t := all[name]; t != nil {
			want[name] = t
		}
	}
	for _, s := range p.Signatures() {
		feeds := map[string]*tensor.Tensor{}
		ok := true
		for _, name := range r.Names.Feeds {
			q := port(s, name)
			if q == nil || arrays[name] == nil {
				ok = false
				break
			}
			if feeds[q.Name], err = fit(q, arrays[name]); err != nil {
				return nil, nil, tensor.Errorf(tensor.CodeOf(err), "feed %q: %s", name, tensor.Message(err))
			}
		}
		for name := range want {
			has := false
			for _, f := range s.Fetches {
				has = has || f.Name == name
			}
			ok = ok && has
		}
		if ok {
			b, err := p.Bind(s.Name, feeds)
			return b, want, err
		}
	}
	return nil, nil, tensor.Errorf(tensor.NotFound, "no signature has the feeds %q and the fetches %q", r.Names.Feeds, r.Names.Fetches)
}

// difference returns the largest difference relative to the largest expected value. The result is
// infinite if elements of a type other than floating-point numbers differ.
func difference(got, want *tensor.Tensor) float64 {
	if got.Len() != want.Len() {
		return math.Inf(1)
	}
	worst, most := 0.0, 0.0
	for i := range got.Len() {
		g, okG := number(got, i)
		w, okW := number(want, i)
		if !okG || !okW {
			if elementText(got, i) != elementText(want, i) {
				return math.Inf(1)
			}
			continue
		}
		if math.IsNaN(g) && math.IsNaN(w) || g == w {
			most = math.Max(most, math.Abs(w))
			continue
		}
		worst, most = math.Max(worst, math.Abs(g-w)), math.Max(most, math.Abs(w))
	}
	return worst / (most + 1e-30)
}

func number(t *tensor.Tensor, i int) (float64, bool) {
	switch d := t.Data.(type) {
	case []float32:
		return float64(d[i]), true
	case []float64:
		return d[i], true
	case []tensor.F16:
		return float64(d[i].Float32()), true
	case []tensor.BF16:
		return float64(d[i].Float32()), true
	}
	return 0, false
}

// memory returns a value of /proc/self/status in MiB. It returns false if the value is missing.
func memory(field string) (int, bool) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(b), field)
	if !ok {
		return 0, false
	}
	w := strings.Fields(rest)
	if len(w) == 0 {
		return 0, false
	}
	n, err := strconv.Atoi(w[0])
	return n / 1024, err == nil
}
