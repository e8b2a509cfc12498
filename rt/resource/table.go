package resource

import (
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// TableKind is the kind of a table: how it may be changed.
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
	// FirstBuckets and MaxLoad are a Dense table's initial_num_buckets and max_load_factor, which
	// its checkpoints depend on. 0 means TensorFlow's default.
	FirstBuckets int
	MaxLoad      float32
}

// Table maps keys to values, which are rows of KeyWidth and ValueWidth elements. Reading its
// fields needs at least the read lock, changing them the write lock. Index, Keys, Values, Empty
// and Deleted are nil while the table is empty.
type Table struct {
	TableParams
	ValueShape []int
	ValueWidth int

	sync.RWMutex
	Ready bool // for Hash, the table is initialized; for Dense, the reserved keys are known
	// KeyShape is the shape of a key: that of a scalar unless the table is Dense.
	KeyShape []int
	KeyWidth int
	// Index maps a key to its row. It is a map[K]int; if a key is not a single element, it is a
	// map[string]int of encoded keys.
	Index          any
	Keys, Values   any // []K and []V, row by row
	Empty, Deleted any // for Dense, the reserved keys, each a []K
	N              int // rows
	Buckets        int // for Dense, how many buckets TensorFlow's table would have; 0 means none yet
}

// NewTable returns a table with values of that shape.
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
