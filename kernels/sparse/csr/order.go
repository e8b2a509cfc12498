package csr

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// graph is the quotient graph of an approximate minimum degree ordering. The algorithm is that of
// T. Davis, Direct Methods for Sparse Linear Systems, section 7.1, and breaks ties between equal
// degrees as the book does. The graph's nodes are rows that are not chosen yet. Its elements
// represent chosen rows.
type graph struct {
	n    int
	adj  []int32 // the adjacency lists of all nodes and elements; adj[used:] is free
	used int
	// first says where in adj the adjacency list of a node or an element begins. For a root of the
	// tree of elements, it is -1. For a row or element that belongs to a parent, it is flip(parent),
	// which is below -1.
	first []int32
	size  []int32 // length of each adjacency list
	// The adjacency list of a node holds elements first, and then nodes. elems is the number of
	// elements in this list. It is -2 for an element, and -1 for a row that is neither a node nor an
	// element.
	elems []int32
	// count is the number of rows that a node or an element represents. It is 0 for a row that is
	// neither a node nor an element. It is negative while eliminate makes an element whose list
	// contains the node.
	count []int32
	deg   []int32
	// Doubly linked lists of the nodes of each degree (head, next, prev), and linked lists of the
	// nodes with each hash (hash, next).
	head, next, prev, hash []int32
	// mark holds a number for each node and each element. A node or an element is marked if its
	// number is at least stamp. The number is 0 for an element that is no longer needed.
	mark           []int32
	stamp, largest int32
	least          int32 // a lower bound of the nodes' degrees
	done           int32 // number of chosen rows
}

func flip(i int32) int32 { return -i - 2 }

// graphWords returns how many int32 a graph of n rows with m adjacencies needs.
func graphWords(n, m int) int { return 11*(n+1) + m + m/5 + 2*n }

// symmetric calls visit with the row and the column of each value of a symmetric matrix. It reads
// only the lower triangle of the matrix, and calls visit twice for each value below the diagonal:
// for the value and for its mirror image. batch is the number of the matrix in m.
func symmetric(m *Matrix, batch int, visit func(i, j int32)) {
	ptr, col, _, _ := m.rows(batch)
	for r := range m.Rows {
		for _, c := range col[ptr[r]:ptr[r+1]] {
			if int(c) > r {
				continue
			}
			visit(int32(r), c)
			if int(c) != r {
				visit(c, int32(r))
			}
		}
	}
}

// OrderRoom returns the length of Order's scratch. It returns InvalidArgument for a matrix that is
// not square, or whose scratch would be longer than an int32 can count.
func OrderRoom(h []tensor.Handle) (int, error) {
	m, err := of(h)
	if err != nil {
		return 0, err
	}
	if m.Rows != m.Cols {
		return 0, tensor.Errorf(tensor.InvalidArgument, "sparse matrix must be square; got: %d != %d", m.Rows, m.Cols)
	}
	most := 0
	for b := range m.Batch {
		n := 0
		symmetric(m, b, func(int32, int32) { n++ })
		most = max(most, n)
	}
	room := graphWords(m.Rows, most)
	if room > math.MaxInt32 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of %d rows with %d values is too large to be ordered", m.Rows, most)
	}
	return room, nil
}

// Order sets each row of dst to the approximate minimum degree ordering of one matrix of the batch.
// Element i of an ordering is the number of the matrix row that comes i-th. Only the lower triangle
// of a matrix is read. The parameter room is scratch of OrderRoom's length.
func Order(run *mem.Budget, dst, room []int32, h []tensor.Handle) error {
	m, err := of(h)
	if err != nil {
		return err
	}
	if len(dst) != m.Batch*m.Rows {
		return tensor.Errorf(tensor.InvalidArgument, "%d matrices of %d rows are ordered into %d elements", m.Batch, m.Rows, len(dst))
	}
	call := run.Call()
	for b := range m.Batch {
		call.Work(8 * (m.Rows + len(m.Col)))
		g := newGraph(&call, m, b, room)
		for int(g.done) < g.n {
			call.Work(1000) // about the number of operations for a typical row
			g.eliminate(g.choose())
		}
		g.postorder(dst[b*m.Rows : (b+1)*m.Rows])
	}
	return nil
}

