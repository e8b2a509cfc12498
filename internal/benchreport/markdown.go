package benchreport

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// titles are the names of runtimes in tables.
var titles = map[string]string{"tf": "TensorFlow", "tf-eigen": "TensorFlow without oneDNN", "fn": "tf.function", "xla": "XLA",
	"litert": "LiteRT", "litert-np": "LiteRT without XNNPACK", "ort": "ONNX Runtime", "openvino": "OpenVINO"}

// Title returns the name of a runtime in tables.
func Title(peer string) string {
	if t, ok := titles[peer]; ok {
		return t
	}
	return peer
}

// Markdown writes tables of times, ratios, start-up and memory.
func Markdown(w io.Writer, cases []*Case) error {
	m := &markdown{cases: cases, peers: Peers(cases)}
	for _, n := range Counts(cases) {
		m.times(n)
		m.ratios(n)
		m.footprint(n)
	}
	if n := Counts(cases); len(n) > 0 {
		m.accuracy(n[0])
	}
	m.scaling()
	m.notes()
	_, err := io.WriteString(w, m.String())
	return err
}

type markdown struct {
	strings.Builder
	cases   []*Case
	peers   []string
	remarks []string
}

func (m *markdown) row(cells ...string) {
	fmt.Fprintf(m, "| %s |\n", strings.Join(cells, " | "))
}

func (m *markdown) head(cells ...string) {
	m.row(cells...)
	m.row(append([]string{"---"}, repeat("---:", len(cells)-1)...)...)
}

func repeat(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func threadsText(n string) string {
	if n == "1" {
		return "1 thread"
	}
	return n + " threads"
}

func (m *markdown) titles(peers []string) []string {
	out := make([]string, len(peers))
	for i, p := range peers {
		out[i] = Title(p)
	}
	return out
}

// Millis formats microseconds as milliseconds with three digits.
func Millis(us float64) string {
	switch ms := us / 1e3; {
	case ms < 1:
		return fmt.Sprintf("%.4f", ms)
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	default:
		return fmt.Sprintf("%.0f", ms)
	}
}

// cell formats a runtime's times, and records the reason if they are missing.
func (m *markdown) cell(c *Case, n, peer string, text func(t *Times) string) string {
	t := c.Threads[n][peer]
	switch {
	case t == nil:
		return "–"
	case t.Wrong:
		by := ""
		if t.MaxErr < math.MaxFloat64 {
			by = fmt.Sprintf(" by %.2g of the largest value", t.MaxErr)
		}
		m.remark("%s, %s: the answers are wrong%s", c.Name, Title(peer), by)
		if peer == Self {
			return "wrong"
		}
		return text(t) + " wrong"
	case t.Error != "":
		m.remark("%s, %s: %s", c.Name, Title(peer), lastLine(t.Error))
		return "error"
	}
	return text(t)
}

func (m *markdown) remark(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	for _, r := range m.remarks {
		if r == s {
			return
		}
	}
	m.remarks = append(m.remarks, s)
}

// lastLine returns the last line of an error's text. In a traceback of Python, this line has the
// cause.
func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	if r := []rune(last); len(r) > 200 {
		last = "…" + string(r[len(r)-200:])
	}
	return last
}

func (m *markdown) times(n string) {
	fmt.Fprintf(m, "Milliseconds a run with %s: median (least).\n\n", threadsText(n))
	m.head(append([]string{"case"}, m.titles(m.peers)...)...)
	for _, c := range m.cases {
		row := []string{c.Name}
		for _, p := range m.peers {
			row = append(row, m.cell(c, n, p, func(t *Times) string { return Millis(t.MedianUS) + " (" + Millis(t.MinUS) + ")" }))
		}
		m.row(row...)
	}
	m.WriteByte('\n')
}

