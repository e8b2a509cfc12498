package history

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes"
)

// History records the states of one signature's graph after each pass, and the nodes that appeared
// and disappeared.
type History struct {
	Signature string
	// Streams has the stream of the whole graph, followed by those of the partitions if the graph
	// was divided.
	Streams []*Stream
	Lives   map[string]*Life
	Names   []string // names of the nodes of the graph that was read, in the graph's order
	at      int      // number of the last recorded moment, counted from 1 over all streams
}

// Stream records the states of one graph after each pass. The graph is the whole graph or a
// partition.
type Stream struct {
	Device  string // device of the partition; "" for the whole graph
	Moments []Moment
	Graph   *ir.Graph // after the last pass
	Before  int       // number of edits at the beginning of a partition's journal that come from the whole graph
	again   bool      // whether the passes are running again, for other ranks of feeds; they are then not recorded
	noted   int       // number of edits in the journal when Life.Readers was recorded last
	nodes   int
}

// Moment describes the state of a graph after one pass.
type Moment struct {
	Pass  string // name of the pass and number of its round, such as fold.2; "read" for the state before the first pass
	Nodes int
	Edits int // number of edits in the graph's journal so far
}

// Life describes a node, from the first moment at which a graph contains it to the last.
type Life struct {
	Op      string // op of the node at the first moment
	Made    string // pass that made the node; "" if the model's file has the node
	Origin  ir.Origin
	last    int      // number of the last moment at which a graph had the node
	stream  *Stream  // stream whose graph had the node at the moment called last
	Gone    string   // the pass that removed the node; "" while the node exists
	Readers []string // names of the nodes that read this node, recorded when it had readers for the last time
}

// Recorder records the states of the graphs of all signatures while a model is compiled.
type Recorder struct {
	All []*History // one for each signature, in the order in which compiling the signatures began
	// Each is called after each recorded moment, unless it is nil. The next pass edits the stream's
	// graph in place. Therefore Each must copy those parts of the graph that it needs later.
	Each func(x *History, s *Stream)

	byName map[string]*History
}

// PassName divides a name such as "fold.2@/device:CPU:1" into three parts: the pass with the number
// of the round ("fold.2"), the pass alone ("fold"), and the device.
func PassName(dumped string) (pass, base, device string) {
	pass, device, _ = strings.Cut(dumped, "@")
	base, _, _ = strings.Cut(pass, ".")
	return pass, base, device
}

// Dump records the state of a graph after a pass. It has the type of the option
// pipeline.Options.Dump.
func (h *Recorder) Dump(name, signature string, g *ir.Graph) {
	if h.byName == nil {
		h.byName = map[string]*History{}
	}
	x := h.byName[signature]
	if x == nil {
		x = &History{Signature: signature, Lives: map[string]*Life{}}
		h.byName[signature] = x
		h.All = append(h.All, x)
	}
	pass, _, device := PassName(base.Or(name, "read"))
	if s := x.note(pass, device, g); s != nil && h.Each != nil {
		h.Each(x, s)
	}
}

// note adds a moment to the stream of a graph and returns this stream. It returns nil if the moment
// is not recorded.
func (x *History) note(pass, device string, g *ir.Graph) *Stream {
	i := slices.IndexFunc(x.Streams, func(s *Stream) bool { return s.Device == device })
	if i < 0 {
		s := &Stream{Device: device}
		if device != "" && len(x.Streams) > 0 {
			s.Before = len(x.Streams[0].Graph.Journal)
		}
		i, x.Streams = len(x.Streams), append(x.Streams, s)
	}
	s := x.Streams[i]
	if pass == passes.Table()[0].Name && slices.ContainsFunc(s.Moments, func(m Moment) bool { return m.Pass == pass }) {
		s.again = true
	}
	if s.again {
		return nil
	}
	s.Graph = g
	x.at++
	m := Moment{Pass: pass, Nodes: len(g.Nodes), Edits: len(g.Journal)}
	for _, n := range g.Nodes {
		l := x.Lives[n.Name]
		if l == nil {
			l = &Life{Op: n.Op, Made: pass}
			if pass == "read" {
				l.Made = ""
			}
			x.Lives[n.Name] = l
		}
		l.Origin, l.last, l.stream, l.Gone = n.Origin, x.at, s, ""
		if pass == "read" {
			x.Names = append(x.Names, n.Name)
		}
	}
	for _, l := range x.Lives {
		if l.stream == s && l.Gone == "" && l.last < x.at {
			l.Gone = pass
		}
	}
	if s.noted != len(g.Journal) || s.nodes != len(g.Nodes) {
		s.noted, s.nodes = len(g.Journal), len(g.Nodes)
		x.edges(g)
	}
	s.Moments = append(s.Moments, m)
	return s
}

