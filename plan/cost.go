package plan

import (
	"math"
	"path"
	"reflect"

	"github.com/graphc/graphc/ir/sym"
)

// The cost model estimates how long steps take, in picoseconds, for several numbers of threads. For
// loops over items it uses the lowering's estimate (Split.Work). For other calls it counts the
// bytes that they use, and for matrix products also the multiply-adds. The times in a profile
// replace both estimates.

// threads lists the numbers of threads for which times are estimated.
var threads = [...]int{1, 2, 4, 16}

// times holds an estimate for each element of threads.
type times [len(threads)]float64

func (t *times) add(u times) {
	for i := range t {
		t[i] += u[i]
	}
}

func (t *times) scale(f float64) {
	for i := range t {
		t[i] *= f
	}
}

// even returns the times of work that only one thread does: the time is the same for any number of
// threads.
func even(ps float64) (t times) {
	for i := range t {
		t[i] = ps
	}
	return t
}

// callOverhead is the cost of a step apart from its work; splitOverhead is the cost of dividing a
// loop among threads. usualTrips is the assumed number of iterations of a loop.
const (
	callOverhead  = 20_000
	splitOverhead = 3_000_000
	usualTrips    = 16
	scalarCost    = 1_000 // cost of a Scalar, which is not a call
)

// byteCosts maps the name of a kernel package to the cost of that package's kernels, in picoseconds
// per byte of their operands and results.
var byteCosts = map[string]float64{"shape": 0, "order": 4000, "nms": 8000, "fft": 2000, "strs": 3000, "parse": 5000, "lookup": 2000, "image": 1000,
	"segment": 300, "count": 500, "random": 600, "train": 300, "elem": 200, "cast": 200, "softmax": 800, "checkpoint": 1000, "norm": 300, "reduce": 150, "gather": 60, "array": 60, "layout": 60}

const (
	byteCost = 60 // cost per byte for packages that are not in byteCosts: the cost of moving a byte
	macCost  = 30 // cost of a multiply-add in a matrix product that runs on one thread
)

// coster estimates the costs of steps.
type coster struct {
	plan    *Plan
	profile map[string]float64 // nanoseconds by node
	calls   map[string]int     // number of steps that belong to each node
	trips   float64            // how often the current step runs, according to the assumed iterations of all loops around it
}

func newCoster(p *Plan, profile map[string]float64) *coster {
	c := &coster{p, profile, map[string]int{}, 1}
	if len(profile) > 0 {
		for _, s := range Flat(p.Steps) {
			node, _ := nodeOf(s)
			c.calls[node]++
		}
	}
	return c
}

// measured returns the time that a single execution of a call, copy, Scalar or transfer takes
// according to the profile. It returns false if the profile does not have the step's node.
func (c *coster) measured(s Step) (float64, bool) {
	node, _ := nodeOf(s)
	ns, ok := c.profile[node]
	if !ok {
		return 0, false
	}
	return ns * 1000 / float64(max(c.calls[node], 1)) / c.trips, true
}

func (c *coster) list(steps []Step) (t times) {
	for _, s := range steps {
		t.add(c.of(s))
	}
	return t
}

// The method named of estimates the times of a step, including its nested steps.
func (c *coster) of(s Step) times {
	switch s := s.(type) {
	case *Par:
		return c.par(s)
	case *If:
		t, u := c.list(s.Then), c.list(s.Else)
		for i := range t {
			t[i] = max(t[i], u[i]) + callOverhead
		}
		return t
	case *Loop:
		t := c.list(s.Body)
		if len(c.profile) == 0 { // the times in a profile already include all iterations
			t.scale(usualTrips)
		}
		return t
	case *Tasks:
		var t times
		for _, k := range s.Tasks {
			t.add(c.list(k.Steps))
		}
		return t
	case *Call, *Copy, *Scalar, Transfer:
		if ps, ok := c.measured(s); ok {
			return even(ps)
		}
		if _, ok := s.(*Scalar); ok {
			return even(scalarCost)
		}
		if k, ok := s.(*Call); ok && k.Work > 0 {
			return even(float64(k.Work) + callOverhead)
		}
		return even(c.call(s) + callOverhead)
	}
	return even(callOverhead)
}

