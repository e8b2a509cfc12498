package dump

import (
	"errors"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes"
)

// history is what became of one signature's graph, pass by pass.
type history struct {
	signature string
	// streams are the whole graph, then its partitions where it has several.
	streams []*stream
	lives   map[string]*life
	names   []string // of the graph as it was read, in its order
	at      int      // the number of the moment that was noted last
}

// stream is one graph's way through the passes.
type stream struct {
	device  string // "" for the whole graph
	moments []moment
	graph   *ir.Graph // after the last pass
	before  int       // edits of its journal that are the whole graph's
	again   bool      // the passes ran again, for other ranks: that is not noted
	noted   int       // edits of the journal at the last look at its edges
	nodes   int
}

// moment is a graph after a pass.
type moment struct {
	pass  string // with the round: fold.2; "read" before the first
	nodes int
	edits int        // of the graph's journal so far
	lines []nodeLine // nil unless they are wanted
}

// nodeLine is a node as a moment had it: the beginning of its text, and the hash of
// all of it but what is known of its results.
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
	return nodeLine{n.Name, strings.Clone(clip(ir.NodeText(n, o))), h.Sum64()}
}

// life is a node from the first moment that had it to the last.
type life struct {
	op      string // when it was seen for the first time
	made    string // the pass that made it, "" where it was read
	origin  ir.Origin
	last    int      // the last moment that had it
	stream  *stream  // which had it then
	gone    string   // the pass after that moment, "" while it is there
	readers []string // when it had any for the last time
}

// historian notes what becomes of the signatures' graphs as they are compiled.
type historian struct {
	lines  bool // note nodes' texts, too
	all    []*history
	byName map[string]*history
}

// passName takes "fold.2@/device:CPU:1" apart.
func passName(dumped string) (pass, base, device string) {
	pass, device, _ = strings.Cut(dumped, "@")
	base, _, _ = strings.Cut(pass, ".")
	return pass, base, device
}

// dump is the pipeline's Dump.
func (h *historian) dump(name, signature string, g *ir.Graph) {
	if h.byName == nil {
		h.byName = map[string]*history{}
	}
	x := h.byName[signature]
	if x == nil {
		x = &history{signature: signature, lives: map[string]*life{}}
		h.byName[signature] = x
		h.all = append(h.all, x)
	}
	pass, _, device := passName(base.Or(name, "read"))
	x.note(pass, device, g, h.lines)
}

func (x *history) note(pass, device string, g *ir.Graph, lines bool) {
	i := slices.IndexFunc(x.streams, func(s *stream) bool { return s.device == device })
	if i < 0 {
		s := &stream{device: device}
		if device != "" && len(x.streams) > 0 {
			s.before = len(x.streams[0].graph.Journal)
		}
		i, x.streams = len(x.streams), append(x.streams, s)
	}
	s := x.streams[i]
	if pass == passes.Table()[0].Name && slices.ContainsFunc(s.moments, func(m moment) bool { return m.pass == pass }) {
		s.again = true
	}
	if s.again {
		return
	}
	s.graph = g
	x.at++
	m := moment{pass: pass, nodes: len(g.Nodes), edits: len(g.Journal)}
	for _, n := range g.Nodes {
		l := x.lives[n.Name]
		if l == nil {
			l = &life{op: n.Op, made: pass}
			if pass == "read" {
				l.made = ""
			}
			x.lives[n.Name] = l
		}
		l.origin, l.last, l.stream, l.gone = n.Origin, x.at, s, ""
		if pass == "read" {
			x.names = append(x.names, n.Name)
		}
		if lines {
			m.lines = append(m.lines, lineOf(n))
		}
	}
	for _, l := range x.lives {
		if l.stream == s && l.gone == "" && l.last < x.at {
			l.gone = pass
		}
	}
	if s.noted != len(g.Journal) || s.nodes != len(g.Nodes) {
		s.noted, s.nodes = len(g.Journal), len(g.Nodes)
		x.edges(g)
	}
	s.moments = append(s.moments, m)
}

// edges notes who reads what.
func (x *history) edges(g *ir.Graph) {
	readers := make(map[*ir.Node][]string, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			if rs := readers[o.Node]; len(rs) == 0 || rs[len(rs)-1] != n.Name {
				readers[o.Node] = append(rs, n.Name)
			}
		}
		for _, c := range n.Controls {
			readers[c] = append(readers[c], n.Name)
		}
	}
	for n, rs := range readers {
		if l := x.lives[n.Name]; l != nil {
			l.readers = rs
		}
	}
}

// finish tells what partitions lack of the whole graph.
func (x *history) finish() {
	if len(x.streams) < 2 {
		return
	}
	for _, l := range x.lives {
		if l.gone == "" && l.stream == x.streams[0] {
			l.gone = "partition"
		}
	}
}

// parts are the graphs at the end: the whole graph, or the partitions.
func (x *history) parts() []*stream {
	if len(x.streams) > 1 {
		return x.streams[1:]
	}
	return x.streams
}

// parts are the partitions of a signature's graph, nil where there are none.
func (h *historian) parts(signature string) []*stream {
	x := h.byName[signature]
	if x == nil || len(x.streams) < 2 {
		return nil
	}
	return x.parts()
}

// edits are those of the whole graph, then of the partitions.
func (x *history) edits() []ir.Edit {
	var all []ir.Edit
	for _, s := range x.streams {
		all = append(all, s.graph.Journal[min(s.before, len(s.graph.Journal)):]...)
	}
	return all
}

// compileHistory compiles a model and notes what became of its graphs. A model with
// ops that do not compile goes through the passes all the same.
func compileHistory(paths []string, o pipeline.Options, lines bool) (*historian, *pipeline.Program, error) {
	h := &historian{lines: lines}
	o.Dump = h.dump
	p, err := pipeline.Compile(paths, o)
	var lacking *lower.UnsupportedError
	if errors.As(err, &lacking) {
		h = &historian{lines: lines}
		o.Dump, o.KeepGraph = h.dump, true
		p, err = pipeline.Compile(paths, o)
	}
	for _, x := range h.all {
		x.finish()
	}
	return h, p, err
}
