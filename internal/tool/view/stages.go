package view

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/history"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes"
)

// signature is the data of the page for one signature, including its graph after each pass.
type signature struct {
	Name    string   `json:"name"`
	Feeds   []port   `json:"feeds"`
	Fetches []port   `json:"fetches"`
	Targets []int    `json:"targets"` // nodes
	Stages  []*stage `json:"stages"`
	Passes  []*pass  `json:"passes"`
	Edits   [][]int  `json:"edits"` // rows of: node, node that replaces it or -1, reason, number of the edit for --fuel
	Fates   [][]int  `json:"fates"` // see recorder.fates
	Notes   [][]int  `json:"notes"` // rows of: node, kind of the note, text
	Time    *times   `json:"time,omitempty"`
}

// port is a feed or a fetch.
type port struct {
	Key  string `json:"key"`
	Node int    `json:"node"`
	Out  int    `json:"out"`
	Type string `json:"type"`
}

// stage describes the graph after a pass that changed it, by the difference from an earlier stage.
type stage struct {
	Pass   int   `json:"pass"`
	Device int   `json:"device"`
	Base   int   `json:"base"` // index of the earlier stage; -1 for the empty graph
	Gone   []int `json:"gone"` // names
	Nodes  []int `json:"nodes"`
	Facts  []int `json:"facts"`
}

// pass describes one run of a pass on one graph.
type pass struct {
	Name   int    `json:"name"`
	Device int    `json:"device"`
	Nodes  int    `json:"nodes"`  // after it
	Counts [3]int `json:"counts"` // number of nodes that the pass added, changed and removed
	Edits  [2]int `json:"edits"`  // index in signature.Edits of the pass's first edit, and the number of its edits
	Stage  int    `json:"stage"`  // index of the stage that has the graph after this pass
}

// recorder collects the data of the page for all signatures while a model is compiled.
type recorder struct {
	*tables
	tracks map[*history.Stream]*track
	sigs   map[*history.History]*signature
	pass   func(name string) // function to call with the name of each pass, to show progress; may be nil
}

// track has the rows of all nodes in the newest stage of a stream. The stream's graph is the whole
// graph or a partition.
type track struct {
	at           int         // the stage
	nodes, facts map[int]int // rows, by name
}

func newRecorder(model string) *recorder {
	return &recorder{tables: newTables(model), tracks: map[*history.Stream]*track{}, sigs: map[*history.History]*signature{}}
}

// note records the graph of stream s after the pass that has just run.
func (r *recorder) note(x *history.History, s *history.Stream) {
	m := &s.Moments[len(s.Moments)-1]
	if r.pass != nil {
		r.pass(m.Pass)
	}
	sig := r.sigs[x]
	if sig == nil {
		sig = &signature{Name: x.Signature}
		r.sigs[x] = sig
	}
	if r.library == nil {
		r.library = s.Graph.Library
	}
	t := r.tracks[s]
	if t == nil {
		t = &track{at: -1, nodes: map[int]int{}, facts: map[int]int{}}
		if whole := r.tracks[x.Streams[0]]; whole != nil {
			t = whole.clone()
		}
		r.tracks[s] = t
	}
	p := &pass{Name: r.text(m.Pass), Device: r.text(s.Device), Nodes: m.Nodes, Stage: t.at}
	r.stage(sig, s, t, p)
	sig.Passes = append(sig.Passes, p)
}

func (t *track) clone() *track {
	return &track{at: t.at, nodes: maps.Clone(t.nodes), facts: maps.Clone(t.facts)}
}

// stage adds a stage for the graph of stream s after pass p. It stores in p.Counts how many nodes
// the pass added, changed and removed. If the pass changed no node, no stage is added. Changes that
// only affect types or shapes of outputs are then recorded in the next stage.
func (r *recorder) stage(sig *signature, s *history.Stream, t *track, p *pass) {
	st := &stage{Pass: p.Name, Device: p.Device, Base: t.at}
	here := make(map[int]bool, len(s.Graph.Nodes))
	for _, n := range s.Graph.Nodes {
		name, row := r.node(n.Name), r.version(n)
		here[name] = true
		had, ok := t.nodes[name]
		if ok && had == row {
			continue
		}
		if ok {
			p.Counts[1]++
		} else {
			p.Counts[0]++
		}
		st.Nodes = appendRange(st.Nodes, row)
		t.nodes[name] = row
	}
	for name := range t.nodes {
		if !here[name] {
			st.Gone = append(st.Gone, name)
			delete(t.nodes, name)
			delete(t.facts, name)
		}
	}
	slices.Sort(st.Gone)
	p.Counts[2] = len(st.Gone)
	if t.at >= 0 && len(st.Gone)+len(st.Nodes) == 0 && p.Device == sig.Stages[t.at].Device {
		return
	}
	st.Facts = r.newFacts(s.Graph, t)
	t.at = len(sig.Stages)
	sig.Stages = append(sig.Stages, st)
	p.Stage = t.at
}

