package ir

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Match pairs two graphs that compute the same function. Both have the same nodes and edges. The
// names of nodes and the order of feeds, fetches and targets may differ.
type Match struct {
	Nodes          map[*Node]*Node   // node of the second graph → node of the first
	Feeds, Fetches []int             // index in the second graph → index in the first
	Sizes          map[string]string // symbol in the second graph's feeds → symbol in the first's
}

// MatchOf pairs graph b with graph a. It returns nil if the graphs differ, or if their feeds cannot
// be paired by tensor name, key or position. The function same may reject pairs of nodes that look
// alike; if same is nil, no pair is rejected.
//
// Constants and other attributes are compared by their bits. Facts are not compared: they follow
// from the graph.
func MatchOf(a, b *Graph, same func(x, y *Node) bool) *Match {
	if len(a.Nodes) != len(b.Nodes) || len(a.Feeds) != len(b.Feeds) || len(a.Fetches) != len(b.Fetches) || len(a.Targets) != len(b.Targets) {
		return nil
	}
	for _, by := range []func(g *Graph, i int) string{
		func(g *Graph, i int) string { return g.Feeds[i].Name },
		func(g *Graph, i int) string { return g.Feeds[i].Key },
		nil,
	} {
		feeds := pairFeeds(a, b, by)
		if feeds == nil {
			continue
		}
		m := &matcher{a: a, b: b, same: same, to: map[*Node]*Node{}, from: map[*Node]*Node{}, regions: map[*Region]*Region{nil: nil}, around: map[*Region]*Region{nil: nil}}
		m.left = (len(b.Fetches) + 2) * (len(b.Nodes) + 10)
		if got := m.match(feeds); got != nil {
			return got
		}
	}
	return nil
}

// pairFeeds returns, for each feed of graph b, the number of its partner in graph a. Feed i of b and
// feed j of a are partners if by(b, i) and by(a, j) are the same text. If the parameter by is nil,
// feeds are paired by position. If a feed has no partner, pairFeeds returns nil.
func pairFeeds(a, b *Graph, by func(g *Graph, i int) string) []int {
	feeds := make([]int, len(b.Feeds))
	at := map[string]int{}
	for i := range a.Feeds {
		feeds[i] = i
		if by != nil {
			at[by(a, i)] = i
		}
	}
	if by == nil {
		return feeds
	}
	for i := range b.Feeds {
		j, ok := at[by(b, i)]
		if !ok {
			return nil
		}
		feeds[i] = j
		delete(at, by(b, i))
	}
	return feeds
}

// matcher pairs nodes. It begins with the nodes of feeds and fetches and follows the edges back to
// the nodes that they depend on. It records a pair before it compares the inputs, so that it
// terminates in loops of the graph.
type matcher struct {
	a, b    *Graph
	same    func(x, y *Node) bool
	to      map[*Node]*Node // node of graph b → node of graph a
	from    map[*Node]*Node // node of graph a → node of graph b
	regions map[*Region]*Region
	around  map[*Region]*Region // the inverse of the map regions
	nodes   []*Node             // nodes of graph b in the order of pairing
	paired  []*Region           // regions of graph b in the order of pairing
	left    int                 // how many more pairs may be tried
	// The map fetches holds the numbers of graph a's fetches. Each fetch is listed three times: under
	// {name, key}, {name, ""} and {"", key}.
	fetches map[[2]string][]int
}

// match pairs the graphs, starting with the given pairs of feeds. It returns nil if the graphs do
// not match.
func (m *matcher) match(feeds []int) *Match {
	got := &Match{Nodes: m.to, Feeds: feeds, Fetches: make([]int, len(m.b.Fetches)), Sizes: map[string]string{}}
	pairs := sizes{got.Sizes, map[string]string{}}
	for i, j := range feeds {
		if x, y := m.a.Feeds[j], m.b.Feeds[i]; x.Out.Index != y.Out.Index || !pairs.shapes(x.Shape, y.Shape) || !m.nodeOf(x.Out.Node, y.Out.Node) {
			return nil
		}
	}
	m.fetches = map[[2]string][]int{}
	for j, x := range m.a.Fetches {
		for _, by := range [][2]string{{x.Name, x.Key}, {x.Name}, {"", x.Key}} {
			m.fetches[by] = append(m.fetches[by], j)
		}
	}
	taken := make([]bool, len(m.a.Fetches))
	for i, y := range m.b.Fetches {
		j := m.fetch(y, i, taken)
		if j < 0 {
			return nil
		}
		got.Fetches[i], taken[j] = j, true
	}
	if !m.sets(m.a.Targets, m.b.Targets) {
		return nil
	}
	for i := 0; i < len(m.nodes); i++ { // the loop may append nodes
		if y := m.nodes[i]; !m.sets(m.to[y].Controls, y.Controls) {
			return nil
		}
	}
	if len(m.to) != len(m.b.Nodes) {
		return nil
	}
	return got
}

