package plan

import (
	"fmt"
	"slices"

	"github.com/graphc/graphc/plan/names"
)

// clusters groups the steps of a region into sets, the clusters, which become tasks.
type clusters struct {
	deps  *deps
	first int
	costs []times // by cluster
	steps [][]int // the steps of each cluster, in order; nil after the cluster has been merged into another cluster
	of    []int   // of[i] is the cluster of step first+i

	// The slice named before holds the direct predecessors of each cluster. It omits a predecessor
	// if another predecessor of the same cluster waits for it, directly or not. The slice named
	// after holds the direct successors: if b is in before[a], a is in after[b].
	before, after [][]int
	reach         []bits // reach[a] is the set of all clusters for which cluster a waits, directly or not
	order         []int  // a topological order: a cluster follows those for which it waits
}

// newClusters returns clusters in which each step from first up to end is a separate cluster.
func newClusters(d *deps, costs []times, first, end int) *clusters {
	c := &clusters{deps: d, first: first}
	for i := first; i < end; i++ {
		c.of = append(c.of, i-first)
		c.steps = append(c.steps, []int{i})
		c.costs = append(c.costs, costs[i])
	}
	return c
}

// look computes the fields before, after, reach and order.
func (c *clusters) look() {
	n := len(c.steps)
	direct := make([][]int, n)
	waits := make([]int, n)
	next := make([][]int, n)
	for k, l := range c.steps {
		seen := map[int]bool{k: true}
		for _, i := range l {
			for _, j := range c.deps.direct[i] {
				if j < c.first {
					continue
				}
				if q := c.of[j-c.first]; !seen[q] {
					seen[q] = true
					direct[k] = append(direct[k], q)
					next[q] = append(next[q], k)
				}
			}
		}
		waits[k] = len(direct[k])
	}
	c.order = c.order[:0]
	c.reach, c.before, c.after = make([]bits, n), make([][]int, n), make([][]int, n)
	// The next cluster in the order is the one with the earliest first step among those that are
	// ready.
	ready := newQueue(c)
	for k := range n {
		if c.steps[k] != nil && waits[k] == 0 {
			ready.push(k)
		}
	}
	for len(ready.list) > 0 {
		k := ready.pop()
		c.order = append(c.order, k)
		c.reach[k] = newBits(n)
		for _, q := range direct[k] {
			c.reach[k].set(q)
			c.reach[k].or(c.reach[q])
		}
		for _, q := range direct[k] {
			if !slices.ContainsFunc(direct[k], func(r int) bool { return r != q && c.reach[r].has(q) }) {
				c.before[k] = append(c.before[k], q)
				c.after[q] = append(c.after[q], k)
			}
		}
		for _, q := range next[k] {
			if waits[q]--; waits[q] == 0 {
				ready.push(q)
			}
		}
	}
}

// join merges cluster b into cluster a.
func (c *clusters) join(a, b int) {
	for _, i := range c.steps[b] {
		c.of[i-c.first] = a
	}
	c.steps[a] = append(c.steps[a], c.steps[b]...)
	slices.Sort(c.steps[a])
	c.costs[a].add(c.costs[b])
	c.steps[b] = nil
}

// shrink joins clusters as long as joining them does not delay a cluster that is worth a task. It
// joins a cluster with its only predecessor if the cluster is cheap or is the predecessor's only
// successor. It joins a cheap cluster with its only successor. When there are no more such
// clusters, it calls siblings to limit the number of parallel clusters. The parameter is roughly
// this limit.
func (c *clusters) shrink(groups int) {
	for again := true; again; {
		again = false
		c.look()
		touched := make([]bool, len(c.steps))
		join := func(a, b int) {
			if !touched[a] && !touched[b] {
				touched[a], touched[b], again = true, true, true
				c.join(a, b)
			}
		}
		for _, k := range c.order {
			if c.steps[k] == nil {
				continue
			}
			small := c.costs[k][0] < light
			if b := c.before[k]; len(b) == 1 && (small || len(c.after[b[0]]) == 1) {
				join(b[0], k)
			} else if a := c.after[k]; len(a) == 1 && small {
				join(a[0], k)
			}
		}
		if !again {
			again = c.siblings(groups)
		}
	}
}

// siblings joins clusters that have the same predecessors and the same successors. It joins only
// clusters that cost less than worthTask, or less than the total cost divided by groups. It reports
// whether it joined any clusters.
func (c *clusters) siblings(groups int) bool {
	total := 0.0
	for _, k := range c.order {
		total += c.costs[k][0]
	}
	enough := max(worthTask, total/float64(groups))
	open := map[string]int{} // for each set of neighbors, the cluster into which further siblings are merged
	some := false
	for _, k := range c.order {
		if len(c.before[k])+len(c.after[k]) > 64 {
			continue
		}
		if c.costs[k][0] >= enough {
			continue
		}
		b, a := slices.Sorted(slices.Values(c.before[k])), slices.Sorted(slices.Values(c.after[k]))
		key := fmt.Sprint(b, a)
		to, ok := open[key]
		if !ok || c.costs[to][0]+c.costs[k][0] > 1.5*enough {
			open[key] = k
			continue
		}
		c.join(to, k)
		some = true
	}
	return some
}