// edges updates the Life of each node of g that has readers: it stores the names of the readers. A
// reader of a node has the node as an input or control input.
func (x *History) edges(g *ir.Graph) {
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
		if l := x.Lives[n.Name]; l != nil {
			l.Readers = rs
		}
	}
}

// finish must be called after the last pass. If the graph was divided into partitions, a node that
// is in no partition gets "partition" as the pass that removed it.
func (x *History) finish() {
	if len(x.Streams) < 2 {
		return
	}
	for _, l := range x.Lives {
		if l.Gone == "" && l.stream == x.Streams[0] {
			l.Gone = "partition"
		}
	}
}

// Ends returns the streams of the graphs that exist after the last pass. These are the streams of
// the partitions or, if the graph was not divided, the stream of the whole graph.
func (x *History) Ends() []*Stream {
	if len(x.Streams) > 1 {
		return x.Streams[1:]
	}
	return x.Streams
}

// Parts returns the streams of the partitions of a signature's graph. It returns nil if the graph
// was not divided.
func (h *Recorder) Parts(signature string) []*Stream {
	x := h.byName[signature]
	if x == nil || len(x.Streams) < 2 {
		return nil
	}
	return x.Ends()
}

// Edits returns the edits of the whole graph, then those of the partitions.
func (x *History) Edits() []ir.Edit {
	var all []ir.Edit
	for _, s := range x.Streams {
		all = append(all, s.Graph.Journal[min(s.Before, len(s.Graph.Journal)):]...)
	}
	return all
}

// Compile compiles a model and records the states of its graphs. The function each is called after
// each recorded moment; see Recorder.Each. If the model has unsupported ops, the passes still run,
// but no plan is made.
func Compile(paths []string, o pipeline.Options, each func(x *History, s *Stream)) (*Recorder, *pipeline.Program, error) {
	h := &Recorder{Each: each}
	o.Dump = h.Dump
	p, err := pipeline.Compile(paths, o)
	var lacking *lower.UnsupportedError
	if errors.As(err, &lacking) {
		h = &Recorder{Each: each}
		o.Dump, o.KeepGraph = h.Dump, true
		p, err = pipeline.Compile(paths, o)
	}
	for _, x := range h.All {
		x.finish()
	}
	if err == nil {
		h.order(p, o.Signatures)
	}
	return h, p, err
}

// order sorts the histories. Those of the requested signatures come first, in the order of the
// second argument. The other signatures of the program follow, and the model's initialisation comes
// last.
func (h *Recorder) order(p *pipeline.Program, asked []string) {
	names := slices.Clone(asked)
	for _, s := range p.Signatures {
		names = append(names, s.Name)
	}
	at := func(x *History) int {
		if i := slices.Index(names, x.Signature); i >= 0 {
			return i
		}
		return len(names)
	}
	slices.SortStableFunc(h.All, func(a, b *History) int { return cmp.Compare(at(a), at(b)) })
}

// SignatureOf returns the compiled signature with the given name, or nil. It may be the signature
// that initializes an instance.
func SignatureOf(p *pipeline.Program, name string) *pipeline.Signature {
	if p == nil {
		return nil
	}
	if s := p.Signature(name); s != nil {
		return s
	}
	if p.Init != nil && p.Init.Name == name {
		return p.Init
	}
	return nil
}
