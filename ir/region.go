package ir

// Region is a part of a graph that runs under a condition, or again and again.
// Regions form a tree whose root, the graph itself, is the nil Region. A node
// runs each time its region does; it may read tensors of its own region and of
// those around it, and no others. What leaves a region passes a Yield.
type Region struct {
	Name   string  // for texts and comments: the node it was made for; unique within a graph
	Parent *Region // nil: the whole graph
	// Loop marks a region that runs again as long as Cond, a tensor of the
	// region itself or of one around it, is true. What is in no Branch of Cond
	// runs in the last iteration too.
	Loop bool
	// Cond is a bool scalar. A Branch, which is what is no Loop, runs where it is
	// true, with Neg where it is false; it belongs to a region around the branch.
	Cond Out
	Neg  bool
}

// The ops that join regions. They are graphc's own: pass flow makes them of
// Switch, Merge, Enter, Exit and NextIteration, If, While and Case.
const (
	// Yield hands its input out of the region it stands in, to the Merge nodes that read it.
	YieldOp = "_Yield"
	// Merge has one input or more, each from a Yield. Its output 0 is the value of
	// the Yield that ran last, output 1, which it may lack, that one's index as an
	// int32. It stands in a region where one of them has run.
	MergeOp = "_Merge"
	// LoopVar stands in a Loop and has two inputs: the value of the first
	// iteration, from outside of the Loop, and a Next, whose value the next
	// iteration gets.
	LoopVarOp = "_LoopVar"
	// Next hands its input to the LoopVar that reads it, in the iteration after
	// this one. An iteration in which it does not run leaves the LoopVar as it was.
	NextOp = "_Next"
)

// Joins reports the ops that regions are joined by. They belong to their regions: no pass but those about
// regions merges, moves or folds them or takes them out, and what they do is part of what lowering makes of
// the region.
func Joins(op string) bool {
	return op == YieldOp || op == MergeOp || op == LoopVarOp || op == NextOp
}

// Encloses reports whether r is s or one around it. The nil Region encloses all.
func (r *Region) Encloses(s *Region) bool {
	for ; s != nil; s = s.Parent {
		if s == r {
			return true
		}
	}
	return r == nil
}

// Depth returns the number of regions around r, with r itself.
func (r *Region) Depth() int {
	d := 0
	for ; r != nil; r = r.Parent {
		d++
	}
	return d
}

// InnerLoop returns the innermost Loop that is r or around it, nil for none.
func (r *Region) InnerLoop() *Region {
	for r != nil && !r.Loop {
		r = r.Parent
	}
	return r
}

// Common returns the innermost region that encloses both.
func (r *Region) Common(s *Region) *Region {
	a, b := r.Depth(), s.Depth()
	for ; a > b; a-- {
		r = r.Parent
	}
	for ; b > a; b-- {
		s = s.Parent
	}
	for r != s {
		r, s = r.Parent, s.Parent
	}
	return r
}

// Regions returns the regions of g's nodes and those around them, each after its
// parent, otherwise in the order of the nodes.
func (g *Graph) Regions() []*Region {
	var out []*Region
	seen := map[*Region]bool{nil: true}
	var add func(r *Region)
	add = func(r *Region) {
		if seen[r] {
			return
		}
		seen[r] = true
		add(r.Parent)
		out = append(out, r)
		if r.Cond.Node != nil && !r.Loop {
			add(r.Cond.Node.Region)
		}
	}
	for _, n := range g.Nodes {
		if n != nil { // Check complains of others
			add(n.Region)
		}
	}
	return out
}

// Branches reports whether the graph has regions.
func (g *Graph) Branches() bool {
	for _, n := range g.Nodes {
		if n.Region != nil {
			return true
		}
	}
	return false
}

// text names a region in messages.
func (r *Region) text() string {
	if r == nil {
		return "the whole graph"
	}
	return r.Name
}
