package rt

// Worker manages the field X of a pool's states, which is kept from run to run: for example the
// memory of a state on a GPU. Only programs that use a Worker link an implementation. No other type
// has methods with these names, because the linker keeps every method whose name occurs in a
// generic interface.
type Worker[D comparable, X any] interface {
	// ReadyWork prepares x for a run with the sizes d; the first time it also creates what x needs.
	// The parameter fresh reports whether the sizes differ from those of the previous run.
	ReadyWork(x *X, d *D, fresh bool) error
	// MeasureWork begins to measure the work of the run to which m belongs, for the run's
	// observers.
	MeasureWork(x *X, m *Mark)
	// EndWork ends the work of a run. The parameter err is the run's error, or nil. EndWork returns
	// err or, if err is nil, its own error.
	EndWork(x *X, err error) error
	// DropWork frees everything that x holds.
	DropWork(x *X)
}
