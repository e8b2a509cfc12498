package lower

import "sort"

// Family is a group of ops that are described together.
type Family struct {
	Defs []*Def
	// GPU describes how GPUs compute some of the ops.
	GPU []*GPU
	// Gradients holds the gradients of some of the ops, keyed by the ops' names.
	Gradients []map[string]Gradient
	// Batch holds the rules for batches of some of the ops, keyed by the ops' names.
	Batch map[string]BatchRule
}

// Table is a set of ops. It does not change after it is made.
type Table struct {
	byName map[string]*Def
	all    []*Def
}

// NewTable returns a table of all ops of some families. It panics if an op is described twice, or
// is described for GPUs only.
func NewTable(families ...Family) *Table {
	t := &Table{byName: map[string]*Def{}}
	for _, f := range families {
		for _, d := range f.Defs {
			if t.byName[d.Name] != nil {
				panic("op " + d.Name + " is described twice")
			}
			own := *d
			t.byName[d.Name] = &own
			if !d.Has(Replaced) {
				t.all = append(t.all, &own)
			}
		}
	}
	for _, f := range families {
		for _, g := range f.GPU {
			switch d := t.byName[g.Op]; {
			case d == nil:
				panic("op " + g.Op + " is described for GPUs only")
			case d.GPU != nil:
				panic("op " + g.Op + " is described twice for GPUs")
			default:
				d.GPU = g
			}
		}
	}
	for _, f := range families {
		for _, rows := range f.Gradients {
			for name, g := range rows {
				d := t.byName[name]
				if d == nil {
					panic("the gradient of " + name + " is described, the op is not")
				}
				d.Gradient = g
			}
		}
	}
	for _, f := range families {
		for name, rule := range f.Batch {
			d := t.byName[name]
			if d == nil {
				panic("the rule for batches of " + name + " is described, the op is not")
			}
			d.Batch = rule
		}
	}
	sort.Slice(t.all, func(i, j int) bool { return t.all[i].Name < t.all[j].Name })
	return t
}

// Lookup returns the description of an op, or nil if the op is unknown.
func (t *Table) Lookup(op string) *Def { return t.byName[op] }

// All returns the descriptions of all ops except those with the flag Replaced, sorted by name.
func (t *Table) All() []*Def { return t.all }

// Replaced returns the names, in no particular order, of the TensorFlow ops that compiler passes
// replace by other nodes: control flow and calls of functions. Graphs with these ops compile
// although the ops have no lowering.
func (t *Table) Replaced() []string {
	var names []string
	for _, d := range t.byName {
		if d.Has(Replaced) && !d.Has(Argument) {
			names = append(names, d.Name)
		}
	}
	return names
}
