package history

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/graphc/graphc/internal/pipeline"
	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/internal/tool/cost"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/plan/names"
)

// Fate describes what the passes did with a node, and which steps of the plan compute it.
type Fate struct {
	Node   string `json:"node"`
	Short  string `json:"short,omitempty"` // name in emitted code and in errors at run time, if it differs from Node
	Op     string `json:"op"`
	Origin string `json:"origin,omitempty"`
	// Status says what happened to the node. It is one of the words kept, changed, hoisted, folded,
	// frozen, merged, fused, removed, replaced, inlined, pruned and dropped.
	Status string `json:"status"`
	Pass   string `json:"pass,omitempty"` // the pass that gave the node its status
	// Into is the node that this node has become after the last pass, which may be Node itself. It
	// is "" if the node was removed.
	Into   string `json:"into,omitempty"`
	IntoOp string `json:"into_op,omitempty"`
	Value  string `json:"value,omitempty"` // value of the node Into, if Into is a constant
	Why    string `json:"why,omitempty"`

	Device    string `json:"device,omitempty"`
	DeviceWhy string `json:"device_reason,omitempty"`

	IO      []string `json:"io,omitempty"`    // texts that say under which keys the node is fed and fetched
	Edits   []string `json:"edits,omitempty"` // edits of the node and of the nodes that replaced it, in order
	Refused []string `json:"not_done,omitempty"`
	Steps   []Step   `json:"steps,omitempty"` // steps that compute the node Into
}

// Step is a step of the plan.
type Step struct {
	Part       string  `json:"partition,omitempty"`
	Step       int     `json:"step"`
	Kernel     string  `json:"kernel"`
	Shape      string  `json:"shape,omitempty"`
	FLOPs      float64 `json:"flops,omitempty"`
	ConstBytes float64 `json:"const_bytes,omitempty"`
	Bytes      float64 `json:"bytes,omitempty"`
	Known      bool    `json:"sizes_known"`
}

// Fates computes the Fate of each node of one signature.
type Fates struct {
	x       *History
	order   []ir.Edit
	edits   map[string][]int  // for each node: its edits, as ascending indices in Fates.order
	hosts   map[string]string // for each node that was fused into another node: this other node
	refused map[string][]ir.Edit
	steps   map[string][]Step
	placed  func(node string) (device, reason string)
	fused   map[string]bool    // passes that replace several nodes by one
	makers  map[string]ir.Edit // for each node that replaced several nodes: the edit that made it
	done    map[string]*Fate
	Names   *names.Names // short names of nodes; nil without a plan
}

// maxElems is the maximum number of elements of a constant in Fate.Value.
const maxElems = 16

// fusers lists the passes that replace several nodes by one.
var fusers = []string{"sumto", "batchnorm", "dense", "dilated", "pad", "layernorm", "activation", "contract", "softmax", "subpixel", "fusebias"}

// NewFates returns the Fates for the nodes in the history x. The parameter s is the compiled
// signature, or nil if the signature has not been compiled.
func NewFates(x *History, s *pipeline.Signature) *Fates {
	f := &Fates{x: x, edits: map[string][]int{}, hosts: map[string]string{}, refused: map[string][]ir.Edit{},
		steps: map[string][]Step{}, fused: map[string]bool{}, done: map[string]*Fate{}}
	for _, p := range fusers {
		f.fused[p] = true
	}
	for _, name := range base.SortedKeys(x.Lives) {
		for _, part := range x.Lives[name].Origin.Names {
			if had := f.hosts[part]; part != name && (had == "" || f.alive(had) == nil && f.alive(name) != nil) {
				f.hosts[part] = name
			}
		}
	}
	f.order = x.Edits()
	for i, e := range f.order {
		n := NodeOf(e.Node)
		f.edits[n] = append(f.edits[n], i)
	}
	for _, part := range x.Ends() {
		for _, e := range part.Graph.Refusals {
			f.refused[e.Node] = append(f.refused[e.Node], e)
		}
	}
	f.placed = func(string) (string, string) { return "", "" }
	if s == nil {
		return f
	}
	if s.Placement != nil {
		f.placed = func(node string) (string, string) {
			if d := s.Placement.Of(node); d != nil {
				return d.Device, d.Reason
			}
			return "", ""
		}
	}
	if s.Plan != nil {
		f.Names = s.Plan.Names
		f.plan(s)
	}
	return f
}

// plan stores in f.steps which steps of the signature's plan compute each node.
func (f *Fates) plan(s *pipeline.Signature) {
	parts := s.Plan.Parts
	if len(parts) == 0 {
		parts = append(parts, s.Plan)
	}
	for _, p := range parts {
		g := s.Graph
		for _, st := range f.x.Ends() {
			if st.Device != "" && st.Device == p.Device {
				g = st.Graph
			}
		}
		for _, c := range cost.OfPlan(g, p, nil) {
			f.steps[c.Node] = append(f.steps[c.Node], Step{Part: p.Device, Step: c.Step, Kernel: c.Kernel, Shape: c.Shape,
				FLOPs: c.FLOPs, ConstBytes: c.ConstBytes, Bytes: c.Bytes, Known: c.Known})
		}
	}
}

