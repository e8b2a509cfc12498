package resource

import (
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// TableKind says how a table may be changed.
type TableKind int

// The kinds.
const (
	Hash    TableKind = iota // initialized once, then constant
	Mutable                  // may change at any time
	Dense                    // may change at any time; two keys are reserved and must not be used for entries
)

// TableParams describes a table.
type TableParams struct {
	Name       string // for errors
	Kind       TableKind
	Key, Value tensor.DType
	// FirstBuckets and MaxLoad are the attributes initial_num_buckets and max_load_factor of a Dense
	// table. The layout of its contents in a checkpoint depends on them. 0 means TensorFlow's default.
	FirstBuckets int
	MaxLoad      float32
}

// Table maps keys to values. A key is a row of KeyWidth elements, a value a row of ValueWidth
// elements. The fields may be read only with the read or write lock held, and changed only with the
// write lock held. In a new table, Index, Keys, Values, Empty and Deleted are nil.
type Table struct {
	TableParams
	ValueShape []int
	ValueWidth int

	sync.RWMutex
	// for a Hash table, whether it is initialized; for a Dense table, whether the reserved keys are
	// known
	Ready bool
	// KeyShape is the shape of a key. It is empty, for scalar keys, unless the table is Dense.
	KeyShape []int
	KeyWidth int
	// Index maps a key to the number of its row in Keys and Values. It is a map[K]int, where K is the
	// Go type of the elements. If a key is not a single element, Index is a map[string]int instead,
	// and its keys are the results of EncodeKey.
	Index          any
	Keys, Values   any // a []K and a []V, row by row
	Empty, Deleted any // for Dense, the reserved keys, each a []K
	N              int // the number of rows
	Buckets        int // for Dense, how many buckets TensorFlow's table would have; 0 if not computed yet
}

// NewTable returns a table whose values have the given shape.
func NewTable(p TableParams, valueShape []int) tensor.Handle {
	t := &Table{TableParams: p, KeyShape: []int{}, KeyWidth: 1, ValueShape: append([]int{}, valueShape...), ValueWidth: 1}
	for _, d := range valueShape {
		t.ValueWidth *= d
	}
	return tensor.Handle{V: t}
}

// Destroy resets the table to its initial state.
func (t *Table) Destroy() {
	t.Lock()
	defer t.Unlock()
	t.Ready, t.KeyShape, t.KeyWidth, t.N = false, []int{}, 1, 0
	t.Index, t.Keys, t.Values, t.Empty, t.Deleted, t.Buckets = nil, nil, nil, nil, nil, 0
}

// TableOf returns the table that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource.
func TableOf(h []tensor.Handle) (*Table, error) { return of[Table](h, "a table") }
