package plan

import (
	"github.com/graphc/graphc/ir/sym"
)

// Par is a loop over Total items in no fixed order. Body computes a chunk of adjacent items, and
// chunks may run at the same time. The expressions in Body may use the symbols Lo, the chunk's
// first item, and Count, its number of items.
//
// If a call computes each part of its result from one part of each operand, it is written as a Par.
// Let S be the number of elements of an item. Then each window in the body has Count·S elements,
// and begins at element Lo·S. Join merges several such loops, so that all calls process a chunk
// while it is in the cache.
type Par struct {
	Total *sym.Expr
	Split
	Body []Step // steps of types *Call and *Copy; the kernels have no results
	Halo *Halo  // nil, or an operand whose rows Join may compute in this loop

	joined bool   // whether Join made this loop from several loops and set the field Most
	halos  []Halo // operands whose rows this loop computes
}

// Split describes how the items of a Par may be divided.
type Split struct {
	// Chunks begin at multiples of Grain; 0 means 1. Kernels accept all other chunks, too, which only
	// cost more time. But in a strided loop, chunks must begin at multiples of Grain.
	Grain int
	Most  *sym.Expr // maximum items of a chunk; nil means no limit
	Wrap  *sym.Expr // no chunk crosses a multiple of Wrap; nil means no limit
	Work  *sym.Expr // the cost of an item in picoseconds; nil means 1
	// Join is the desired number of items in a chunk if the loop is joined with others. It is nil
	// if the loop must not be joined, because chunks that are small enough for the cache would cost
	// more time than they save.
	Join *sym.Expr
	// Least is the smallest number of items in a chunk with which the loop may be joined. For
	// example, a matrix product with fewer rows per chunk would read its weights too often.
	Least int
	// Strided is true if the windows of different chunks overlap, but no element is written by two
	// chunks, as with columns of a matrix.
	Strided bool
}

// The symbols that the expressions in a Par's body may contain, besides those of the plan.
const (
	LoName    = "_lo"
	CountName = "_n"
)

// Lo is the first item of a chunk; Count is its number of items.
var (
	Lo    = sym.Var(LoName)
	Count = sym.Var(CountName)
)

func (*Par) isStep() {}

// Views implements Step: it calls f with the views of all steps in the body.
func (p *Par) Views(f func(View)) {
	for _, s := range p.Body {
		s.Views(f)
	}
}

// Exprs calls f with every expression in a step's views and arguments.
func Exprs(s Step, f func(*sym.Expr)) {
	mapExprs(s, func(e *sym.Expr) *sym.Expr { f(e); return e })
}

// Subst returns a copy of s in which the expressions that m holds replace the symbols.
func Subst(s Step, m map[string]*sym.Expr) Step {
	return mapExprs(s, func(e *sym.Expr) *sym.Expr { return e.Subst(m) })
}

// mapExprs returns a copy of s with every expression e replaced by f(e).
func mapExprs(s Step, f func(*sym.Expr) *sym.Expr) Step {
	view := func(v View) View {
		if v.Off != nil {
			v.Off = f(v.Off)
		}
		v.Len = f(v.Len)
		return v
	}
	list := func(es []*sym.Expr) []*sym.Expr {
		out := make([]*sym.Expr, len(es))
		for i, e := range es {
			out[i] = f(e)
		}
		return out
	}
	steps := func(l []Step) []Step {
		out := make([]Step, len(l))
		for i, s := range l {
			out[i] = mapExprs(s, f)
		}
		return out
	}
	switch s := s.(type) {
	case *Copy:
		c := *s
		c.Dst, c.Src = view(s.Dst), view(s.Src)
		return &c
	case *Scalar:
		return s.mapped(view, list)
	case *Put:
		c := *s
		c.Dst, c.Src = view(s.Dst), view(s.Src)
		return &c
	case *Get:
		c := *s
		c.Dst, c.Src = view(s.Dst), view(s.Src)
		return &c
	case *Send:
		return s.mapped(view)
	case *Recv:
		return s.mapped(view)
	case *Call:
		c := *s
		c.Args = make([]Arg, len(s.Args))
		for i, a := range s.Args {
			switch a := a.(type) {
			case Elements:
				c.Args[i] = Elements{a.Work.Map(f)}
			case Int:
				c.Args[i] = Int{f(a.X)}
			case Ints:
				c.Args[i] = Ints{list(a.X)}
			case Struct:
				t := withViews(a, view).(Struct)
				t.Fields = map[string][]*sym.Expr{}
				for k, es := range a.Fields {
					t.Fields[k] = list(es)
				}
				c.Args[i] = t
			default:
				c.Args[i] = withViews(a, view)
			}
		}
		return &c
	case *Par:
		p := *s
		p.Body = steps(s.Body)
		return &p
	case *If:
		c := *s
		c.Cond, c.Then, c.Else = view(s.Cond), steps(s.Then), steps(s.Else)
		return &c
	case *Loop:
		c := *s
		c.Body = steps(s.Body)
		return &c
	case *Tasks:
		c := *s
		c.Tasks = make([]Task, len(s.Tasks))
		for i, t := range s.Tasks {
			t.Steps = steps(t.Steps)
			c.Tasks[i] = t
		}
		return &c
	case *Break:
		c := *s
		c.Cond = view(s.Cond)
		return &c
	case *Let:
		c := *s
		c.X = list(s.X)
		return &c
	}
	return s
}

// stride returns s, base and true if v is a window of Count·s elements that begins at element
// Lo·s + base, where s and base do not depend on the chunk. Otherwise it returns false.
func stride(v View) (s, base *sym.Expr, ok bool) {
	s, rest, ok := v.Len.Linear(CountName)
	if !ok || !rest.Is(0) || s.Contains(LoName) {
		return nil, nil, false
	}
	off := sym.Zero
	if v.Off != nil {
		off = v.Off
	}
	perLo, base, ok := off.Linear(LoName)
	if !ok || !perLo.Equal(s) || base.Contains(CountName) {
		return nil, nil, false
	}
	return s, base, true
}

// Mentions reports whether expression e depends on the chunk, that is, contains Lo or Count.
func Mentions(e *sym.Expr) bool {
	if e == nil {
		return false
	}
	return e.Contains(LoName) || e.Contains(CountName)
}