func (m *markdown) ratios(n string) {
	var peers []string
	for _, p := range m.peers {
		if p != Self {
			peers = append(peers, p)
		}
	}
	if len(peers) == 0 || len(peers) == len(m.peers) {
		return
	}
	fmt.Fprintf(m, "graphc's time over a peer's with %s: of the medians (of the least times). Below 1, graphc is faster. Peers with wrong answers are ignored.\n\n", threadsText(n))
	m.head(append(append([]string{"case"}, m.titles(peers)...), "best peer")...)
	ratio := func(c *Case, p string) string {
		they := c.Threads[n][p]
		med, least, ok := c.ratio(n, they)
		if !ok {
			return "–"
		}
		text := fmt.Sprintf("%.2f (%.2f)", med, least)
		if they.Wrong {
			text += " wrong"
		}
		return text
	}
	for _, c := range m.cases {
		row := []string{c.Name}
		for _, p := range peers {
			row = append(row, ratio(c, p))
		}
		last := "–"
		best, least := c.Best(n), c.BestLeast(n)
		if med, _, ok := c.Ratio(n, best); ok {
			_, few, _ := c.Ratio(n, least)
			last = fmt.Sprintf("**%.2f** %s (%.2f %s)", med, Title(best), few, Title(least))
		}
		m.row(append(row, last)...)
	}
	mean := func(p string) string {
		g, k := Geomean(m.cases, n, p)
		if k == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f of %d", g, k)
	}
	row := []string{"geometric mean"}
	for _, p := range append(peers, "") {
		row = append(row, mean(p))
	}
	m.row(row...)
	m.WriteByte('\n')
}

func (m *markdown) footprint(n string) {
	fmt.Fprintf(m, "Milliseconds to load and run once in a fresh process, and MB resident after that, with %s.\n\n", threadsText(n))
	m.head(append([]string{"case"}, m.titles(m.peers)...)...)
	for _, c := range m.cases {
		row := []string{c.Name}
		for _, p := range m.peers {
			row = append(row, m.cell(c, n, p, func(t *Times) string {
				return fmt.Sprintf("%s, %.0f MB", Millis((t.LoadS+t.FirstS)*1e6), t.RSSMB)
			}))
		}
		m.row(row...)
	}
	m.WriteByte('\n')
}

// accuracy writes the table of errors against the recorded results.
func (m *markdown) accuracy(n string) {
	m.WriteString("Largest difference from the recorded answers, over the largest recorded value.\n\n")
	m.head(append([]string{"case"}, m.titles(m.peers)...)...)
	for _, c := range m.cases {
		row := []string{c.Name}
		for _, p := range m.peers {
			t := c.Threads[n][p]
			switch {
			case t == nil || t.Error != "":
				row = append(row, "–")
			case t.MaxErr == math.MaxFloat64:
				row = append(row, "∞")
			default:
				row = append(row, fmt.Sprintf("%.1e", t.MaxErr))
			}
		}
		m.row(row...)
	}
	m.WriteByte('\n')
}

// scaling writes the speed-up of each runtime relative to its time with the fewest threads.
func (m *markdown) scaling() {
	counts := Counts(m.cases)
	for i := 1; i < len(counts); i++ {
		few, many := counts[0], counts[i]
		fmt.Fprintf(m, "How many times faster %s are than %s: by the medians (by the least times).\n\n", threadsText(many), few)
		m.head(append([]string{"case"}, m.titles(m.peers)...)...)
		for _, c := range m.cases {
			row := []string{c.Name}
			for _, p := range m.peers {
				a, b := c.Threads[few][p], c.Threads[many][p]
				if !a.OK() || !b.OK() {
					row = append(row, "–")
					continue
				}
				row = append(row, fmt.Sprintf("%.2f (%.2f)", a.MedianUS/b.MedianUS, a.MinUS/b.MinUS))
			}
			m.row(row...)
		}
		m.WriteByte('\n')
	}
}

func (m *markdown) notes() {
	for _, c := range m.cases {
		if c.Error != "" {
			m.remark("%s: %s", c.Name, lastLine(c.Error))
		}
	}
	worst, at := 0.0, ""
	for _, c := range m.cases {
		for _, peers := range c.Threads {
			if t := peers[Self]; t.OK() && (t.MaxErr > worst || at == "" || t.MaxErr == worst && c.Name < at) {
				worst, at = t.MaxErr, c.Name
			}
		}
	}
	if at != "" {
		m.remark("graphc's answers differ from the recorded ones by at most %.2g of the largest value (%s)", worst, at)
	}
	for _, r := range m.remarks {
		fmt.Fprintf(m, "- %s\n", strings.ReplaceAll(r, "|", "\\|"))
	}
}
