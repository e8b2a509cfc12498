package rt

// Worker makes and keeps X, from run to run, for the states of a pool: for example their memory on a GPU.
// Only programs that use a Worker link an implementation. No other type has methods of these names, because
// the linker keeps all methods that have the name of one of a generic interface.
type Worker[D comparable, X any] interface {
	// ReadyWork makes x ready for a run with the sizes d, and makes what it needs the first time. fresh says that the
	// sizes differ from those of the run before.
	ReadyWork(x *X, d *D, fresh bool) error
	// MeasureWork begins to measure the run of m, for its observers.
	MeasureWork(x *X, m *Mark)
	// EndWork ends a run with its error, or returns one of its own.
	EndWork(x *X, err error) error
	// DropWork frees everything that x holds.
	DropWork(x *X)
}
