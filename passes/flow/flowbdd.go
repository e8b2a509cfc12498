package flow

// truth is a boolean function of the conditions in a graph. It is the number of a node in a reduced
// ordered binary decision diagram. Equal functions have equal numbers.
type truth int32

// The constant functions.
const (
	never  truth = 0
	always truth = 1
)

// MostPaths and LongestWay limit the size of a function: the number of paths in its diagram, and
// the length of the longest path. A function that exceeds a limit becomes a condition, which is
// computed at run time. Tests set lower limits.
var (
	MostPaths  int32 = 256
	LongestWay int32 = 256
)

type decision struct {
	on     int32 // number of the condition that is tested; it increases along each path
	lo, hi truth // the function to use if the condition is false (lo), and if it is true (hi)
}

type pair struct{ p, q truth }

// diagram contains boolean functions. It remembers the results of combining two functions.
type diagram struct {
	nodes  []decision
	paths  []int32 // for each function, the number of paths on which it is true, but at most MostPaths+1
	length []int32 // for each function, the length of the longest path
	unique map[decision]truth
	ands   map[pair]truth
	ors    map[pair]truth
}

func newDiagram() *diagram {
	end := decision{on: 1<<31 - 1}
	return &diagram{nodes: []decision{end, end}, paths: []int32{0, 1}, length: []int32{0, 0},
		unique: map[decision]truth{}, ands: map[pair]truth{}, ors: map[pair]truth{}}
}

func (d *diagram) make(on int32, lo, hi truth) truth {
	if lo == hi {
		return lo
	}
	n := decision{on, lo, hi}
	if t, ok := d.unique[n]; ok {
		return t
	}
	t := truth(len(d.nodes))
	d.nodes = append(d.nodes, n)
	d.paths = append(d.paths, min(MostPaths+1, d.paths[lo]+d.paths[hi]))
	d.length = append(d.length, 1+max(d.length[lo], d.length[hi]))
	d.unique[n] = t
	return t
}

// literal returns a function that tests a single condition, whose number is the parameter on. The
// function is true if the condition is true or, if the parameter neg is true, if the condition is
// false.
func (d *diagram) literal(on int32, neg bool) truth {
	if neg {
		return d.make(on, always, never)
	}
	return d.make(on, never, always)
}

// large reports whether a function exceeds MostPaths or LongestWay.
func (d *diagram) large(t truth) bool { return d.paths[t] > MostPaths || d.length[t] > LongestWay }

func (d *diagram) and(p, q truth) truth {
	switch {
	case p == never || q == never:
		return never
	case p == always || p == q:
		return q
	case q == always:
		return p
	}
	return d.apply(d.ands, p, q, d.and)
}

func (d *diagram) or(p, q truth) truth {
	switch {
	case p == always || q == always:
		return always
	case p == never || p == q:
		return q
	case q == never:
		return p
	}
	return d.apply(d.ors, p, q, d.or)
}

// maxMemo bounds the number of memoized results.
const maxMemo = 1 << 18

func (d *diagram) apply(memo map[pair]truth, p, q truth, f func(p, q truth) truth) truth {
	if p > q {
		p, q = q, p
	}
	if t, ok := memo[pair{p, q}]; ok {
		return t
	}
	a, b := d.nodes[p], d.nodes[q]
	on := min(a.on, b.on)
	if a.on != on {
		a = decision{on, p, p}
	}
	if b.on != on {
		b = decision{on, q, q}
	}
	t := d.make(on, f(a.lo, b.lo), f(a.hi, b.hi))
	if len(memo) > maxMemo {
		clear(memo)
	}
	memo[pair{p, q}] = t
	return t
}

// implies reports whether q is true in all cases in which p is true.
func (d *diagram) implies(p, q truth) bool { return d.and(p, q) == p }
