package edit

import "github.com/graphc/graphc/ir"

// TakeNames renames new nodes: a node gets the name of the node it has replaced, if this name is
// not in use.
func (s *State) TakeNames(rs []Rename) {
	for _, r := range rs {
		if s.G.Node(r.Name) == nil && s.G.Node(r.Node.Name) == r.Node {
			s.G.Rename(r.Node, r.Name)
		}
	}
}

// Rename says that Node is to be renamed to Name, the name of the last node that it replaces.
type Rename struct {
	Node *ir.Node
	Name string
}
