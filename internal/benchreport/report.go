// Package benchreport reads and compares the measurements of a benchmark in which several runtimes
// are timed in turns.
package benchreport

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Self is graphc's name among the runtimes.
const Self = "graphc"

// Case has the measurements of one case. The outer key of Threads is a number of threads. The inner
// key is the name of a runtime.
type Case struct {
	Name    string                       `json:"case"`
	Dir     string                       `json:"dir,omitempty"`
	GFLOP   float64                      `json:"gflop,omitempty"`
	Limit   float64                      `json:"max_err_limit,omitempty"` // largest error of a result that counts as right
	Sweep   *Sweep                       `json:"sweep,omitempty"`
	Threads map[string]map[string]*Times `json:"threads"`
	Error   string                       `json:"error,omitempty"` // reason if nothing was measured
	// Pairwise is true if each runtime was timed in turns with the first runtime only, and not with
	// all others.
	Pairwise bool `json:"pairwise,omitempty"`
}

// Sweep describes a case that is one point of a curve. The cases of a curve differ only in one size
// of one model.
type Sweep struct {
	Model string `json:"model"`
	Axis  string `json:"axis"` // batch, sequence, image
	Value int    `json:"value"`
}

// Times has the measurements of one runtime.
type Times struct {
	MinUS    float64 `json:"min_us,omitempty"`
	MedianUS float64 `json:"median_us,omitempty"`
	P90US    float64 `json:"p90_us,omitempty"`
	Calls    int     `json:"calls,omitempty"`
	// Rounds is the median, over the rounds, of this runtime's median time divided by that of the
	// first runtime in the same round. The two times of a round were affected by the same noise.
	Rounds float64 `json:"ratio,omitempty"`
	LoadS  float64 `json:"load_s,omitempty"`
	FirstS float64 `json:"first_s,omitempty"`
	MaxErr float64 `json:"max_err"`
	RSSMB  float64 `json:"rss_mb,omitempty"`
	PeakMB float64 `json:"peak_mb,omitempty"`
	// Error is the reason for missing times. Wrong marks times that do not count because the
	// results differ from the recorded ones.
	Error string `json:"error,omitempty"`
	Wrong bool   `json:"wrong,omitempty"`
}

// OK reports whether the times count.
func (t *Times) OK() bool { return t != nil && t.Error == "" && !t.Wrong && t.MedianUS > 0 }

// notJSON matches numbers that Python's json module writes, but JSON does not allow.
var notJSON = regexp.MustCompile(`([:\[,]\s*)(-?Infinity|NaN)\b`)

// Parse reads one line of the benchmark program's output. A runtime's results are wrong if their
// error exceeds limit or is not a number.
func Parse(line []byte, limit float64) (*Case, error) {
	line = notJSON.ReplaceAll(line, []byte("${1}"+strconv.FormatFloat(math.MaxFloat64, 'g', -1, 64)))
	c := &Case{Limit: limit}
	if err := json.Unmarshal(line, c); err != nil {
		return nil, err
	}
	if len(c.Threads) == 0 {
		return nil, fmt.Errorf("%q has no times", c.Name)
	}
	for _, peers := range c.Threads {
		for name, t := range peers {
			if t == nil {
				peers[name] = &Times{Error: "no answer"}
				continue
			}
			if t.Error == "" && t.MedianUS == 0 {
				t.Error = "no times"
			}
			t.Wrong = t.Error == "" && !(t.MaxErr <= limit)
		}
	}
	return c, nil
}

// Counts returns the numbers of threads with which at least one case was measured, sorted.
func Counts(cases []*Case) []string {
	var out []string
	for _, c := range cases {
		for n := range c.Threads {
			if !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		x, _ := strconv.Atoi(a)
		y, _ := strconv.Atoi(b)
		return x - y
	})
	return out
}

// order has the known runtimes in the order of the tables. Other runtimes follow, sorted by name.
var order = []string{"tf", "tf-eigen", "fn", "xla", "litert", "litert-np", "ort", "openvino"}

// Peers returns the runtimes measured in any of the cases, graphc last.
func Peers(cases []*Case) []string {
	var out []string
	for _, c := range cases {
		for _, peers := range c.Threads {
			for p := range peers {
				if !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	rank := func(p string) int {
		if i := slices.Index(order, p); i >= 0 {
			return i
		}
		if p == Self {
			return len(order) + 1
		}
		return len(order)
	}
	slices.SortFunc(out, func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}

// Best returns the peer with the smallest median time, or "" if no peer has times.
func (c *Case) Best(threads string) string {
	return c.best(threads, func(t *Times) float64 { return t.MedianUS })
}

// BestLeast returns the peer with the smallest minimum time, or "" if no peer has times.
func (c *Case) BestLeast(threads string) string {
	return c.best(threads, func(t *Times) float64 { return t.MinUS })
}

func (c *Case) best(threads string, us func(*Times) float64) string {
	best := ""
	for p, t := range c.Threads[threads] {
		if p == Self || !t.OK() {
			continue
		}
		if b := c.Threads[threads][best]; b == nil || us(t) < us(b) || us(t) == us(b) && p < best {
			best = p
		}
	}
	return best
}

// Ratio returns two quotients of graphc's time and a peer's time: median is the quotient of the
// median times, and least is the quotient of the minimum times. The result ok is false if graphc or
// the peer has no times that count. If Pairwise is set, graphc and the peer were not timed in turns
// with each other, but each of them in turns with the first runtime. Then median is the quotient of
// their two ratios to the first runtime.
func (c *Case) Ratio(threads, peer string) (median, least float64, ok bool) {
	they := c.Threads[threads][peer]
	if !they.OK() {
		return 0, 0, false
	}
	return c.ratio(threads, they)
}

// ratio does the same as Ratio, for the given times of a peer. It does not check that the results
// of the peer are right.
func (c *Case) ratio(threads string, they *Times) (median, least float64, ok bool) {
	us := c.Threads[threads][Self]
	if !us.OK() || they == nil || they.MedianUS == 0 || they.MinUS == 0 {
		return 0, 0, false
	}
	if c.Pairwise && us.Rounds > 0 && they.Rounds > 0 {
		return us.Rounds / they.Rounds, us.MinUS / they.MinUS, true
	}
	return us.MedianUS / they.MedianUS, us.MinUS / they.MinUS, true
}

// Failed reports whether graphc lacks valid times for some number of threads.
func (c *Case) Failed() bool {
	if c.Error != "" {
		return true
	}
	for _, peers := range c.Threads {
		if !peers[Self].OK() {
			return true
		}
	}
	return false
}

// AnyPeer reports whether a runtime other than graphc has measurements.
func (c *Case) AnyPeer() bool {
	for _, peers := range c.Threads {
		for p, t := range peers {
			if p != Self && t.Error == "" {
				return true
			}
		}
	}
	return false
}

// Geomean returns the geometric mean of graphc's ratios to a peer, and the number of cases that
// have such a ratio. If peer is "", it uses the ratio to the best peer of each case.
func Geomean(cases []*Case, threads, peer string) (mean float64, n int) {
	sum := 0.0
	for _, c := range cases {
		p := peer
		if p == "" {
			p = c.Best(threads)
		}
		if r, _, ok := c.Ratio(threads, p); ok {
			sum += math.Log(r)
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	return math.Exp(sum / float64(n)), n
}
