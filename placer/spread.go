package placer

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/graphc/graphc/ir"
)

// Spread sets Device of every node to a device drawn at random. It draws one device for each group
// of nodes that must be together, among the devices for which the group's ops have kernels. It
// ignores requests, but observes references, resources, loc:@ and earlier assignments. The draw
// depends only on the seed and on the smallest name in the group, so it is the same for the same
// graph. Errors are those of Place.
func Spread(g *ir.Graph, set *Set, seed uint64, o Options) (*Placement, error) {
	o.Unpruned = true // a feed is on the device of its group
	p, err := newPlacer(set, o)
	if err != nil {
		return nil, err
	}
	p.anywhere = true
	s, err := p.graph(g)
	if err != nil {
		return nil, err
	}
	least := make([]string, len(s.nodes))
	for i := range s.nodes {
		if r, name := s.root(i), s.nodes[i].name; least[r] == "" || name < least[r] {
			least[r] = name
		}
	}
	r := &run{groups: s, result: p.newPlacement(s)}
	for i := range s.nodes {
		n := &s.nodes[i]
		if n.before != nil {
			if err := r.assign(i, n.before, n.why, 1); err != nil {
				return nil, err
			}
			continue
		}
		l, err := s.devicesFor(i)
		if err != nil {
			return nil, err
		}
		if err := r.assign(i, l[draw(seed, least[s.root(i)], len(l))], "drawn at random", len(l)); err != nil {
			return nil, err
		}
	}
	return r.finish(g), nil
}

// draw returns a pseudo-random number in [0, n) that depends only on seed and name.
func draw(seed uint64, name string, n int) int {
	h := fnv.New64a()
	h.Write(binary.LittleEndian.AppendUint64(nil, seed))
	h.Write([]byte(name))
	x := h.Sum64()
	// Spread the bits of the hash with the last steps of splitmix64.
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return int((x ^ x>>31) % uint64(n))
}