// The method call estimates the time of a call, copy or transfer.
func (c *coster) call(s Step) float64 {
	bytes := 0.0
	s.Views(func(v View) {
		n := float64(max(c.plan.Usual(v.Len), 0))
		size := float64(v.Buf.DType.Size())
		if v.Buf.Root().Place == Constant && n > 4096 {
			// Count at most 4096 elements of a constant. A larger constant usually holds the
			// weights of a matrix product, for which the multiply-adds are counted below, or is
			// a table of which the call reads only a part.
			n = 4096
		}
		bytes += n * size
	})
	k, ok := s.(*Call)
	if _, moves := s.(Transfer); moves {
		return bytes * byteCost
	}
	if !ok {
		return bytes * byteCosts["array"]
	}
	pkg, _, err := k.Symbol()
	if err != nil {
		return bytes * byteCost
	}
	if macs, ok := c.macs(k); ok {
		return macs*macCost + bytes*byteCost
	}
	each, ok := byteCosts[path.Base(pkg)]
	if !ok {
		each = byteCost
	}
	if path.Base(pkg) == "linalg" { // the cost grows with the third power of the matrices' sides
		return math.Pow(bytes/8, 1.5) * 1000
	}
	return bytes * each
}

// macs returns the number of multiply-adds, M·N·K, of a call whose parameters include the sizes M,
// N and K of a matrix product.
func (c *coster) macs(k *Call) (float64, bool) {
	for _, a := range k.Args {
		s, ok := a.(Struct)
		if !ok || s.V == nil || s.Type().Kind() != reflect.Struct {
			continue
		}
		product, found := 1.0, true
		for _, name := range []string{"M", "N", "K"} {
			f, ok := s.Type().FieldByName(name)
			if !ok || f.Type.Kind() != reflect.Int {
				found = false
				break
			}
			if e := s.Fields[name]; len(e) == 1 {
				product *= float64(max(c.plan.Usual(e[0]), 0))
			} else {
				product *= float64(reflect.ValueOf(s.V).FieldByIndex(f.Index).Int())
			}
		}
		if found {
			return product, true
		}
	}
	return 0, false
}

// The bounds that package rt uses when it divides loops among threads; see rt.Split.
const (
	worthSharing = 8_000_000
	chunkWork    = 2_000_000
	chunksEach   = 4
)

// par estimates the times of a loop over items.
func (c *coster) par(l *Par) times {
	total := max(c.plan.Usual(l.Total), 0)
	work := float64(max(c.usual(l.Work, 1), 1)) * float64(total)
	if len(c.profile) > 0 {
		sum, all := 0.0, true
		for _, b := range l.Body {
			ps, ok := c.measured(b)
			sum, all = sum+ps, all && ok
		}
		if all {
			work = sum
		} else if node, _ := NodeOf(l); c.profile[node] > 0 { // the profile has the time of the loop as a whole
			work = c.profile[node] * 1000 / c.trips
		}
	}
	t := even(work + callOverhead)
	if work < worthSharing || total == 0 {
		return t
	}
	item := work / float64(total)
	grain, most := max(l.Grain, 1), c.usual(l.Most, total)
	for i, n := range threads {
		best := t[i]
		for k := 1; k <= chunksEach && n > 1; k++ {
			size := ((total+n*k-1)/(n*k) + grain - 1) / grain * grain
			size = max(min(size, most), 1)
			if k > 1 && float64(size)*item < chunkWork {
				break
			}
			chunks := (total + size - 1) / size
			best = min(best, float64((chunks+n-1)/n)*float64(min(size, total))*item+splitOverhead)
		}
		t[i] = best
	}
	return t
}

func (c *coster) usual(e *sym.Expr, none int) int {
	if e == nil {
		return none
	}
	return c.plan.Usual(e)
}