// newFacts returns rows of page.Facts for the nodes in g, as ranges. A row has the types and shapes
// of a node's outputs. The result has only the rows that are not yet in track t. newFacts then adds
// these rows to t.
func (r *recorder) newFacts(g *ir.Graph, t *track) (rows []int) {
	for _, n := range g.Nodes {
		name, row := r.node(n.Name), r.facts(n)
		if had, ok := t.facts[name]; !ok || had != row {
			rows = appendRange(rows, row)
			t.facts[name] = row
		}
	}
	return rows
}

// finish completes the data of a signature after the last pass, and returns it. It adds the last
// types and shapes, the edits of the journal, and the feeds, fetches and targets.
func (r *recorder) finish(x *history.History) *signature {
	sig := r.sigs[x]
	for _, s := range x.Ends() {
		t := r.tracks[s]
		last := sig.Stages[t.at]
		last.Facts = append(last.Facts, r.newFacts(s.Graph, t)...) // types and shapes inferred after the last stage
	}
	at, edits := 0, map[*history.Stream]int{}
	for _, s := range x.Streams {
		edits[s] = at - s.Before
		at += max(len(s.Graph.Journal)-s.Before, 0)
	}
	k := 0
	for _, s := range x.Streams {
		before := s.Before
		for _, m := range s.Moments {
			for r.page.Strings[sig.Passes[k].Device] != s.Device { // partitions take turns
				k++
			}
			sig.Passes[k].Edits = [2]int{edits[s] + before, m.Edits - before}
			before = m.Edits
			k++
		}
		k = 0
	}
	for _, e := range x.Edits() {
		to := -1
		if e.New != "" {
			to = r.node(history.NodeOf(e.New))
		}
		sig.Edits = append(sig.Edits, []int{r.node(history.NodeOf(e.Node)), to, r.text(clip(e.Why)), e.N})
	}
	for _, s := range x.Ends() {
		r.ports(sig, s.Graph)
	}
	return sig
}

// ports adds the feeds, fetches and targets of graph g to sig.
func (r *recorder) ports(sig *signature, g *ir.Graph) {
	add := func(to *[]port, key string, o ir.Out) {
		if o.Node == nil || slices.ContainsFunc(*to, func(p port) bool { return p.Key == key }) {
			return
		}
		p := port{Key: key, Node: r.node(o.Node.Name), Out: o.Index}
		if o.Index < len(o.Node.Outs) && o.Fact().Valid() {
			p.Type = clip(o.Fact().String())
		}
		*to = append(*to, p)
	}
	for _, f := range g.Feeds {
		add(&sig.Feeds, f.Key, f.Out)
	}
	for _, f := range g.Fetches {
		add(&sig.Fetches, f.Key, f.Out)
	}
	for _, n := range g.Targets {
		sig.Targets = append(sig.Targets, r.node(n.Name))
	}
}

// The kinds of ops, each of which has a colour on the page.
const (
	kindPlain = iota
	kindHeavy // the op needs much computing time for each element
	kindState // the op has state or an effect
	kindView  // the op passes its input through
	kindConst
	kindFeed
	kindCall // the op calls functions, or belongs to the control flow of branches and loops
)

// kinds adds the kind of each op in the graphs to the page, unless it is kindPlain.
func (r *recorder) kinds() {
	seen := map[int]bool{}
	for _, n := range r.page.Nodes {
		op := n[1]
		if seen[op] {
			continue
		}
		seen[op] = true
		if k := kindOf(r.page.Strings[op]); k != kindPlain {
			r.page.Kinds = append(r.page.Kinds, op, k)
		}
	}
}

// kindOf returns the kind of the op with the given name, according to the op's definition.
func kindOf(op string) int {
	d := ops.Lookup(op)
	switch {
	case op == "Const":
		return kindConst
	case op == "Placeholder" || op == "PlaceholderV2" || op == "_Arg" || op == "_Retval":
		return kindFeed
	case ir.Joins(op):
		return kindCall
	case d == nil:
		return kindPlain
	case d.Level == lower.Called:
		return kindCall
	case d.Has(lower.Stateful) || d.Has(lower.Effect):
		return kindState
	case d.Has(lower.Expensive):
		return kindHeavy
	case d.Has(lower.Forward):
		return kindView
	}
	return kindPlain
}

// docs adds the descriptions of all passes to the page.
func (r *recorder) docs() {
	for _, p := range passes.Table() {
		r.page.Docs = append(r.page.Docs, r.text(p.Name), r.text(p.Doc))
	}
}

// sorted returns the names of all nodes in history x. They are in the order in which the page first
// mentions the nodes.
func (r *recorder) sorted(x *history.History) []string {
	names := base.SortedKeys(x.Lives)
	slices.SortStableFunc(names, func(a, b string) int { return r.node(a) - r.node(b) })
	return names
}