// NodeOf returns the name of the node to which a tensor belongs: "a" for "a:0" and for "^a".
func NodeOf(tensor string) string {
	node := strings.TrimPrefix(tensor, "^")
	if i := strings.LastIndexByte(node, ':'); i >= 0 && strings.Trim(node[i+1:], "0123456789") == "" {
		node = node[:i]
	}
	return node
}

// alive returns the node with that name in the graphs after the last pass, or nil.
func (f *Fates) alive(name string) *ir.Node {
	for _, s := range f.x.Ends() {
		if n := s.Graph.Node(name); n != nil {
			return n
		}
	}
	return nil
}

// renamed returns the final name of the node with the given name. The journal may contain names
// that passes have changed later.
func (f *Fates) renamed(name string) string {
	for _, s := range f.x.Ends() {
		for range len(s.Graph.Renamed) {
			to, ok := s.Graph.Renamed[name]
			if !ok {
				break
			}
			name = to
		}
	}
	return name
}

// Of returns the Fate of the node with the given name, or nil if no graph ever had a node with this
// name.
func (f *Fates) Of(name string) *Fate {
	if t, ok := f.done[name]; ok {
		return t
	}
	l := f.x.Lives[name]
	if l == nil { // a pass may have changed this name before the node was recorded
		to := f.renamed(name)
		if f.x.Lives[to] == nil || to == name {
			return nil
		}
		return f.Of(to)
	}
	t := &Fate{Node: name, Op: l.Op, Status: "kept"}
	f.done[name] = t // store t now, so that the recursion ends if nodes refer to each other
	if short := f.Names.Short(name); short != name {
		t.Short = short
	}
	switch {
	case l.Made == "inline" && l.Origin.File != "":
		t.Origin = fmt.Sprintf("function %s, node %d, inlined", l.Origin.File, l.Origin.Index)
	case l.Made != "":
		t.Origin = "pass " + l.Made
	case l.Origin.File != "":
		t.Origin = fmt.Sprintf("%s, node %d", l.Origin.File, l.Origin.Index)
	}
	t.Device, t.DeviceWhy = f.placed(name)
	f.follow(t, name)
	f.end(t, l)
	for _, g := range f.x.Ends() {
		t.IO = append(t.IO, uses(g.Graph, t.Into, name)...)
	}
	for _, n := range []string{name, t.Into} {
		for _, e := range f.refused[n] {
			if s := e.Pass + ": " + e.Why; n != "" && !slices.Contains(t.Refused, s) {
				t.Refused = append(t.Refused, s)
			}
		}
	}
	if n := f.alive(t.Into); n != nil {
		t.IntoOp, t.Steps = n.Op, f.steps[t.Into]
		if v := n.Value(); v != nil {
			t.Value = ir.TensorText(v, ir.PrintOptions{MaxElems: maxElems, Brief: true})
		}
	}
	return t
}

// statusOf returns the Status that edit e gives to its node.
func (f *Fates) statusOf(e ir.Edit) string {
	switch {
	case e.Pass == "fold" || e.Pass == "sizes":
		return "folded"
	case e.Pass == "freeze":
		return "frozen"
	case e.Pass == "cse":
		return "merged"
	case e.Pass == "inline":
		return "inlined"
	case e.Pass == "hoist":
		return "hoisted"
	case e.New == "":
		return "removed"
	case NodeOf(e.New) == NodeOf(e.Node):
		return "changed"
	case f.fused[e.Pass]:
		return "fused"
	case e.Pass == "identity" || e.Pass == "carry":
		return "removed"
	}
	return "replaced"
}

// follow adds the edits of the node with the given name, and of the nodes that replaced it, to t.
// It also sets t.Into, the status and the reason.
func (f *Fates) follow(t *Fate, name string) {
	at := map[string]bool{name: true} // the node and its replacements
	t.Into = name
	first := true
	for i := f.next(at, -1); i < len(f.order); i = f.next(at, i) {
		e := f.order[i]
		n := NodeOf(e.Node)
		t.Edits = append(t.Edits, e.String())
		own := n == name
		if inPlace := NodeOf(e.New) == n; own && first && (!inPlace || t.Status == "kept") {
			t.Status, t.Pass, t.Why = f.statusOf(e), e.Pass, e.Why
			first = inPlace
		}
		switch {
		case e.Pass == "inline":
			t.Into = strings.TrimSuffix(e.New, "…") + "…"
			delete(at, n)
		case e.New != "" && e.New != e.Node:
			to := NodeOf(e.New)
			at[to] = true
			if n == NodeOf(t.Into) {
				t.Into = to
			}
		}
	}
	t.Into = f.renamed(t.Into)
}