// newGraph makes the graph of a matrix. Rows become nodes in the lists by degree, with two
// exceptions. A row that has only its diagonal value becomes an element at once. A row with very
// many values, or without a diagonal value, comes last in the ordering.
func newGraph(call *mem.Call, m *Matrix, batch int, room []int32) *graph {
	n := m.Rows
	g := &graph{n: n}
	take := func(k int) []int32 {
		v := room[:k:k]
		room = room[k:]
		return v
	}
	for _, v := range []*[]int32{&g.first, &g.size, &g.elems, &g.count, &g.deg, &g.head, &g.next, &g.prev, &g.hash, &g.mark} {
		*v = take(n + 1)
	}
	diag := take(n + 1)
	g.adj = room
	clear(diag)
	clear(g.size)
	symmetric(m, batch, func(i, j int32) {
		g.size[i]++
		if i == j {
			diag[i] = 1
		}
	})
	at := int32(0)
	for i := range n {
		g.first[i] = at
		at += g.size[i]
		g.size[i] = 0
	}
	symmetric(m, batch, func(i, j int32) {
		g.adj[g.first[i]+g.size[i]] = j
		g.size[i]++
	})
	g.used = int(at)
	for i := range n + 1 {
		g.head[i], g.prev[i], g.next[i], g.hash[i] = -1, -1, -1, -1
		g.count[i], g.mark[i], g.elems[i] = 1, 1, 0
		if i < n {
			list := g.list(int32(i))
			sortInts(call, list)
		}
		g.deg[i] = g.size[i]
	}
	g.restamp(0)
	dense := min(int32(n-2), max(16, int32(10*math.Sqrt(float64(n)))))
	for i := range int32(n) {
		switch d := g.deg[i]; {
		case d == 1 && diag[i] != 0:
			g.elems[i], g.first[i], g.mark[i] = -2, -1, 0
			g.done++
		case d > dense || diag[i] == 0:
			g.count[i], g.elems[i], g.first[i] = 0, -1, flip(int32(n))
			g.count[n]++
			g.done++
		default:
			g.insert(i, d)
		}
	}
	g.elems[n], g.first[n], g.mark[n] = -2, -1, 0
	return g
}

// list returns the list of a node or an element.
func (g *graph) list(i int32) []int32 { return g.adj[g.first[i]:][:g.size[i]] }

// insert adds a node to the list of degree d.
func (g *graph) insert(i, d int32) {
	if g.head[d] != -1 {
		g.prev[g.head[d]] = i
	}
	g.next[i] = g.head[d]
	g.head[d] = i
}

// remove removes a node from the list of its degree.
func (g *graph) remove(i int32) {
	if g.next[i] != -1 {
		g.prev[g.next[i]] = g.prev[i]
	}
	if g.prev[i] != -1 {
		g.next[g.prev[i]] = g.next[i]
	} else {
		g.head[g.deg[i]] = g.next[i]
	}
}

// restamp sets g.stamp to s, so that no node or element is marked any more. For this, s must be
// greater than all marks. If s is below 2, or if later marks could overflow, restamp resets the
// marks and sets g.stamp to 2 instead.
func (g *graph) restamp(s int32) {
	if s < 2 || s+g.largest < 0 {
		for k := range g.n {
			if g.mark[k] != 0 {
				g.mark[k] = 1
			}
		}
		s = 2
	}
	g.stamp = s
}

// choose removes a node of the least degree from its list and returns it.
func (g *graph) choose() int32 {
	for g.head[g.least] == -1 {
		g.least++
	}
	k := g.head[g.least]
	if g.next[k] != -1 {
		g.prev[g.next[k]] = -1
	}
	g.head[g.least] = g.next[k]
	return k
}

