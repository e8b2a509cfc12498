package dump

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"strconv"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/flags"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/files"
)

// Limits for the HTML page.
const (
	htmlWide    = 240    // maximum number of characters of a line
	htmlShort   = 300    // maximum number of nodes of a graph that is shown completely in every column
	htmlColumn  = 3000   // maximum number of lines of a column
	htmlContext = 2      // number of unchanged nodes that are shown before and after a changed node
	htmlPage    = 100000 // maximum number of lines of the page
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
	phase := compiling(a, &o, paths[0])
	defer phase.Close()
	notes := nodeLines{}
	h, p, err := history.Compile(paths, o, notes.note)
	if err != nil {
		return base.WrapModel(paths, err)
	}
	return files.WriteWhole(file, func(w io.Writer) error {
		return writePage(w, h, notes, func(signature string) *pipeline.Signature { return history.SignatureOf(p, signature) })
	})
}

// nodeLine describes a node after a pass. It has the node's name, the beginning of the node's text,
// and a hash. The hash is that of the whole text, without the types and shapes of the node's
// outputs.
type nodeLine struct {
	name, text string
	sum        uint64
}

func lineOf(n *ir.Node) nodeLine {
	o := ir.PrintOptions{MaxElems: maxElems, Brief: true}
	bare := *n
	bare.Outs = nil
	h := fnv.New64a()
	h.Write([]byte(ir.NodeText(&bare, o)))
	return nodeLine{n.Name, strings.Clone(base.Clip(ir.NodeText(n, o), htmlWide)), h.Sum64()}
}

// nodeLines maps each stream to the lines of all nodes of its graph, after each pass. A stream is
// the sequence of states of one graph while the passes run.
type nodeLines map[*history.Stream][][]nodeLine

// note appends the lines for the present state of the graph of stream s. The recorder calls it
// after each pass.
func (l nodeLines) note(_ *history.History, s *history.Stream) {
	var all []nodeLine
	for _, n := range s.Graph.Nodes {
		all = append(all, lineOf(n))
	}
	l[s] = append(l[s], all)
}

// end returns the lines of the nodes in the graph of stream s after the last pass.
func (l nodeLines) end(s *history.Stream) []nodeLine {
	if n := len(l[s]); n > 0 {
		return l[s][n-1]
	}
	return nil
}

// page is the state of writing one HTML page.
type page struct {
	w     io.Writer
	notes nodeLines
	ids   map[string]int // number of each node, by its name
	lines int
	err   error
}

func (p *page) f(format string, args ...any) {
	if _, err := fmt.Fprintf(p.w, format, args...); p.err == nil {
		p.err = err
	}
}

// writePage writes the page. It has one table for each signature. The table has a column for each
// pass that changed the graph. Consecutive passes that changed nothing have a common narrow column.
// The last columns show the plan.
func writePage(w io.Writer, h *history.Recorder, notes nodeLines, compiled func(signature string) *pipeline.Signature) error {
	p := &page{w: w, notes: notes}
	p.f("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>graphc: passes</title>\n")
	p.f("<style>\n%s</style>\n</head>\n<body>\n", htmlStyle)
	p.f("<p class=\"help\">A column a pass that changed something. Click a node to mark it in all columns, again to unmark it; click a heading to fold its column. " +
		"<b class=\"new\">new</b> <b class=\"chg\">changed</b> <b class=\"del\">gone after this pass</b></p>\n")
	for _, x := range h.All {
		p.ids = map[string]int{}
		p.f("<h1>%s</h1>\n<table><tr>\n", html.EscapeString(title(x.Signature)))
		var last []nodeLine
		for i, s := range x.Streams {
			if i == 1 {
				last = notes.end(x.Streams[0])
			}
			p.stream(s, last)
		}
		if s := compiled(x.Signature); s != nil && s.Plan != nil {
			for _, q := range plansOf(s) {
				p.plan(q)
			}
		}
		p.f("</tr></table>\n")
	}
	p.f("<script>\n%s</script>\n</body>\n</html>\n", htmlScript)
	return p.err
}

