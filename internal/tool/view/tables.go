package view

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/internal/tool/base"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Limits on the texts of the page. Text beyond maxElems or maxText is left out.
const (
	maxElems = 12  // largest number of elements that the page shows of a constant
	maxDepth = 100 // largest number of scopes that are split off a node's name; the last part of the name has the rest
	maxText  = 400 // largest number of bytes of an attribute, a reason, or a type with its shape
)

// page is the data that the page's script reads. Repeated values are stored once in tables, and other
// tables refer to them by row number. Rows are flat lists of numbers. A graph of 30,000 nodes thus takes
// only a few megabytes.
type page struct {
	Model   string   `json:"model"`
	Error   string   `json:"error,omitempty"`
	Strings []string `json:"strings"` // string 0 is the empty one
	Kinds   []int    `json:"kinds"`   // pairs of an op and its kind; see kindOf
	Docs    []int    `json:"docs"`    // pairs of a pass and its description
	// Scopes are the name scopes, each as two numbers: the scope around it, and the last part of
	// its name. Scope 0 is the whole graph.
	Scopes []int `json:"scopes"`
	Names  []int `json:"names"` // names of nodes, as pairs of a scope and a last part
	// Each row of Regions describes a branch or a loop. It holds the name, the number of the enclosing
	// region (-1 for the whole graph), 1 for a loop or 0 for a branch, and the condition.
	Regions [][]int `json:"regions"`
	Attrs   [][]int `json:"attrs"` // name, value, …
	// Calls lists the functions to which attributes refer, as groups of three numbers: the row in Attrs,
	// the attribute's name, and the function.
	Calls   []int   `json:"calls"`
	Origins [][]int `json:"origins"` // each row lists the names of original nodes that became one node
	// Each row of Nodes describes a node at some stage of compiling. It holds, in this order: the name,
	// the op, the attributes, the device, the region plus 1, the origin, the number of inputs, a node
	// and an output for each input, and a node for each control input.
	Nodes [][]int `json:"nodes"`
	// Each row of Facts holds a node and, for each output of the node, the text of its element type and
	// shape.
	Facts      [][]int      `json:"facts"`
	Functions  []*function  `json:"functions"`
	Signatures []*signature `json:"signatures"`
}

// function is a function of the library with its body.
type function struct {
	Name  int   `json:"name"`
	Nodes []int `json:"nodes"` // ranges of rows of page.Nodes; each range is a first row and a number of rows
	Facts []int `json:"facts"` // ranges of rows of page.Facts
}

// tables makes the page's tables. Equal rows are stored once.
type tables struct {
	page    *page
	strings map[string]int
	scopes  map[string]int
	names   map[string]int
	rows    map[string]int // numbers of rows; a key is a table and the contents of a row of this table
	regions map[regionKey]int
	funcs   map[string]int
	library *ir.Library
	seen    map[*ir.Node]seenAttrs
	buf     []byte
}

// regionKey identifies a region. Clones of a graph have different ir.Regions for one region, but equal
// regionKeys.
type regionKey struct {
	name   string
	parent int
	loop   bool
	neg    bool
	cond   string
}

func newTables(model string) *tables {
	t := &tables{page: &page{Model: model}, strings: map[string]int{}, scopes: map[string]int{"": 0}, names: map[string]int{},
		rows: map[string]int{}, regions: map[regionKey]int{}, funcs: map[string]int{}, seen: map[*ir.Node]seenAttrs{}}
	t.text("")
	t.page.Scopes = []int{-1, 0}
	t.page.Origins = [][]int{{}}
	return t
}

// text returns the number of the string s in page.Strings. It adds s if page.Strings does not have it
// yet.
func (t *tables) text(s string) int {
	i, ok := t.strings[s]
	if !ok {
		s = strings.Clone(s)
		i = len(t.page.Strings)
		t.strings[s] = i
		t.page.Strings = append(t.page.Strings, s)
	}
	return i
}

// clip returns s, cut to at most maxText bytes and an ellipsis if s is longer.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	n := maxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// scope returns the number of the name scope with the given path in page.Scopes. It adds the scope if
// page.Scopes does not have it yet. The node "a/b/c" is in the scope with the path "a/b".
func (t *tables) scope(path string) int {
	i, ok := t.scopes[path]
	if !ok {
		parent, last := 0, path
		if k := strings.LastIndexByte(path, '/'); k >= 0 {
			parent, last = t.scope(path[:k]), path[k+1:]
		}
		i = len(t.page.Scopes) / 2
		t.page.Scopes = append(t.page.Scopes, parent, t.text(last))
		t.scopes[strings.Clone(path)] = i
	}
	return i
}

// node returns the number of a node's name in page.Names. It adds the name if page.Names does not have
// it yet.
func (t *tables) node(name string) int {
	i, ok := t.names[name]
	if !ok {
		name = strings.Clone(name)
		scope, last := 0, name
		if k := lastScope(name); k > 0 {
			scope, last = t.scope(name[:k]), name[k+1:]
		}
		i = len(t.page.Names) / 2
		t.page.Names = append(t.page.Names, scope, t.text(last))
		t.names[name] = i
	}
	return i
}

// lastScope returns the index of the slash after the scope of a name, or -1 if the name has no
// scope.
func lastScope(name string) int {
	if strings.Count(name, "/") <= maxDepth {
		return strings.LastIndexByte(name, '/')
	}
	at := -1
	for range maxDepth {
		at += 1 + strings.IndexByte(name[at+1:], '/')
	}
	return at
}