// compact moves all lists to the beginning of adj.
func (g *graph) compact() {
	// Replace the first word of each list by the number of the node or element that has the list.
	// Meanwhile, g.first keeps the replaced word.
	for j := range int32(g.n) {
		if p := g.first[j]; p >= 0 {
			g.first[j], g.adj[p] = g.adj[p], flip(j)
		}
	}
	q := 0
	for p := 0; p < g.used; {
		j := flip(g.adj[p])
		p++
		if j < 0 {
			continue
		}
		g.adj[q], g.first[j] = g.first[j], int32(q)
		q++
		for range g.size[j] - 1 {
			g.adj[q] = g.adj[p]
			q, p = q+1, p+1
		}
	}
	g.used = q
}

// eliminate turns node k into an element and updates its neighbours.
func (g *graph) eliminate(k int32) {
	elems, rows := g.elems[k], g.count[k]
	g.done += rows
	if elems > 0 && g.used+int(g.least) >= len(g.adj) {
		g.compact()
	}
	degree := g.absorb(k, elems)
	g.differ(k)
	degree, rows = g.update(k, degree, rows)
	g.deg[k] = degree
	g.largest = max(g.largest, degree)
	g.restamp(g.stamp + g.largest)
	g.merge(k)
	g.finish(k, elems, degree, rows)
}

// absorb turns node k into an element. The list of node k begins with elements, and the parameter
// elems is the number of these elements; the rest of the list is nodes. The new element replaces the
// elements in the list. The list of the new element has only nodes: those in the list of node k, and
// those in the lists of the replaced elements. absorb returns how many rows these nodes represent. If
// the parameter elems is 0, the new list is written over the old one.
func (g *graph) absorb(k, elems int32) int32 {
	degree := int32(0)
	g.count[k] = -g.count[k]
	from := g.first[k]
	begin := int(from)
	if elems != 0 {
		begin = g.used
	}
	end := begin
	for t := range elems + 1 {
		e, at, n := k, from+elems, g.size[k]-elems
		if t < elems {
			e = g.adj[from+t]
			at, n = g.first[e], g.size[e]
		}
		for p := at; p < at+n; p++ {
			i := g.adj[p]
			c := g.count[i]
			if c <= 0 {
				continue
			}
			degree += c
			g.count[i] = -c
			g.adj[end] = i
			end++
			g.remove(i)
		}
		if e != k {
			g.first[e], g.mark[e] = flip(k), 0
		}
	}
	if elems != 0 {
		g.used = end
	}
	g.deg[k], g.first[k], g.size[k], g.elems[k] = degree, int32(begin), int32(end-begin), -2
	return degree
}

// differ compares element k with each element e that is adjacent to a node of k. It sets the mark
// of e to stamp plus the number of rows that are in e but not in k.
func (g *graph) differ(k int32) {
	g.restamp(g.stamp)
	for _, i := range g.list(k) {
		if g.elems[i] <= 0 {
			continue
		}
		c := -g.count[i]
		for _, e := range g.adj[g.first[i]:][:g.elems[i]] {
			if g.mark[e] >= g.stamp {
				g.mark[e] -= c
			} else if g.mark[e] != 0 {
				g.mark[e] = g.deg[e] + g.stamp - c
			}
		}
	}
}

// update computes the degrees of the nodes of element k and puts the nodes into lists by a hash of
// their neighbours. Elements all of whose rows are in k become part of k. Nodes without neighbours
// outside k are chosen together with k.
//
// The last two arguments are the number of rows in the list of k (degree) and the number of rows
// that k represents (rows). The rows of nodes that are chosen together with k leave the list of k,
// and k represents them from then on. update returns the two new numbers of rows.
func (g *graph) update(k, degree, rows int32) (int32, int32) {
	for _, i := range g.list(k) {
		begin := g.first[i]
		end, put := begin+g.elems[i], begin
		d, h := int32(0), int32(0)
		for p := begin; p < end; p++ {
			e := g.adj[p]
			if g.mark[e] == 0 {
				continue
			}
			if more := g.mark[e] - g.stamp; more > 0 {
				d += more
				g.adj[put] = e
				put++
				h += e
			} else {
				g.first[e], g.mark[e] = flip(k), 0
			}
		}
		g.elems[i] = put - begin + 1
		nodes := put
		for p := end; p < begin+g.size[i]; p++ {
			j := g.adj[p]
			if g.count[j] <= 0 {
				continue
			}
			d += g.count[j]
			g.adj[put] = j
			put++
			h += j
		}
		if d == 0 {
			c := -g.count[i]
			g.first[i], g.count[i], g.elems[i] = flip(k), 0, -1
			degree, rows, g.done = degree-c, rows+c, g.done+c
			continue
		}
		g.deg[i] = min(g.deg[i], d)
		g.adj[put] = g.adj[nodes]
		g.adj[nodes] = g.adj[begin]
		g.adj[begin] = k
		g.size[i] = put - begin + 1
		h %= int32(g.n)
		if h < 0 { // the sum has overflowed
			h += int32(g.n)
		}
		g.next[i], g.hash[h], g.prev[i] = g.hash[h], i, h
	}
	return degree, rows
}

