package plan

import (
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// The method named steps checks a list of steps whose first step has the number i. It returns the
// number after the list's last step. The parameter inLoop says whether the list is inside a Loop,
// where a Break is allowed.
func (c *checker) steps(list []Step, i int, inLoop bool) int {
	for _, s := range list {
		where := fmt.Sprintf("step %d", i)
		i++
		switch s := s.(type) {
		case *Par:
			c.loop(where, s)
		case *If:
			c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
			c.cond(s.Cond)
			i = c.steps(s.Then, i, inLoop)
			i = c.steps(s.Else, i, inLoop)
		case *Loop:
			c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
			if !ends(s.Body) {
				c.errorf("a loop without an end")
			}
			i = c.steps(s.Body, i, true)
		case *Tasks:
			i = c.graph(fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op), s, i)
		case *Break:
			c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
			if !inLoop {
				c.errorf("a break outside of a loop")
			}
			c.cond(s.Cond)
		case *Let:
			c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
			c.let(s)
		case *Room:
			c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
			c.room(s)
		case *Scalar:
			c.where = fmt.Sprintf("%s, %s (%s)", where, s.Node, s.Op)
			c.scalar(s)
		case Transfer:
			node, op := NodeOf(s)
			c.where = fmt.Sprintf("%s, %s (%s)", where, node, op)
			c.transfer(s)
		default:
			c.step(where, s)
		}
	}
	return i
}

// graph checks a Tasks step. The first step of its first task has the number i. The result is the
// number after the last step of its last task.
func (c *checker) graph(where string, s *Tasks, i int) int {
	c.where = where
	if c.tasks || len(s.Tasks) == 0 {
		c.errorf("tasks within a task, or a step without tasks")
		return i + CountSteps([]Step{s}) - 1
	}
	for k, t := range s.Tasks {
		if len(t.Steps) == 0 {
			c.errorf("task %d is empty", k)
		}
		for _, j := range t.After {
			if j < 0 || j >= k {
				c.errorf("task %d comes after task %d", k, j)
				return i + CountSteps([]Step{s}) - 1
			}
		}
	}
	c.tasks = true
	for _, t := range s.Tasks {
		i = c.steps(t.Steps, i, false)
	}
	if c.tasks, c.where = false, where; len(c.errs) > 0 {
		return i
	}
	prints := make([]*footprint, len(s.Tasks))
	for k, t := range s.Tasks {
		prints[k] = c.prints.of(t.Steps...)
	}
	before := s.before()
	for k := range s.Tasks {
		for j := range k {
			if before[k].has(j) {
				continue
			}
			if bad, b := prints[j].clashes(prints[k]); bad && b != nil {
				c.errorf("tasks %d and %d use %s, but are unordered", j, k, b.Name)
			} else if bad {
				c.errorf("tasks %d and %d use state or sizes, but are unordered", j, k)
			}
		}
	}
	return i
}

// The function named ends reports whether the body of a loop has a Break that ends the loop. The
// Break may be in an If in the body.
func ends(list []Step) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *Break:
			return true
		case *If:
			if ends(s.Then) || ends(s.Else) {
				return true
			}
		}
	}
	return false
}

func (c *checker) cond(v View) {
	if !c.window(v) {
		return
	}
	if v.Buf.DType != tensor.Bool || !v.Len.Is(1) || v.Mode != Read {
		c.errorf("a condition must be one bool that is read, got %s of type %v", viewText(v), v.Buf.DType)
	}
	if v.Buf.Root().Place.OnDevice() {
		c.errorf("a condition must be in host memory, but %s is in device memory", v.Buf.Name)
	}
	c.read(v.Buf)
}

func (c *checker) let(s *Let) {
	if len(s.Names) == 0 || len(s.Names) != len(s.X) {
		c.errorf("%d names for %d sizes", len(s.Names), len(s.X))
		return
	}
	for _, e := range s.X {
		if e == nil {
			c.errorf("binds nothing")
			return
		}
		c.expr(e)
	}
	for i, n := range s.Names {
		for _, m := range s.Names[:i] {
			if n == m {
				c.errorf("the size %s is bound twice", n)
			}
		}
		c.bind(n, byLet)
	}
}

func (c *checker) room(s *Room) {
	b := s.Buf
	if b == nil || !c.bufs[b] || b.Len == nil {
		c.errorf("room for a buffer that is not in the plan")
		return
	}
	if b.Alias != nil || !b.Place.Grows() {
		c.errorf("room for %s, which does not own storage outside the arena", b.Name)
	}
	c.expr(b.Len)
}

// The method object checks a buffer whose element is the handle of a resource that is kept between
// runs.
func (c *checker) object(b *Buf) {
	switch {
	case !b.DType.Opaque() || !b.Len.Is(1):
		c.errorf("an object must be one handle, got %v elements of type %v", b.Len, b.DType)
	case b.Object == nil:
		c.errorf("is a handle without an object")
	default:
		if err := b.Object.Check(); err != nil {
			c.errorf("%v", err)
		}
	}
}

// growth checks buffers outside the arena. Each size in the buffer's length must be known when the
// buffer gets its storage. Afterwards, these sizes may not change before the last write to the
// buffer, unless the buffer gets its storage from Room steps. Reads after the last write are
// allowed, because they still see the elements that were written.
func (c *checker) growth(p *Plan) {
	u := p.Uses()
	bound := map[string][]int{} // bound holds, for each size, the numbers of the steps that bind it
	writes := map[*Buf][]int{}
	var loops [][2]int
	Walk(p.Steps, func(i int, s Step) {
		for _, n := range binds(s) {
			bound[n] = append(bound[n], i)
		}
		for _, t := range touches(s) {
			if t.write {
				writes[t.root] = append(writes[t.root], i)
			}
		}
		if l, ok := s.(*Loop); ok {
			loops = append(loops, [2]int{i, i + CountSteps(l.Body)})
		}
	})
	// follows reports whether step j can run after step i, without a run of step `at` between them.
	follows := func(at, i, j int) bool {
		for _, l := range loops {
			if at <= l[0] && l[0] < min(i, j) && max(i, j) <= l[1] {
				return true
			}
		}
		return at <= i && i < j
	}
	for _, b := range u.Order {
		if u.Roomed[b] || !b.Place.Grows() {
			continue
		}
		c.where = fmt.Sprintf("buffer %d, %s", b.ID, b.Name)
		names := map[string]bool{}
		b.Len.Vars(names)
		at := u.Grow[b]
		for n := range names {
			known := bound[n] == nil // true for a size of the feeds
			for _, i := range bound[n] {
				known = known || i < at
				for _, j := range writes[b] {
					if follows(at, i, j) {
						c.errorf("its size %s changes at step %d, and step %d writes it; no Room follows", n, i, j)
						break
					}
				}
			}
			if !known {
				c.errorf("its size %s is unknown at step %d, where it gets its room", n, at)
			}
		}
	}
}

// The function named binds returns the sizes that step s itself binds. It does not look at steps
// that are nested in s.
func binds(s Step) []string {
	switch s := s.(type) {
	case *Call:
		return s.Rets
	case *Let:
		return s.Names
	}
	return nil
}
