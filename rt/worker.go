package rt

// Worker manages the field X of a pool's states, such as the memory of a state on a GPU. X is kept from
// run to run. Only programs that use a Worker link an implementation of it. The names of these methods
// must not be used for methods of other types: the linker keeps all methods with a name that occurs in
// a generic interface.
type Worker[D comparable, X any] interface {
	// ReadyWork prepares x for a run with the sizes d. In its first call for x, it also creates the
	// contents of x. The parameter fresh is true if the sizes differ from those of the previous run.
	ReadyWork(x *X, d *D, fresh bool) error
	// MeasureWork begins to measure the work of the run, for the observers of the run. They are in
	// m, the mark of the run.
	MeasureWork(x *X, m *Mark)
	// EndWork ends the work of a run. The parameter err is the run's error, or nil. EndWork returns
	// err or, if err is nil, its own error.
	EndWork(x *X, err error) error
	// DropWork frees everything that x holds.
	DropWork(x *X)
}