// tasks returns the clusters as a step. It returns nil if there is only one cluster, or far too
// many.
func (c *clusters) tasks(steps []Step) *Tasks {
	if len(c.order) < 2 || len(c.order) > 2*maxTasks {
		return nil
	}
	t := &Tasks{}
	at := map[int]int{}
	for n, k := range c.order {
		at[k] = n
		task := Task{Work: int(c.costs[k][0])}
		for _, i := range c.steps[k] {
			task.Steps = append(task.Steps, steps[i])
		}
		for _, q := range c.before[k] {
			task.After = append(task.After, at[q])
		}
		slices.Sort(task.After)
		t.Work += task.Work
		t.Tasks = append(t.Tasks, task)
	}
	t.Node, t.Op = ends2(t.Tasks)
	return t
}

// ends2 returns a name for a list of tasks: the first and the last node, joined by names.Range. It
// returns their ops in the same way.
func ends2(tasks []Task) (node, op string) {
	name := func(l []Step) (string, string) {
		for _, s := range l {
			if n, o := NodeOf(s); n != "" {
				return n, o
			}
		}
		return "", ""
	}
	node, op = name(tasks[0].Steps)
	last := slices.Clone(tasks[len(tasks)-1].Steps)
	slices.Reverse(last)
	if n, o := name(last); n != node {
		node, op = node+names.Range+n, op+names.Range+o
	}
	return node, op
}

// worth reports whether running the tasks is considerably faster than running the steps in
// sequence. It compares the times for all numbers of threads for which there are estimates, except
// 1. The tasks must not be slower for any of these numbers.
func (c *clusters) worth() bool {
	apart := false
	for n, k := range c.order {
		for _, q := range c.order[:n] {
			apart = apart || c.costs[k][0] >= worthTask && c.costs[q][0] >= worthTask && !c.reach[k].has(q)
		}
	}
	if !apart || c.divide() && c.width() < manyTasks {
		return false
	}
	sum := 0.0
	for i := 1; i < len(threads); i++ {
		now := 0.0
		for _, k := range c.order {
			now += c.costs[k][i]
		}
		t := c.time(i) + forkCost
		if t > now {
			return false
		}
		sum += t / now
	}
	return sum <= gain*float64(len(threads)-1)
}

// gain is a bound on the time with tasks divided by the time without tasks, averaged over several
// numbers of threads. If the quotient exceeds this bound, tasks are not worthwhile.
const gain = 0.87

// manyTasks is the minimum number of independent tasks in the case that threads could also divide
// the loops in the steps. With fewer tasks, dividing the loops is better, because tasks that run at
// the same time compete for the caches.
const manyTasks = 8

// divide reports whether most of the work consists of loops that four threads can divide well
// without tasks.
func (c *clusters) divide() bool {
	some, all := 0.0, 0.0
	for _, k := range c.order {
		t := c.costs[k]
		all += t[0]
		if t[2] < 0.45*t[0] {
			some += t[0]
		}
	}
	return some > all/2
}

// width returns approximately how many tasks with enough work can run at the same time.
func (c *clusters) width() int {
	var last []int // the last task of each chain of tasks
	for _, k := range c.order {
		if c.costs[k][0] < worthTask {
			continue
		}
		if i := slices.IndexFunc(last, func(j int) bool { return c.reach[k].has(j) }); i >= 0 {
			last[i] = k
		} else {
			last = append(last, k)
		}
	}
	return len(last)
}

// The method time estimates how long the tasks take if the number of threads is threads[i]. It
// assumes that each task runs on one thread, and that tasks begin in order as threads become free.
// If free threads can help with most of the work, the estimate is lower.
func (c *clusters) time(i int) float64 {
	n := threads[i]
	free := make([]float64, n)
	alone, helped := map[int]float64{}, map[int]float64{}
	end, chain, work, divides := 0.0, 0.0, 0.0, 0.0
	for _, k := range c.order {
		begin, least := 0.0, 0.0
		for _, q := range c.before[k] {
			begin, least = max(begin, alone[q]), max(least, helped[q])
		}
		w := 0
		for j := range free {
			if free[j] < free[w] {
				w = j
			}
		}
		t := c.costs[k][0] + taskCost
		free[w] = max(free[w], begin) + t
		alone[k], helped[k] = free[w], least+c.costs[k][i]+taskCost
		end, chain, work = max(end, free[w]), max(chain, helped[k]), work+t
		if c.costs[k][i] < 0.7*c.costs[k][0] {
			divides += t
		}
	}
	if divides > work/2 {
		end = min(end, 1.05*max(chain, work/float64(n)))
	}
	return end
}

// queue is a priority queue of clusters. The cluster with the earliest first step comes first.
type queue struct {
	c    *clusters
	list []int
}

func newQueue(c *clusters) *queue { return &queue{c: c} }

func (q *queue) push(k int) {
	at, _ := slices.BinarySearchFunc(q.list, k, func(a, b int) int { return q.c.steps[b][0] - q.c.steps[a][0] })
	q.list = slices.Insert(q.list, at, k)
}

func (q *queue) pop() int {
	k := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return k
}