// merge merges nodes of element k that have the same neighbours.
func (g *graph) merge(k int32) {
	for _, i := range g.list(k) {
		if g.count[i] >= 0 {
			continue
		}
		h := g.prev[i]
		i = g.hash[h]
		g.hash[h] = -1
		for ; i != -1 && g.next[i] != -1; i = g.next[i] {
			for _, v := range g.list(i)[1:] {
				g.mark[v] = g.stamp
			}
			last := i
			for j := g.next[i]; j != -1; j = g.next[j] {
				if !g.alike(i, j) {
					last = j
					continue
				}
				g.first[j] = flip(i)
				g.count[i] += g.count[j]
				g.count[j], g.elems[j] = 0, -1
				g.next[last] = g.next[j]
			}
			g.stamp++
		}
	}
}

// alike reports whether node j has the same neighbours as node i. The caller has set the marks of
// i's neighbours to the stamp.
func (g *graph) alike(i, j int32) bool {
	if g.size[j] != g.size[i] || g.elems[j] != g.elems[i] {
		return false
	}
	for _, v := range g.list(j)[1:] {
		if g.mark[v] != g.stamp {
			return false
		}
	}
	return true
}

// finish removes from the list of element k all nodes that no longer represent any rows. It puts
// each of the remaining nodes back into the list of its degree.
func (g *graph) finish(k, elems, degree, rows int32) {
	put := g.first[k]
	for _, i := range g.list(k) {
		c := -g.count[i]
		if c <= 0 {
			continue
		}
		g.count[i] = c
		d := min(g.deg[i]+degree-c, int32(g.n)-g.done-c)
		g.insert(i, d)
		g.prev[i] = -1
		g.least = min(g.least, d)
		g.deg[i] = d
		g.adj[put] = i
		put++
	}
	g.count[k] = rows
	if g.size[k] = put - g.first[k]; g.size[k] == 0 {
		g.first[k], g.mark[k] = -1, 0
	}
	if elems != 0 {
		g.used = int(put)
	}
}

// postorder sets dst to the postorder of the tree of elements: children before parents. The rows
// that newGraph kept out of the graph come last.
func (g *graph) postorder(dst []int32) {
	n := int32(g.n)
	for i := range n {
		g.first[i] = flip(g.first[i])
	}
	for j := range g.head {
		g.head[j] = -1
	}
	for _, elements := range [2]bool{false, true} {
		for j := n; j >= 0; j-- {
			if (g.count[j] > 0) != elements || g.first[j] == -1 {
				continue
			}
			g.next[j] = g.head[g.first[j]]
			g.head[g.first[j]] = j
		}
	}
	at := 0
	stack := g.mark
	for root := range n + 1 {
		if g.first[root] != -1 {
			continue
		}
		top := 0
		stack[0] = root
		for top >= 0 {
			p := stack[top]
			if i := g.head[p]; i != -1 {
				g.head[p] = g.next[i]
				top++
				stack[top] = i
				continue
			}
			top--
			if at < len(dst) { // Node n, which represents no row, is visited after all rows.
				dst[at] = p
			}
			at++
		}
	}
}
