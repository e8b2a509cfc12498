package edit

import "github.com/graphc/graphc/ir"

// TakeNames renames nodes to the names of the nodes they replace, if those names are free.
func (s *State) TakeNames(rs []Rename) {
	for _, r := range rs {
		if s.G.Node(r.Name) == nil && s.G.Node(r.Node.Name) == r.Node {
			s.G.Rename(r.Node, r.Name)
		}
	}
}

// Rename names a fused node after the last node it replaces.
type Rename struct {
	Node *ir.Node
	Name string
}
