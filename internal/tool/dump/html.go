package dump

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/files"
)

// Bounds of the page.
const (
	htmlWide    = 240    // characters of a line
	htmlShort   = 300    // nodes of a graph up to which all columns show all
	htmlColumn  = 3000   // lines of a column
	htmlContext = 2      // unchanged nodes that are shown beside one that changed
	htmlPage    = 100000 // lines of the page
)

//go:embed dump.css
var htmlStyle string

//go:embed dump.js
var htmlScript string

// HTML writes a page that shows a model's graph after each pass.
func HTML(a *base.App, paths []string, f flags.Model, file string) error {
	o, err := f.Options()
	if err != nil {
		return err
	}
	h, p, err := compileHistory(paths, o, true)
	if err != nil {
		return base.WrapModel(paths, err)
	}
	return files.WriteWhole(file, func(w io.Writer) error {
		return writePage(w, h, func(signature string) *pipeline.Signature { return signatureOf(p, signature) })
	})
}

// page is a page being written.
type page struct {
	w     io.Writer
	ids   map[string]int // of nodes, by name
	lines int
	err   error
}

func (p *page) f(format string, args ...any) {
	if _, err := fmt.Fprintf(p.w, format, args...); p.err == nil {
		p.err = err
	}
}

// writePage writes the page: a table for each signature with a column for each pass
// that changed something, a narrow one for those between that did not, and the plan.
func writePage(w io.Writer, h *historian, compiled func(signature string) *pipeline.Signature) error {
	p := &page{w: w}
	p.f("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>graphc: passes</title>\n")
	p.f("<style>\n%s</style>\n</head>\n<body>\n", htmlStyle)
	p.f("<p class=\"help\">A column a pass that changed something. Click a node to mark it in all columns, again to unmark it; click a heading to fold its column. " +
		"<b class=\"new\">new</b> <b class=\"chg\">changed</b> <b class=\"del\">gone after this pass</b></p>\n")
	for _, x := range h.all {
		p.ids = map[string]int{}
		p.f("<h1>%s</h1>\n<table><tr>\n", html.EscapeString(title(x.signature)))
		var last *moment
		for i, s := range x.streams {
			if i == 1 {
				last = x.streams[0].end()
			}
			p.stream(s, last)
		}
		if s := compiled(x.signature); s != nil && s.Plan != nil {
			for _, q := range plansOf(s) {
				p.plan(q)
			}
		}
		p.f("</tr></table>\n")
	}
	p.f("<script>\n%s</script>\n</body>\n</html>\n", htmlScript)
	return p.err
}

// end is the last moment, nil where there is none.
func (s *stream) end() *moment {
	if len(s.moments) == 0 {
		return nil
	}
	return &s.moments[len(s.moments)-1]
}

// stream writes the columns of one graph, of which before is what it came from.
func (p *page) stream(s *stream, before *moment) {
	if s.device != "" {
		p.f("<td class=\"part\"><div>%s</div></td>\n", html.EscapeString(s.device))
	}
	edits := s.before
	var idle []string
	flush := func() {
		if len(idle) > 0 {
			p.f("<td class=\"idle\"><div>%s</div></td>\n", html.EscapeString(strings.Join(idle, " · ")))
		}
		idle = nil
	}
	for i := range s.moments {
		m := &s.moments[i]
		rows := rowsOf(before, m, s.reasons(edits, m.edits))
		edits, before = m.edits, m
		changed := 0
		for _, r := range rows {
			if r.class != "" {
				changed++
			}
		}
		if changed == 0 && i > 0 {
			idle = append(idle, m.pass)
			continue
		}
		flush()
		whole := i == 0 && s.device == "" || m.nodes <= htmlShort
		p.column(m.pass, fmt.Sprintf("%s, %d changed", base.Plural(m.nodes, "node"), changed), rows, whole)
	}
	flush()
	if e := s.end(); e != nil && e.nodes > htmlShort {
		p.column("at the end", base.Plural(e.nodes, "node"), rowsOf(nil, e, nil), true)
	}
}

// reasons are the journal's for nodes, by name, in edits from and up to to.
func (s *stream) reasons(from, to int) map[string]string {
	why := map[string]string{}
	for _, e := range s.graph.Journal[min(from, len(s.graph.Journal)):min(to, len(s.graph.Journal))] {
		n := nodeOf(e.Node)
		text := e.Why
		if e.New != "" && e.New != e.Node {
			text = "→ " + e.New + ": " + e.Why
		}
		if old := why[n]; old == "" {
			why[n] = text
		} else if !strings.Contains(old, text) && len(old) < htmlWide {
			why[n] = old + "; " + text
		}
		if e.New != "" && why[nodeOf(e.New)] == "" && nodeOf(e.New) != n {
			why[nodeOf(e.New)] = "stands for " + e.Node
		}
	}
	return why
}

