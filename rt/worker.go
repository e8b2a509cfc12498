package rt

// Worker makes and keeps X, from run to run, for the states of a pool: for example their memory on a GPU.
// Only programs that use a Worker link an implementation. No other type has methods of these names, because
// the linker keeps all methods that have the name of one of a generic interface.
type Worker[D comparable, X any] interface {
	// ReadyWork prepares x for a run with the sizes d; the first time it also creates what x
	// needs. fresh reports whether the sizes differ from those of the previous run.
	ReadyWork(x *X, d *D, fresh bool) error
	// MeasureWork begins to measure the run of m for its observers.
	MeasureWork(x *X, m *Mark)
	// EndWork ends a run that has the error err. It returns err or its own error.
	EndWork(x *X, err error) error
	// DropWork frees everything that x holds.
	DropWork(x *X)
}
