package benchreport

import (
	"math"
	"slices"
	"strings"
	"testing"
)

const line = `{"case": "c", "threads": {
 "2": {"graphc": {"min_us": 1, "median_us": 2, "max_err": 0}},
 "1": {"tf": {"min_us": 3, "median_us": 8, "max_err": NaN}, "ort": {"min_us": 2, "median_us": 5, "max_err": 1e-6},
  "zz": {"min_us": 2, "median_us": 4, "max_err": 0}, "xla": {"error": "no"}, "fn": null, "litert": {"max_err": 0},
  "graphc": {"min_us": 1, "median_us": 2, "max_err": 1e-5}}}}`

func TestParse(t *testing.T) {
	c, err := Parse([]byte(line), 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	one := c.Threads["1"]
	for peer, ok := range map[string]bool{"tf": false, "ort": true, "zz": true, "xla": false, "fn": false, "litert": false, "graphc": true, "absent": false} {
		if one[peer].OK() != ok {
			t.Errorf("%s: %+v, want %v", peer, one[peer], ok)
		}
	}
	if !one["tf"].Wrong {
		t.Error("an answer that is no number is right")
	}
	cases := []*Case{c}
	if got := Counts(cases); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("thread counts %q", got)
	}
	if got, want := Peers(cases), []string{"tf", "fn", "xla", "litert", "ort", "zz", "graphc"}; !slices.Equal(got, want) {
		t.Errorf("peers %q, want %q", got, want)
	}
	if got, least := c.Best("1"), c.BestLeast("1"); got != "zz" || least != "ort" {
		t.Errorf("the best peers are %q and %q", got, least)
	}
	if med, least, ok := c.Ratio("1", "ort"); med != 0.4 || least != 0.5 || !ok {
		t.Errorf("ratio %g %g %v", med, least, ok)
	}
	c.Pairwise, one["graphc"].Rounds, one["ort"].Rounds = true, 0.6, 0.5
	if med, _, ok := c.Ratio("1", "ort"); med != 1.2 || !ok {
		t.Errorf("the ratio of two that were not timed beside each other is %g", med)
	}
	c.Pairwise = false
	if _, _, ok := c.Ratio("2", "ort"); ok || c.Best("2") != "" {
		t.Error("a ratio to nobody")
	}
	if g, n := Geomean([]*Case{c, c}, "1", ""); math.Abs(g-0.5) > 1e-12 || n != 2 {
		t.Errorf("geometric mean %g of %d", g, n)
	}
	if c.Failed() || !c.AnyPeer() || (&Case{Threads: map[string]map[string]*Times{"1": {"graphc": one["graphc"], "tf": {Error: "no"}}}}).AnyPeer() {
		t.Error("graphc and peers have their times, or not")
	}
	one["graphc"].Wrong = true
	if !c.Failed() || !(&Case{Error: "x"}).Failed() {
		t.Error("graphc has no times")
	}
	for _, bad := range []string{"", "{}", `{"case": "c", "threads": {}}`, `{"threads": 3}`} {
		if _, err := Parse([]byte(bad), 1); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestMarkdown(t *testing.T) {
	c, err := Parse([]byte(line), 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	c.Threads["1"]["xla"].Error = "Traceback\n  cannot | do"
	var b strings.Builder
	if err := Markdown(&b, []*Case{c, {Name: "d", Error: "refused"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| case | TensorFlow | tf.function | XLA | LiteRT | ONNX Runtime | zz | graphc |",
		"| c | 0.0080 (0.0030) wrong | error | error | error | 0.0050 (0.0020) | 0.0040 (0.0020) | 0.0020 (0.0010) |",
		"| c | 0.25 (0.33) wrong | – | – | – | 0.40 (0.50) | 0.50 (0.50) | **0.50** zz (0.50 ONNX Runtime) |",
		"| d | – | – |",
		"| c | ∞ | – | – | – | 1.0e-06 | 0.0e+00 | 1.0e-05 |",
		"- c, XLA: cannot \\| do",
		"- d: refused",
		"| c | – | – | – | – | – | – | 1.00 (1.00) |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}
