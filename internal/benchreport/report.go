// Package benchreport reads what an interleaved run of several runtimes measured
// and tells how they compare.
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

// Self is the name graphc goes by among its peers.
const Self = "graphc"

// Case is what was measured of one case, by the number of threads.
type Case struct {
	Name    string                       `json:"case"`
	Dir     string                       `json:"dir,omitempty"`
	GFLOP   float64                      `json:"gflop,omitempty"`
	Limit   float64                      `json:"max_err_limit,omitempty"` // an answer further off is wrong
	Sweep   *Sweep                       `json:"sweep,omitempty"`
	Threads map[string]map[string]*Times `json:"threads"`
	Error   string                       `json:"error,omitempty"` // why nothing was measured
	// Pairwise says that each runtime was timed beside the first one only.
	Pairwise bool `json:"pairwise,omitempty"`
}

// Sweep says which point of which curve a case is.
type Sweep struct {
	Model string `json:"model"`
	Axis  string `json:"axis"` // batch, sequence, image
	Value int    `json:"value"`
}

// Times is what was measured of one runtime.
type Times struct {
	MinUS    float64 `json:"min_us,omitempty"`
	MedianUS float64 `json:"median_us,omitempty"`
	P90US    float64 `json:"p90_us,omitempty"`
	Calls    int     `json:"calls,omitempty"`
	// Rounds is the median over the rounds of this runtime's median over that of
	// the first runtime, which shared its noise.
	Rounds float64 `json:"ratio,omitempty"`
	LoadS  float64 `json:"load_s,omitempty"`
	FirstS float64 `json:"first_s,omitempty"`
	MaxErr float64 `json:"max_err"`
	RSSMB  float64 `json:"rss_mb,omitempty"`
	PeakMB float64 `json:"peak_mb,omitempty"`
	// Error is why there are no times. Wrong marks times that count for nothing,
	// since the answers are not the recorded ones.
	Error string `json:"error,omitempty"`
	Wrong bool   `json:"wrong,omitempty"`
}

// OK reports whether the times count.
func (t *Times) OK() bool { return t != nil && t.Error == "" && !t.Wrong && t.MedianUS > 0 }

// notJSON are the numbers that Python's json module writes and JSON does not have.
var notJSON = regexp.MustCompile(`([:\[,]\s*)(-?Infinity|NaN)\b`)

// Parse reads one line of the harness. Answers that are further than limit, or
// than no number at all, from the recorded ones are wrong.
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

// Counts returns the numbers of threads measured in any of the cases, in order.
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

// order is how tables list the runtimes they know; others follow by name.
var order = []string{"tf", "tf-eigen", "fn", "xla", "litert", "litert-np", "ort", "openvino"}

// Peers returns the runtimes measured in any of the cases, graphc's last.
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

// Best returns the fastest peer by its median, "" when none has times.
func (c *Case) Best(threads string) string {
	return c.best(threads, func(t *Times) float64 { return t.MedianUS })
}

// BestLeast returns the fastest peer by its least time, "" when none has times.
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

// Ratio is graphc's time over a peer's: of the medians, and of the least times.
// ok is false when either has no times that count. Where the two were not timed
// beside each other, the first runtime's times, which both were beside, stand
// between them.
func (c *Case) Ratio(threads, peer string) (median, least float64, ok bool) {
	they := c.Threads[threads][peer]
	if !they.OK() {
		return 0, 0, false
	}
	return c.ratio(threads, they)
}

// ratio is Ratio to a peer whose answers may be wrong.
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

// Failed reports whether graphc has no times that count somewhere.
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

// AnyPeer reports whether another runtime than graphc ran somewhere.
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

// Geomean is the geometric mean of graphc's ratios to a peer, or to the best of
// each case where peer is "", and of how many cases.
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
