package trace

import (
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// table holds the steps of a signature in parsed form; see rt.Info.Steps.
type table struct {
	labels []label
	names  []string // the names of the sizes on which the shapes of outputs depend
}

// label is the entry of a table for one step.
type label struct {
	node, op string
	out      []outputType
	// the result of label.outputs if no shape depends on a size; nil until it is computed
	fixed []Output
}

type outputType struct {
	dtype tensor.DType
	shape []string // expressions
}

// table returns the steps of a run in parsed form, with full node names. It parses the steps of each
// signature only once. The caller holds the lock.
func (t *Trace) table(info *rt.Info) *table {
	steps := info.Steps
	if len(steps) == 0 {
		return &table{}
	}
	if tab := t.tables[&steps[0]]; tab != nil && len(tab.labels) == len(steps) {
		return tab
	}
	tab := &table{labels: make([]label, len(steps))}
	seen := map[string]bool{}
	for i, s := range steps {
		l := label{node: info.FullName(s.Node), op: s.Op}
		for _, text := range s.Outputs {
			o := readType(text)
			l.out = append(l.out, o)
			for _, x := range o.shape {
				for _, n := range namesIn(x) {
					if !seen[n] {
						seen[n] = true
						tab.names = append(tab.names, n)
					}
				}
			}
		}
		tab.labels[i] = l
	}
	t.tables[&steps[0]] = tab
	return tab
}

// at returns the label of step i. If i is out of range, it returns an empty label.
func (t *table) at(i int) *label {
	if i < 0 || i >= len(t.labels) {
		return &label{}
	}
	return &t.labels[i]
}

// sizes returns the values, by name, of the sizes on which the shapes of outputs depend.
func (t *table) sizes(size func(string) (int, bool)) map[string]int {
	if size == nil || len(t.names) == 0 {
		return nil
	}
	m := make(map[string]int, len(t.names))
	for _, n := range t.names {
		if v, ok := size(n); ok {
			m[n] = v
		}
	}
	return m
}

// outputs returns the types, shapes and bytes of the tensors that the step makes for the given sizes.
func (l *label) outputs(sizes map[string]int) []Output {
	if l.fixed != nil || len(l.out) == 0 {
		return l.fixed
	}
	fixed := true
	out := make([]Output, len(l.out))
	for i, o := range l.out {
		out[i] = Output{DType: o.dtype, Shape: make([]int, len(o.shape))}
		n := o.dtype.Size()
		for a, x := range o.shape {
			fixed = fixed && len(namesIn(x)) == 0
			d, ok := evaluate(x, sizes)
			if !ok {
				out[i].Shape, n = nil, 0
				break
			}
			out[i].Shape[a] = d
			n *= d
		}
		out[i].Bytes = n
	}
	if fixed {
		l.fixed = out
	}
	return out
}

// readType parses a type and a shape: "f32[2*d_x_0,128]".
func readType(s string) outputType {
	var o outputType
	name, shape, _ := strings.Cut(s, "[")
	o.dtype = dtypeNamed(name)
	if shape = strings.TrimSuffix(shape, "]"); shape == "" {
		return o
	}
	depth, from := 0, 0
	for i := range len(shape) {
		switch shape[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				o.shape = append(o.shape, shape[from:i])
				from = i + 1
			}
		}
	}
	o.shape = append(o.shape, shape[from:])
	return o
}

// dtypeNamed returns the type with the given short name.
func dtypeNamed(name string) tensor.DType {
	for d := range tensor.DType(64) {
		if d.GoType() != nil && d.String() == name {
			return d
		}
	}
	return 0
}

// namesIn returns the names of sizes in an expression. It leaves out the names of functions.
func namesIn(x string) []string {
	var out []string
	for i := 0; i < len(x); {
		j := i
		for j < len(x) && isWord(x[j]) {
			j++
		}
		if j == i {
			i++
			continue
		}
		if c := x[i]; (c < '0' || c > '9') && (j == len(x) || x[j] != '(') {
			out = append(out, x[i:j])
		}
		i = j
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// evaluate computes an expression with sums, products and the functions div, mod, min, max and bcast
// of two operands. The operands are integers and names of sizes. It returns false if a name is unknown
// or the text is malformed.
func evaluate(x string, sizes map[string]int) (int, bool) {
	e := &expr{src: x, sizes: sizes}
	v := e.sum()
	return v, !e.bad && e.pos == len(e.src)
}

type expr struct {
	src   string
	pos   int
	sizes map[string]int
	bad   bool
	depth int
}

func (e *expr) eat(c byte) bool {
	for e.pos < len(e.src) && e.src[e.pos] == ' ' {
		e.pos++
	}
	if e.pos < len(e.src) && e.src[e.pos] == c {
		e.pos++
		return true
	}
	return false
}

func (e *expr) sum() int {
	if e.depth++; e.depth > 100 {
		e.bad = true
		return 0
	}
	defer func() { e.depth-- }()
	sign := 1
	if e.eat('-') {
		sign = -1
	}
	v := sign * e.product()
	for !e.bad {
		switch {
		case e.eat('+'):
			v += e.product()
		case e.eat('-'):
			v -= e.product()
		default:
			return v
		}
	}
	return 0
}

func (e *expr) product() int {
	v := e.factor()
	for !e.bad && e.eat('*') {
		v *= e.factor()
	}
	return v
}

func (e *expr) factor() int {
	if e.eat('(') {
		v := e.sum()
		e.bad = e.bad || !e.eat(')')
		return v
	}
	e.eat(' ')
	from := e.pos
	for e.pos < len(e.src) && isWord(e.src[e.pos]) {
		e.pos++
	}
	word := e.src[from:e.pos]
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	if e.pos < len(e.src) && e.src[e.pos] == '(' {
		e.pos++
		a := e.sum()
		e.bad = e.bad || !e.eat(',')
		b := e.sum()
		e.bad = e.bad || !e.eat(')')
		return e.call(strings.ToLower(word), a, b)
	}
	v, ok := e.sizes[word]
	e.bad = e.bad || !ok
	return v
}

func (e *expr) call(name string, a, b int) int {
	switch {
	case e.bad:
		return 0
	case name == "min":
		return min(a, b)
	case name == "max":
		return max(a, b)
	case name == "bcast":
		if a == 1 {
			return b
		}
		return a
	case (name == "div" || name == "mod") && b != 0:
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q--
		}
		if name == "div" {
			return q
		}
		return a - q*b
	}
	e.bad = true
	return 0
}
