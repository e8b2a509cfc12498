package rt

// Worker keeps what X holds for the states of a pool, from run to run, as what they have on a device that
// is no CPU. Only programs that use one link what implements it. The names of the methods are those of no
// others: the linker keeps what has the name of a method of a generic interface.
type Worker[D comparable, X any] interface {
	// ReadyWork readies x for a run with the sizes d, which differ from those before where fresh is set,
	// and makes what it holds where there is nothing yet.
	ReadyWork(x *X, d *D, fresh bool) error
	// MeasureWork has the run of m measured, which observers are told of.
	MeasureWork(x *X, m *Mark)
	// EndWork ends a run with its error, or returns one of its own.
	EndWork(x *X, err error) error
	// DropWork lets go of what x holds, if there is anything.
	DropWork(x *X)
}