// row is a line of a column: class is "" for a node that is as it was.
type row struct {
	nodeLine
	class, why string
}

// rowsOf compares a moment with the one before; nodes that are gone stand behind
// those that stood before them. Without one before nothing is marked.
func rowsOf(before, now *moment, why map[string]string) []row {
	was := map[string]uint64{}
	if before != nil {
		for _, l := range before.lines {
			was[l.name] = l.sum
		}
	}
	here := make(map[string]bool, len(now.lines))
	for _, l := range now.lines {
		here[l.name] = true
	}
	gone := map[string][]row{} // by the node they stand behind
	if before != nil {
		at := ""
		for _, l := range before.lines {
			if here[l.name] {
				at = l.name
			} else {
				gone[at] = append(gone[at], row{l, "del", why[l.name]})
			}
		}
	}
	rows := gone[""]
	for _, l := range now.lines {
		r := row{nodeLine: l}
		if old, ok := was[l.name]; before != nil && !ok {
			r.class, r.why = "new", why[l.name]
		} else if before != nil && old != l.sum {
			r.class, r.why = "chg", why[l.name]
		}
		rows = append(append(rows, r), gone[l.name]...)
	}
	return rows
}

// column writes a column. Where not the whole graph is wanted, what changed is shown
// with a little of what stands around it.
func (p *page) column(head, note string, rows []row, whole bool) {
	p.f("<td><h2>%s</h2><small>%s</small>\n", html.EscapeString(head), html.EscapeString(note))
	near := make([]bool, len(rows))
	for i, r := range rows {
		for j := i - htmlContext; r.class != "" && j <= i+htmlContext; j++ {
			if j >= 0 && j < len(rows) {
				near[j] = true
			}
		}
	}
	shown, skipped := 0, 0
	flush := func() {
		if skipped > 0 {
			p.f("<i>⋮ %s</i>\n", base.Plural(skipped, "more node"))
		}
		skipped = 0
	}
	for i, r := range rows {
		if !whole && !near[i] || shown >= htmlColumn || p.lines >= htmlPage {
			skipped++
			continue
		}
		flush()
		shown++
		p.line(r.class, r.name, r.text, r.why)
	}
	flush()
	p.f("</td>\n")
}

// line writes a line about a node.
func (p *page) line(class, node, text, why string) {
	p.lines++
	id, ok := p.ids[node]
	if !ok {
		id = len(p.ids)
		p.ids[node] = id
	}
	if class != "" {
		class = " class=" + class
	}
	p.f("<p%s data-n=%d>%s", class, id, html.EscapeString(clip(text)))
	if why != "" {
		p.f("<i>%s</i>", html.EscapeString(clip(why)))
	}
	p.f("</p>\n")
}

// clip bounds a line.
func clip(s string) string {
	if len(s) <= htmlWide {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > htmlWide {
			return s[:i] + "…"
		}
	}
	return s
}

// plan writes a plan as the last column. A line is about the node that it names.
func (p *page) plan(q *plan.Plan) {
	head := "plan"
	if q.Ranks != nil {
		head = fmt.Sprintf("plan for ranks %v", q.Ranks)
	}
	p.f("<td><h2>%s</h2><small>%s</small>\n", html.EscapeString(head), base.Plural(plan.CountSteps(q.Steps), "step"))
	shown, skipped := 0, 0
	for _, l := range strings.Split(strings.TrimSuffix(q.String(), "\n"), "\n") {
		if shown >= htmlColumn || p.lines >= htmlPage {
			skipped++
			continue
		}
		shown++
		if node := planNode(l); node != "" {
			p.line("", node, l, "")
			continue
		}
		p.lines++
		p.f("<p>%s</p>\n", html.EscapeString(clip(l)))
	}
	if skipped > 0 {
		p.f("<i>⋮ %s</i>\n", base.Plural(skipped, "more line"))
	}
	p.f("</td>\n")
}

// planNode is the node that a line of a plan names in its first quotes.
func planNode(line string) string {
	i := strings.IndexByte(line, '"')
	if i < 0 || strings.HasPrefix(line, "plan ") {
		return ""
	}
	quoted, err := strconv.QuotedPrefix(line[i:])
	if err != nil {
		return ""
	}
	name, err := strconv.Unquote(quoted)
	if err != nil {
		return ""
	}
	if j := strings.LastIndex(name, "/scratch"); j > 0 && strings.Trim(name[j+len("/scratch"):], "0123456789") == "" {
		name = name[:j]
	}
	return nodeOf(name)
}