// fetch pairs y, which is fetch i of graph b, with a fetch of graph a, preferably one of the same
// name. It also pairs the nodes that the two fetches depend on. It returns the number of the fetch
// in graph a, or -1 if none fits.
func (m *matcher) fetch(y Fetch, i int, taken []bool) int {
	_, watched := Watched(y.Key)
	try := func(j int) bool {
		x := m.a.Fetches[j]
		_, w := Watched(x.Key)
		if taken[j] || w != watched || watched && (x.Key != y.Key || x.Name != y.Name) {
			return false
		}
		nodes, regions := len(m.nodes), len(m.paired)
		if m.tensor(x.Out, y.Out) {
			return true
		}
		m.back(nodes, regions)
		return false
	}
	for _, list := range [][]int{m.fetches[[2]string{y.Name, y.Key}], m.fetches[[2]string{y.Name}], m.fetches[[2]string{"", y.Key}], {i}} {
		if k := slices.IndexFunc(list, try); k >= 0 {
			return list[k]
		}
	}
	for j := range taken {
		if try(j) {
			return j
		}
	}
	return -1
}

// back undoes the latest pairs until only the given numbers of node pairs and of region pairs are
// left.
func (m *matcher) back(nodes, regions int) {
	for _, y := range m.nodes[nodes:] {
		delete(m.from, m.to[y])
		delete(m.to, y)
	}
	for _, r := range m.paired[regions:] {
		delete(m.around, m.regions[r])
		delete(m.regions, r)
	}
	m.nodes, m.paired = m.nodes[:nodes], m.paired[:regions]
}

func (m *matcher) tensor(x, y Out) bool { return x.Index == y.Index && m.nodeOf(x.Node, y.Node) }

// nodeOf pairs two nodes and all nodes they depend on by data edges.
func (m *matcher) nodeOf(x, y *Node) bool {
	type pair struct{ x, y *Node }
	todo := []pair{{x, y}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.x == nil || p.y == nil {
			if p.x != p.y {
				return false
			}
			continue
		}
		if m.to[p.y] == p.x {
			continue
		}
		if m.left--; m.left < 0 || m.to[p.y] != nil || m.from[p.x] != nil || !m.alike(p.x, p.y) {
			return false
		}
		m.to[p.y], m.from[p.x] = p.x, p.y
		m.nodes = append(m.nodes, p.y)
		for i, in := range p.y.Ins {
			if p.x.Ins[i].Index != in.Index {
				return false
			}
			todo = append(todo, pair{p.x.Ins[i].Node, in.Node})
		}
		for r, s := p.x.Region, p.y.Region; ; r, s = r.Parent, s.Parent {
			if known, ok := m.regions[s]; ok {
				if known != r {
					return false
				}
				break
			}
			if m.around[r] != nil || r == nil || r.Loop != s.Loop || r.Neg != s.Neg || r.Cond.Index != s.Cond.Index {
				return false
			}
			m.regions[s], m.around[r] = r, s
			m.paired = append(m.paired, s)
			todo = append(todo, pair{r.Cond.Node, s.Cond.Node})
		}
	}
	return true
}

// hint reports whether the attribute of this name does not affect results: colocation (_class), the
// shapes that TensorFlow recorded (_output_shapes), and attributes for XLA (_Xla…).
func hint(name string) bool {
	return name == "_class" || name == "_output_shapes" || strings.HasPrefix(name, "_Xla")
}

