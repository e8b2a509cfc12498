package rt

// Worker manages the field X of a pool's states, such as the memory of a state on a GPU. X is kept
// from run to run. Only programs that use a Worker link an implementation of it.
//
// Methods of other types must not have the names of the methods below. Go's linker keeps every method
// whose name occurs in a generic interface, even if nothing calls the method.
type Worker[D comparable, X any] interface {
	// ReadyWork prepares x for a run with the sizes d. In its first call for x, it also creates the
	// contents of x. The parameter fresh is true if the sizes differ from those of the previous run.
	ReadyWork(x *X, d *D, fresh bool) error
	// MeasureWork begins to measure the work of the run, if an observer of the run needs this. The
	// parameter m is the mark of the run, through which its observers are found.
	MeasureWork(x *X, m *Mark)
	// EndWork ends the work of a run. The parameter err is the run's error, or nil. EndWork returns
	// err or, if err is nil, its own error.
	EndWork(x *X, err error) error
	// DropWork frees everything that x holds.
	DropWork(x *X)
}
