package edit

import "github.com/graphc/graphc/ir"

// TakeNames gives nodes the names of those they stand for, where these are gone.
func (s *State) TakeNames(rs []Rename) {
	for _, r := range rs {
		if s.G.Node(r.Name) == nil && s.G.Node(r.Node.Name) == r.Node {
			s.G.Rename(r.Node, r.Name)
		}
	}
}

// Rename gives a fused node the name of the last node it stands for.
type Rename struct {
	Node *ir.Node
	Name string
}