// next returns the index in f.order of the first edit of a given node after index i. The given
// nodes are those in the first argument. If no such edit exists, next returns the number of edits.
func (f *Fates) next(of map[string]bool, i int) int {
	first := len(f.order)
	for n := range of {
		places := f.edits[n]
		if k := sort.SearchInts(places, i+1); k < len(places) {
			first = min(first, places[k])
		}
	}
	return first
}

// end completes t if the node or its replacement does not exist after the last pass. It may have
// been removed without an edit, because no other node needed it any more.
func (f *Fates) end(t *Fate, l *Life) {
	if t.Status == "inlined" || f.alive(t.Into) != nil {
		return
	}
	if t.Into != t.Node { // the replacement was removed
		if host := f.Of(t.Into); host != nil && host != t {
			t.Into = host.Into
			if host.Status != "kept" && host.Status != "changed" {
				t.Edits = append(t.Edits, fmt.Sprintf("then %s: %s", host.Node, host.Summary()))
			}
		} else {
			t.Into = ""
		}
		return
	}
	t.Into = ""
	if host := f.hosts[t.Node]; host != "" {
		t.Status = "fused"
		if h := f.Of(host); h != nil {
			t.Into = h.Into
		}
		t.Pass, t.Why = f.maker(host)
		return
	}
	// If the pass prune removed the node, that is the reason. Another pass may have removed the
	// node only because the nodes that read it had changed. In this case, the fate of these nodes
	// is the reason.
	switch _, base, _ := PassName(l.Gone); base {
	case "prune":
		t.Status, t.Pass, t.Why = "pruned", "prune", "no fetch and no target needs it"
		return
	case "partition":
		t.Status, t.Why = "dropped", "no partition needs it"
	default:
		t.Status, t.Why = "dropped", "nothing needs it any more"
	}
	for _, r := range l.Readers {
		if h := f.Of(r); h != nil && h.Status != "kept" {
			t.Why += ": " + r + ", which read it, is " + h.Summary()
			if h.Status == "fused" {
				t.Status, t.Into = "fused", h.Into
			}
			return
		}
	}
}

// maker returns the pass that replaced several nodes by the node host, and the reason for this
// edit.
func (f *Fates) maker(host string) (pass, why string) {
	if f.makers == nil {
		f.makers = map[string]ir.Edit{}
		for _, e := range f.order {
			if e.New == "" || e.New == e.Node || !f.fused[e.Pass] && e.Pass != "cse" {
				continue
			}
			to := f.renamed(NodeOf(e.New))
			if had := f.makers[to]; e.Pass != "cse" || had.Pass == "" {
				f.makers[to] = e
			}
		}
	}
	e := f.makers[host]
	return e.Pass, e.Why
}

// Summary describes the fate in a few words.
func (t *Fate) Summary() string {
	s, into := t.Status, t.Into
	if into == t.Node {
		into = ""
	}
	switch {
	case into == "":
	case t.Status == "merged":
		s, into = s+" with "+into, ""
	case t.Status == "removed" || t.Status == "inlined" || t.Status == "replaced":
	default:
		s, into = s+" into "+into, ""
	}
	if t.Pass != "" {
		s += " by " + t.Pass
	}
	if into != "" {
		s += " (" + into + " stands for it)"
	}
	return s
}

// uses returns texts such as "fed as x" for the feeds, fetches and targets of g whose nodes have
// one of these names.
func uses(g *ir.Graph, names ...string) []string {
	var list []string
	add := func(s string) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, f := range g.Feeds {
		if f.Out.Node != nil && slices.Contains(names, f.Out.Node.Name) {
			add("fed as " + f.Key)
		}
	}
	for _, f := range g.Fetches {
		if f.Out.Node != nil && slices.Contains(names, f.Out.Node.Name) {
			add("fetched as " + f.Key)
		}
	}
	for _, n := range g.Targets {
		if slices.Contains(names, n.Name) {
			add("a target")
		}
	}
	return list
}

// String returns a line about the step and its cost, such as "3: gemm.F32 makes f32[2,2]: 32 FLOP".
func (s Step) String() string {
	text := fmt.Sprintf("%d: %s", s.Step, s.Kernel)
	if s.Part != "" {
		text += " on " + s.Part
	}
	if s.Shape != "" {
		text += " makes " + s.Shape
	}
	var cost []string
	if s.FLOPs > 0 {
		cost = append(cost, quantity(s.FLOPs)+"FLOP")
	}
	if s.ConstBytes > 0 {
		cost = append(cost, quantity(s.ConstBytes)+"B of constants")
	}
	if s.Bytes > 0 {
		cost = append(cost, quantity(s.Bytes)+"B read and written")
	}
	if len(cost) > 0 {
		text += ": " + strings.Join(cost, ", ")
	}
	if !s.Known {
		text += "; sizes are known at run time"
	}
	return text
}

// quantity returns v with three digits and a prefix k, M or G, so that a unit can be appended:
// 32000 gives "32 k".
func quantity(v float64) string {
	for _, p := range []struct {
		by   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.by {
			return fmt.Sprintf("%.3g %s", v/p.by, p.name)
		}
	}
	return fmt.Sprintf("%.3g ", v)
}
