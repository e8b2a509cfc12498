package ir

// Region is a part of a graph that runs under a condition, or repeatedly. Regions form a tree whose
// root, the graph itself, is the nil Region. A node runs each time its region does. It may read
// only tensors of its region and of enclosing regions. A value leaves a region through a Yield.
type Region struct {
	Name   string  // unique within a graph; derived from the node it was made for
	Parent *Region // nil: the whole graph
	// Loop marks a region that runs again as long as Cond, a tensor of the region itself or of an
	// enclosing one, is true. Nodes that are not in a branch on Cond also run in the last
	// iteration, in which Cond is false.
	Loop bool
	// Cond is a bool scalar. A region that is not a Loop is a branch: it runs if Cond is true
	// (false if Neg is set). Cond then belongs to an enclosing region.
	Cond Out
	Neg  bool
}

// The ops that join regions. They do not exist in TensorFlow. The package passes/flow makes them from
// Switch, Merge, Enter, Exit and NextIteration, and from If, While and Case.
const (
	// YieldOp passes its input out of its region to the Merge nodes that read the Yield.
	YieldOp = "_Yield"
	// MergeOp has one or more inputs, each from a Yield. Output 0 is the value of the Yield that
	// ran last. The optional output 1 is that Yield's index as an int32. Whenever a Merge runs, at
	// least one of its Yields has run.
	MergeOp = "_Merge"
	// LoopVarOp is in a Loop and has two inputs: the value for the first iteration, from outside
	// the Loop, and a Next, whose value is used in the next iteration.
	LoopVarOp = "_LoopVar"
	// NextOp passes its input to the LoopVar that reads the Next. The LoopVar has this value in the
	// next iteration. If the Next does not run in an iteration, the LoopVar keeps its value.
	NextOp = "_Next"
)

// Joins reports whether op joins regions. Such nodes belong to their regions: only passes about
// regions may merge, move, fold or remove them. Lowering implements them as part of the region.
func Joins(op string) bool {
	return op == YieldOp || op == MergeOp || op == LoopVarOp || op == NextOp
}

// Encloses reports whether r is s or a region around s. The nil Region, which is the whole graph,
// encloses all regions.
func (r *Region) Encloses(s *Region) bool {
	for ; s != nil; s = s.Parent {
		if s == r {
			return true
		}
	}
	return r == nil
}

// Depth returns the number of regions in the chain that begins with r and ends with its outermost
// parent. It is 0 for the nil Region.
func (r *Region) Depth() int {
	d := 0
	for ; r != nil; r = r.Parent {
		d++
	}
	return d
}

// InnerLoop returns the innermost Loop that is r or encloses it, or nil.
func (r *Region) InnerLoop() *Region {
	for r != nil && !r.Loop {
		r = r.Parent
	}
	return r
}

// Common returns the innermost region that encloses both r and s.
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

// Regions returns the regions that contain nodes of g, and the regions that enclose those regions. Each
// region comes after its parent. Apart from that, the regions are in the order of the nodes.
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
		if n != nil { // a nil node is a fault, which Check reports
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

// text returns the name of a region for messages.
func (r *Region) text() string {
	if r == nil {
		return "the whole graph"
	}
	return r.Name
}
