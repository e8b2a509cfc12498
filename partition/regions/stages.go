package regions

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/graphc/graphc/ir"
)

// Staging divides the nodes of a graph into stages, so that all nodes of a stage need the same
// feeds. A node directly or indirectly needs its inputs, its control inputs, the conditions of the
// branches and loops around it, and the symbolic sizes in its outputs' facts. All nodes of a loop
// are in the same stage.
type Staging struct {
	Stages []Stage // stage 0 needs no feeds; if stage i needs only some of the feeds of stage j, then i < j
	of     map[*ir.Node]int
}

// Stage says which feeds and sizes the nodes of a stage need.
type Stage struct {
	Feeds []int // indexes of the graph's feeds
	// Sizes lists the names of sizes that the nodes also need. These sizes are dimensions of feeds,
	// but not of the feeds in field Feeds. At run time, the size can be taken from any feed that
	// has such a dimension.
	Sizes []string
}

// Of returns the stage of a node, as an index in Stages.
func (s *Staging) Of(n *ir.Node) int { return s.of[n] }

// needs is a set of feeds and sizes. It has one bit for each feed, followed by one bit for each
// symbolic size that is a dimension of a feed.
type needs []uint64

func (s needs) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s needs) add(i int)      { s[i/64] |= 1 << (i % 64) }

// join adds the elements of the set o to s, and reports whether s has changed.
func (s needs) join(o needs) bool {
	changed := false
	for i, w := range o {
		changed = changed || w&^s[i] != 0
		s[i] |= w
	}
	return changed
}

// stager is the state of Stages.
type stager struct {
	g     *ir.Graph
	sizes []string       // names of the sizes that feeds define
	index map[string]int // for the name of a size, the number of its bit in a set
	tells [][]int        // for each feed, the bits of the sizes that are its dimensions
	sets  map[*ir.Node]needs
}

// Stages finds the stages of a graph. Pass flow must have turned the graph's control flow into
// regions, and the facts must be up to date. The parameter order is the same as Options.Order.
func Stages(g *ir.Graph, order []*ir.Node) *Staging {
	s := &stager{g: g, index: map[string]int{}, tells: make([][]int, len(g.Feeds)), sets: map[*ir.Node]needs{}}
	for i, f := range g.Feeds {
		for _, e := range slices.Concat(f.Shape.Dims, f.Out.Fact().Shape.Dims) {
			name, ok := e.IsVar()
			if !ok {
				continue
			}
			k, seen := s.index[name]
			if !seen {
				k = len(g.Feeds) + len(s.sizes)
				s.index[name], s.sizes = k, append(s.sizes, name)
			}
			if !slices.Contains(s.tells[i], k) {
				s.tells[i] = append(s.tells[i], k)
			}
		}
	}
	s.cells()
	for i, f := range g.Feeds {
		s.sets[f.Out.Node].add(i)
	}
	for changed := true; changed; {
		changed = false
		for _, n := range order {
			changed = s.visit(n) || changed
		}
	}
	return s.number()
}

// words returns the length of a set in words of 64 bits.
func (s *stager) words() int { return (len(s.g.Feeds) + len(s.sizes) + 63) / 64 }

// cells gives each node an empty set of needs. The nodes of a loop use the same set; for nested
// loops, this is the set of the outermost loop.
func (s *stager) cells() {
	words := s.words()
	loops := map[*ir.Region]needs{}
	for _, n := range s.g.Nodes {
		var loop *ir.Region
		for r := n.Region; r != nil; r = r.Parent {
			if r.Loop {
				loop = r
			}
		}
		set := loops[loop]
		if set == nil || loop == nil {
			set = make(needs, words)
		}
		if loop != nil {
			loops[loop] = set
		}
		s.sets[n] = set
	}
}

// visit adds to the set of n the sets of all nodes that n depends on. It reports whether the set of
// n has changed.
func (s *stager) visit(n *ir.Node) bool {
	set := s.sets[n]
	changed := false
	for _, o := range n.Ins {
		changed = set.join(s.sets[o.Node]) || changed
	}
	for _, c := range n.Controls {
		changed = set.join(s.sets[c]) || changed
	}
	for r := n.Region; r != nil; r = r.Parent {
		if r.Cond.Node != nil {
			changed = set.join(s.sets[r.Cond.Node]) || changed
		}
	}
	for i := range n.Outs {
		for name := range sizes(&n.Outs[i]) {
			if k, ok := s.index[name]; ok {
				if !set.has(k) {
					set.add(k)
					changed = true
				}
			} else if t, ok := s.g.Symbols[name]; ok {
				changed = set.join(s.sets[t.Out.Node]) || changed
			}
		}
	}
	return changed
}

// number turns each distinct set of needs into a numbered stage.
func (s *stager) number() *Staging {
	type found struct {
		stage Stage
		all   int // number of feeds and sizes that the stage needs, including all dimensions of its feeds
		key   string
	}
	var list []found
	at := map[string]bool{}
	keys := map[*ir.Node]string{}
	describe := func(set needs) found {
		var f found
		full := slices.Clone(set)
		told := make(needs, len(set))
		for i := range s.g.Feeds {
			if set.has(i) {
				f.stage.Feeds = append(f.stage.Feeds, i)
				for _, k := range s.tells[i] {
					told.add(k)
					full.add(k)
				}
			}
		}
		for k, name := range s.sizes {
			if k += len(s.g.Feeds); set.has(k) && !told.has(k) {
				f.stage.Sizes = append(f.stage.Sizes, name)
			}
			if full.has(k) {
				f.all++
			}
		}
		f.all += len(f.stage.Feeds)
		f.key = fmt.Sprint(f.stage)
		return f
	}
	add := func(f found) {
		if !at[f.key] {
			at[f.key] = true
			list = append(list, f)
		}
	}
	add(describe(make(needs, s.words())))
	for _, n := range s.g.Nodes {
		f := describe(s.sets[n])
		keys[n] = f.key
		add(f)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return cmp.Or(cmp.Compare(a.all, b.all), slices.Compare(a.stage.Feeds, b.stage.Feeds), slices.Compare(a.stage.Sizes, b.stage.Sizes)) < 0
	})
	out := &Staging{of: map[*ir.Node]int{}}
	number := map[string]int{}
	for i, f := range list {
		out.Stages = append(out.Stages, f.stage)
		number[f.key] = i
	}
	for n, k := range keys {
		out.of[n] = number[k]
	}
	return out
}