// stream writes the columns for the graph of stream s. If the graph is a partition, the parameter
// before has the lines of the whole graph.
func (p *page) stream(s *history.Stream, before []nodeLine) {
	if s.Device != "" {
		p.f("<td class=\"part\"><div>%s</div></td>\n", html.EscapeString(s.Device))
	}
	edits := s.Before
	var idle []string
	flush := func() {
		if len(idle) > 0 {
			p.f("<td class=\"idle\"><div>%s</div></td>\n", html.EscapeString(strings.Join(idle, " · ")))
		}
		idle = nil
	}
	for i := range s.Moments {
		m := &s.Moments[i]
		now := p.notes[s][i]
		rows := rowsOf(before, now, reasons(s, edits, m.Edits))
		edits, before = m.Edits, now
		changed := 0
		for _, r := range rows {
			if r.class != "" {
				changed++
			}
		}
		if changed == 0 && i > 0 {
			idle = append(idle, m.Pass)
			continue
		}
		flush()
		whole := i == 0 && s.Device == "" || m.Nodes <= htmlShort
		p.column(m.Pass, fmt.Sprintf("%s, %d changed", base.Plural(m.Nodes, "node"), changed), rows, whole)
	}
	flush()
	if e := p.notes.end(s); len(e) > htmlShort {
		p.column("at the end", base.Plural(len(e), "node"), rowsOf(nil, e, nil), true)
	}
}

// reasons returns the reasons for edits, keyed by the name of the edited node. The edits are
// s.Graph.Journal[from:to].
func reasons(s *history.Stream, from, to int) map[string]string {
	why := map[string]string{}
	for _, e := range s.Graph.Journal[min(from, len(s.Graph.Journal)):min(to, len(s.Graph.Journal))] {
		n := history.NodeOf(e.Node)
		text := e.Why
		if e.New != "" && e.New != e.Node {
			text = "→ " + e.New + ": " + e.Why
		}
		if old := why[n]; old == "" {
			why[n] = text
		} else if !strings.Contains(old, text) && len(old) < htmlWide {
			why[n] = old + "; " + text
		}
		if e.New != "" && why[history.NodeOf(e.New)] == "" && history.NodeOf(e.New) != n {
			why[history.NodeOf(e.New)] = "stands for " + e.Node
		}
	}
	return why
}

// row is a row of a column, which shows one node. The class is "new", "chg" or "del", or "" if the
// pass has not changed the node.
type row struct {
	nodeLine
	class, why string
}

// rowsOf compares the lines of the nodes before a pass with those after it (now), and returns the
// rows of the pass's column. The row of a removed node follows that of the node that preceded it.
// If before is nil, all rows are those of unchanged nodes.
func rowsOf(before, now []nodeLine, why map[string]string) []row {
	was := map[string]uint64{}
	for _, l := range before {
		was[l.name] = l.sum
	}
	here := make(map[string]bool, len(now))
	for _, l := range now {
		here[l.name] = true
	}
	gone := map[string][]row{} // rows of removed nodes, keyed by the last node before them that still exists
	if before != nil {
		at := ""
		for _, l := range before {
			if here[l.name] {
				at = l.name
			} else {
				gone[at] = append(gone[at], row{l, "del", why[l.name]})
			}
		}
	}
	rows := gone[""]
	for _, l := range now {
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

// column writes a column with the given rows. If whole is false, the column has only the rows of
// changed nodes, and a few rows before and after each of them.
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

// line writes one line of a column, which belongs to a node.
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
	p.f("<p%s data-n=%d>%s", class, id, html.EscapeString(base.Clip(text, htmlWide)))
	if why != "" {
		p.f("<i>%s</i>", html.EscapeString(base.Clip(why, htmlWide)))
	}
	p.f("</p>\n")
}

// plan writes a plan as a column. A line of the plan that contains the name of a node belongs to
// this node.
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
		p.f("<p>%s</p>\n", html.EscapeString(base.Clip(l, htmlWide)))
	}
	if skipped > 0 {
		p.f("<i>⋮ %s</i>\n", base.Plural(skipped, "more line"))
	}
	p.f("</td>\n")
}

// planNode returns the node to which a line of a plan belongs: the first text in quotes is its
// name. It returns "" if the line has no such text.
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
	return history.NodeOf(name)
}