// row returns the number of a row of a table. It adds the row if the table does not have it yet.
func (t *tables) row(table byte, to *[][]int, row []int) int {
	t.buf = append(t.buf[:0], table)
	for _, v := range row {
		t.buf = binary.AppendVarint(t.buf, int64(v))
	}
	i, ok := t.rows[string(t.buf)]
	if !ok {
		i = len(*to)
		t.rows[string(t.buf)] = i
		*to = append(*to, append([]int{}, row...)) // an empty row is [], not null
	}
	return i
}

// seenAttrs holds a copy of a node's attributes, made when they were last formatted. It also holds the
// number of the row with the formatted attributes.
type seenAttrs struct {
	attrs map[string]ir.Attr
	row   int
}

// sameAttrs reports whether a and b contain the same attributes. It cannot compare values of some types,
// such as []float32. If a contains such a value, sameAttrs returns false.
func sameAttrs(a, b map[string]ir.Attr) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		w, ok := b[k]
		if !ok {
			return false
		}
		switch v := v.(type) {
		case string, int64, float32, bool, tensor.DType, *tensor.Tensor, ir.Placeholder:
			if v != w {
				return false
			}
		case []int64:
			if w, ok := w.([]int64); !ok || !slices.Equal(v, w) {
				return false
			}
		case []string:
			if w, ok := w.([]string); !ok || !slices.Equal(v, w) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// attrs returns the row number of a node's attributes. It formats the attributes again only if they have
// changed since the last call for this node. Most passes do not change them.
func (t *tables) attrs(n *ir.Node) int {
	if s, ok := t.seen[n]; ok && sameAttrs(n.Attrs, s.attrs) {
		return s.row
	}
	row := t.newAttrs(n)
	t.seen[n] = seenAttrs{maps.Clone(n.Attrs), row}
	return row
}

func (t *tables) newAttrs(n *ir.Node) int {
	o := ir.PrintOptions{MaxElems: maxElems, First: true}
	var row, calls []int
	for _, k := range base.SortedKeys(n.Attrs) {
		v := n.Attrs[k]
		row = append(row, t.text(k), t.text(clip(ir.AttrText(v, o))))
		for _, f := range called(v) {
			if i := t.function(f); i >= 0 {
				calls = append(calls, t.text(k), i)
			}
		}
	}
	before := len(t.page.Attrs)
	i := t.row('a', &t.page.Attrs, row)
	if i == before {
		for k := 0; k < len(calls); k += 2 {
			t.page.Calls = append(t.page.Calls, i, calls[k], calls[k+1])
		}
	}
	return i
}

// called returns the names of the functions to which an attribute refers.
func called(v ir.Attr) (names []string) {
	switch v := v.(type) {
	case ir.Func:
		return []string{v.Name}
	case []ir.Func:
		for _, f := range v {
			names = append(names, f.Name)
		}
	}
	return names
}

// function returns the number of the function with the given name in page.Functions, or -1 if the
// library does not have it.
func (t *tables) function(name string) int {
	if i, ok := t.funcs[name]; ok {
		return i
	}
	if t.library == nil || t.library.Functions[name] == nil || t.library.Functions[name].Body == nil {
		return -1
	}
	i := len(t.page.Functions)
	t.funcs[name] = i // set before the body is recorded, because the function may call itself
	f := &function{Name: t.text(name)}
	t.page.Functions = append(t.page.Functions, f)
	for _, n := range t.library.Functions[name].Body.Nodes {
		f.Nodes = appendRange(f.Nodes, t.version(n))
		f.Facts = appendRange(f.Facts, t.facts(n))
	}
	return i
}

// region returns the number of a region in page.Regions, or -1 for the whole graph.
func (t *tables) region(r *ir.Region) int {
	if r == nil {
		return -1
	}
	k := regionKey{r.Name, t.region(r.Parent), r.Loop, r.Neg, ""}
	if r.Cond.Node != nil {
		k.cond = r.Cond.String()
	}
	i, ok := t.regions[k]
	if !ok {
		i = len(t.page.Regions)
		t.regions[k] = i
		loop := 0
		if r.Loop {
			loop = 1
		}
		cond := k.cond
		if r.Neg {
			cond = "not " + cond
		}
		t.page.Regions = append(t.page.Regions, []int{t.text(r.Name), k.parent, loop, t.text(cond)})
	}
	return i
}

// version returns the number of the row that describes a node in its current state.
func (t *tables) version(n *ir.Node) int {
	var origin []int
	for _, name := range n.Origin.Names {
		if name != n.Name {
			origin = append(origin, t.node(name))
		}
	}
	row := []int{t.node(n.Name), t.text(n.Op), t.attrs(n), t.text(n.Device), t.region(n.Region) + 1,
		t.row('o', &t.page.Origins, origin), len(n.Ins)}
	for _, o := range n.Ins {
		if o.Node == nil {
			row = append(row, -1, 0)
			continue
		}
		row = append(row, t.node(o.Node.Name), o.Index)
	}
	for _, c := range n.Controls {
		row = append(row, t.node(c.Name))
	}
	return t.row('n', &t.page.Nodes, row)
}

// facts returns the number of the row with the types and shapes of a node's outputs.
func (t *tables) facts(n *ir.Node) int {
	row := []int{t.node(n.Name)}
	for i := range n.Outs {
		text := ""
		if f := &n.Outs[i]; f.Valid() {
			text = clip(f.String())
		}
		row = append(row, t.text(text))
	}
	return t.row('f', &t.page.Facts, row)
}

// appendRange adds a row number to a list of ranges. A range is a first row and a number of rows.
func appendRange(ranges []int, row int) []int {
	if n := len(ranges); n > 0 && ranges[n-2]+ranges[n-1] == row {
		ranges[n-1]++
		return ranges
	}
	return append(ranges, row, 1)
}