// alike reports whether two nodes compute the same function of their inputs.
func (m *matcher) alike(x, y *Node) bool {
	if x.Op != y.Op || x.Device != y.Device || len(x.Ins) != len(y.Ins) || len(x.Outs) != len(y.Outs) || len(x.Controls) != len(y.Controls) {
		return false
	}
	for i := range x.Outs {
		if x.Outs[i].DType != y.Outs[i].DType {
			return false
		}
	}
	for name, v := range y.Attrs {
		if w, ok := x.Attrs[name]; !hint(name) && (!ok || !sameAttr(w, v)) {
			return false
		}
	}
	for name := range x.Attrs {
		if _, ok := y.Attrs[name]; !ok && !hint(name) {
			return false
		}
	}
	return m.same == nil || m.same(x, y)
}

// sets pairs the nodes in xs with the nodes in ys. The order of the two lists does not matter. Pairs
// that already exist remain. Of the other nodes, those with equal names become pairs first, and then the
// rest in the order of the lists. The result is false if the lists cannot be paired.
func (m *matcher) sets(xs, ys []*Node) bool {
	xs, ys = distinct(xs), distinct(ys)
	if len(xs) != len(ys) {
		return false
	}
	var rest []*Node
	open := map[*Node]bool{}
	for _, x := range xs {
		open[x] = true
	}
	for _, y := range ys {
		if x := m.to[y]; x != nil {
			if !open[x] {
				return false
			}
			delete(open, x)
			continue
		}
		rest = append(rest, y)
	}
	named := map[string]*Node{}
	for x := range open {
		named[x.Name] = x
	}
	for i, y := range rest {
		x := named[y.Name]
		if x == nil {
			continue
		}
		if !m.nodeOf(x, y) {
			return false
		}
		delete(open, x)
		rest[i] = nil
	}
	rest = slices.DeleteFunc(rest, func(y *Node) bool { return y == nil })
	for _, x := range xs {
		if !open[x] {
			continue
		}
		if !m.nodeOf(x, rest[0]) {
			return false
		}
		rest = rest[1:]
	}
	return true
}

func distinct(ns []*Node) []*Node {
	seen := map[*Node]bool{}
	return slices.DeleteFunc(slices.Clone(ns), func(n *Node) bool {
		was := seen[n]
		seen[n] = true
		return was
	})
}

// sizes pairs the symbols of two graphs.
type sizes struct{ to, from map[string]string }

// shapes reports whether the shapes of two feeds agree. If a dimension is a single symbol in both
// shapes, the two symbols become a pair. The other dimensions must be equal after each symbol is
// replaced by its partner.
func (p sizes) shapes(x, y Shape) bool {
	if x.Known != y.Known || len(x.Dims) != len(y.Dims) {
		return false
	}
	for i, d := range y.Dims {
		s, ok := d.IsVar()
		r, also := x.Dims[i].IsVar()
		if ok != also {
			return false
		}
		if !ok {
			continue
		}
		if have, paired := p.to[s]; paired && have != r {
			return false
		}
		if have, paired := p.from[r]; paired && have != s {
			return false
		}
		p.to[s], p.from[r] = r, s
	}
	for i, d := range y.Dims {
		if _, alone := d.IsVar(); alone {
			continue
		}
		names, own := map[string]bool{}, map[string]*sym.Expr{}
		d.Vars(names)
		for s := range names {
			r, ok := p.to[s]
			if !ok {
				return false
			}
			own[s] = sym.Var(r)
		}
		if !d.Subst(own).Equal(x.Dims[i]) {
			return false
		}
	}
	return true
}

// sameAttr compares the values of an attribute by their bits.
func sameAttr(x, y Attr) bool {
	if s, ok := x.(*tensor.Tensor); ok {
		t, ok := y.(*tensor.Tensor)
		return ok && sameTensor(s, t)
	}
	if reflect.TypeOf(x) != reflect.TypeOf(y) {
		return false
	}
	var s, t bytes.Buffer
	HashAttr(&s, x)
	HashAttr(&t, y)
	return bytes.Equal(s.Bytes(), t.Bytes())
}

// sameTensor compares two constants by their bits.
func sameTensor(x, y *tensor.Tensor) bool {
	if x == y {
		return true
	}
	if x == nil || y == nil || x.DType != y.DType || !slices.Equal(x.Shape, y.Shape) {
		return false
	}
	if s, ok := x.Data.([]string); ok {
		t, ok := y.Data.([]string)
		return ok && slices.Equal(s, t)
	}
	return x.Len() == 0 || bytes.Equal(tensor.Raw(reflect.ValueOf(x.Data)), tensor.Raw(reflect.ValueOf(y.Data)))
}
