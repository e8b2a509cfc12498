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

// History is what became of one signature's graph, pass by pass.
type History struct {
	Signature string
	// Streams has the whole graph first, then its partitions if it has several.
	Streams []*Stream
	Lives   map[string]*Life
	Names   []string // names of the nodes of the graph that was read, in the graph's order
	at      int      // the number of the moment that was recorded last
}

// Stream describes one graph, the whole graph or a partition, after each pass.
type Stream struct {
	Device  string // "" for the whole graph
	Moments []Moment
	Graph   *ir.Graph // after the last pass
	Before  int       // number of edits at the beginning of a partition's journal that come from the whole graph
	again   bool      // the passes are running again, for other ranks of feeds; this is not recorded
	noted   int       // number of edits in the journal when Life.Readers was recorded last
	nodes   int
}

// Moment is a graph after a pass.
type Moment struct {
	Pass  string // the pass with its round, such as fold.2; "read" before the first pass
	Nodes int
	Edits int // number of edits in the graph's journal so far
}

// Life describes a node from the first to the last moment at which a graph has it.
type Life struct {
	Op      string // its op at the first moment
	Made    string // the pass that made it; "" if it was read
	Origin  ir.Origin
	last    int      // number of the last moment at which a graph had the node
	stream  *Stream  // the stream whose graph had the node at that moment
	Gone    string   // the pass that removed the node; "" while the node exists
	Readers []string // its readers, as recorded when it last had any
}

// Recorder records what becomes of the signatures' graphs while they are compiled.
type Recorder struct {
	All []*History // in the order in which their compilation began
	// Each, if it is not nil, is called after a moment has been recorded. It must copy what it keeps of
	// the stream's graph, because the next pass edits this graph in place.
	Each func(x *History, s *Stream)

	byName map[string]*History
}

// PassName divides a name such as "fold.2@/device:CPU:1" into the pass with its round, the pass
// without it, and the device.
func PassName(dumped string) (pass, base, device string) {
	pass, device, _ = strings.Cut(dumped, "@")
	base, _, _ = strings.Cut(pass, ".")
	return pass, base, device
}

// Dump records a graph after a pass. It is for pipeline.Options.Dump.
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

// note adds a moment and returns its stream, or nil if the moment is not recorded.
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

// edges records the readers of each node.
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

// finish is called after the last pass. If the graph was partitioned, it marks the nodes that are in no
// partition as removed by partitioning.
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

// Ends returns the streams of the graphs after the last pass: the whole graph, or the partitions.
func (x *History) Ends() []*Stream {
	if len(x.Streams) > 1 {
		return x.Streams[1:]
	}
	return x.Streams
}

// Parts returns the streams of the partitions of a signature's graph, or nil if the graph was not
// partitioned.
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

// Compile compiles a model and records what becomes of its graphs. The argument each becomes
// Recorder.Each. If the model has unsupported ops, the passes still run, but no plan is made.
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

// order sorts the histories. The requested signatures come first, in their order, then the
// program's other signatures. The model's initialisation, which is compiled first, comes last.
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

// SignatureOf returns the compiled signature of that name, or nil. The signature may be the model's
// initialisation.
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
