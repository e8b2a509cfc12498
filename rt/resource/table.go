package resource

import (
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// TableKind is what a table allows.
type TableKind int

// The kinds.
const (
	Hash    TableKind = iota // initialised once, then never changed
	Mutable                  // changed at any time
	Dense                    // changed at any time; two keys are its own and may not be used
)

// TableParams describe a table.
type TableParams struct {
	Name       string // as errors name it
	Kind       TableKind
	Key, Value tensor.DType
	// FirstBuckets and MaxLoad are a Dense table's initial_num_buckets and
	// max_load_factor, which its checkpoints show; 0: as TensorFlow has them.
	FirstBuckets int
	MaxLoad      float32
}

// Table maps keys to values, which are rows of KeyWidth and ValueWidth elements.
// Its fields are read with the lock, at least to read, and changed with the lock
// held. Index, Keys, Values, Empty and Deleted are nil as long as nothing is held.
type Table struct {
	TableParams
	ValueShape []int
	ValueWidth int

	sync.RWMutex
	Ready bool // Hash: it is initialised; Dense: the keys it may not hold are known
	// KeyShape is a scalar's but for a Dense table.
	KeyShape []int
	KeyWidth int
	// Index gives the row of a key: a map[K]int; where a key is not one element,
	// a map[string]int of its bytes.
	Index          any
	Keys, Values   any // []K and []V, a row after the other
	Empty, Deleted any // Dense: []K
	N              int // rows
	Buckets        int // Dense: those that TensorFlow's table would have; 0: it holds nothing yet
}

// NewTable makes a table with values of that shape.
func NewTable(p TableParams, valueShape []int) tensor.Handle {
	t := &Table{TableParams: p, KeyShape: []int{}, KeyWidth: 1, ValueShape: append([]int{}, valueShape...), ValueWidth: 1}
	for _, d := range valueShape {
		t.ValueWidth *= d
	}
	return tensor.Handle{V: t}
}

// Destroy makes the table as NewTable made it.
func (t *Table) Destroy() {
	t.Lock()
	defer t.Unlock()
	t.Ready, t.KeyShape, t.KeyWidth, t.N = false, []int{}, 1, 0
	t.Index, t.Keys, t.Values, t.Empty, t.Deleted, t.Buckets = nil, nil, nil, nil, nil, 0
}

// TableOf returns the table that h holds: NotFound where there is no handle,
// InvalidArgument where it holds another thing.
func TableOf(h []tensor.Handle) (*Table, error) { return of[Table](h, "a table") }
